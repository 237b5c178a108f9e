import BLECore
import BLEHCI

/// A device by an address and the kind of that, public or random, as lists of a controller name it.
public struct PeerAddress: Hashable, Sendable {
  /// The address.
  public var address: DeviceAddress
  /// Its kind: public or random.
  public var type: AddressType

  /// A device.
  public init(address: DeviceAddress, type: AddressType) {
    self.address = address
    self.type = type
  }
}

/// An entry of a controller's resolving list (Core 5.4 Vol 4 Part E 7.8.38). Keys have 16 octets, least significant first; zeros
/// stand for none.
public struct ResolvingEntry: Hashable, Sendable {
  /// The identity address of the peer.
  public var peer: PeerAddress
  /// What resolves the addresses of the peer.
  public var peerKey: [UInt8]
  /// What the controller makes this side's addresses with.
  public var localKey: [UInt8]

  /// No key.
  public static let noKey = [UInt8](repeating: 0, count: 16)

  /// An entry.
  public init(peer: PeerAddress, peerKey: [UInt8]?, localKey: [UInt8]?) {
    self.peer = peer
    self.peerKey = peerKey ?? Self.noKey
    self.localKey = localKey ?? Self.noKey
  }
}

/// What a controller has to know of peers: whom advertising sets with a filter answer, and whose private addresses it resolves.
public struct PeerLists: Hashable, Sendable {
  /// The filter accept list.
  public var accepted: [PeerAddress] = []
  /// The resolving list; address resolution is on while it is not empty.
  public var resolved: [ResolvingEntry] = []
  /// How long the controller uses an address that it has made.
  public var rotation = Duration.seconds(15 * 60)

  /// Empty lists, as a controller has them after a reset.
  public init() {}
}

/// Brings the lists of a controller up to date. They cannot be changed while advertising goes by them (Core 5.4 Vol 4 Part E 7.8.15,
/// 7.8.38), so whoever advertises pauses for it.
struct PeerListTelling: Sendable {
  var wanted = PeerLists()
  /// What the controller has.
  private var told = PeerLists()
  /// The commands that are left of the change under way, and what it leads to.
  private var steps: [any HCICommand] = []
  private var goal: PeerLists?
  /// Whether a command was given and not answered.
  private(set) var isBusy = false
  /// Whether a command was lost, so that nothing is certain.
  private var isUncertain = false

  /// Whether the controller does not have what is wanted.
  var isStale: Bool { isUncertain || goal != nil || wanted != told }

  /// The next command; nil when nothing is to be told, or a command is under way.
  mutating func nextCommand() -> (any HCICommand)? {
    guard !isBusy else { return nil }
    if goal == nil, isStale {
      steps = commands
      goal = wanted
      isUncertain = false
    }
    guard !steps.isEmpty else {
      finish()
      return nil
    }
    isBusy = true
    return steps.removeFirst()
  }

  /// Takes the answer to the command; false when it was refused. What the controller has then is what it has taken.
  mutating func answered(_ status: ErrorCode) -> Bool {
    isBusy = false
    guard status == .success else {
      // The owner has to want something else.
      steps = []
      finish()
      return false
    }
    if steps.isEmpty { finish() }
    return true
  }

  /// The command was not answered: everything is told from the beginning.
  mutating func commandLost() {
    isBusy = false
    steps = []
    goal = nil
    isUncertain = true
  }

  private mutating func finish() {
    if let goal { told = goal }
    goal = nil
  }

  private var commands: [any HCICommand] {
    var commands: [any HCICommand] = []
    if wanted.resolved != told.resolved || (isUncertain && !wanted.resolved.isEmpty) {
      commands.append(LEClearResolvingList())
      for entry in wanted.resolved { commands += Self.commands(adding: entry) }
      commands.append(LESetAddressResolutionEnable { $0.enable = !wanted.resolved.isEmpty })
    }
    if !wanted.resolved.isEmpty, isUncertain || wanted.rotation != told.rotation || told.resolved.isEmpty {
      commands.append(LESetResolvablePrivateAddressTimeout { $0.timeout = RPATimeout(rounding: wanted.rotation) })
    }
    if wanted.accepted != told.accepted || (isUncertain && !wanted.accepted.isEmpty) {
      commands.append(LEClearFilterAcceptList())
      for peer in wanted.accepted {
        commands.append(
          LEAddDeviceToFilterAcceptList {
            $0.addressType = peer.type
            $0.address = peer.address
          })
      }
    }
    return commands
  }

  /// In device privacy mode a peer may use its identity address too, as one does that has distributed a key and does not hide.
  private static func commands(adding entry: ResolvingEntry) -> [any HCICommand] {
    let add = LEAddDeviceToResolvingList {
      $0.peerIdentityAddressType = entry.peer.type
      $0.peerIdentityAddress = entry.peer.address
      $0.peerIRK = entry.peerKey
      $0.localIRK = entry.localKey
    }
    guard entry.peerKey != ResolvingEntry.noKey else { return [add] }
    let mode = LESetPrivacyMode {
      $0.peerIdentityAddressType = entry.peer.type
      $0.peerIdentityAddress = entry.peer.address
      $0.privacyMode = .device
    }
    return [add, mode]
  }
}
