import BLECore
import BLEHCI

/// Brings the lists of a controller up to date. They cannot be changed while advertising goes by them (Core 5.4 Vol 4 Part E 7.8.15,
/// 7.8.38), so whoever advertises pauses for it.
struct PeerListUpdate: Sendable {
  var wanted = PeerLists()
  /// What the controller has.
  private var applied = PeerLists()
  /// The commands that are left of the change under way, and what it leads to.
  private var steps: [any HCICommand] = []
  private var goal: PeerLists?
  /// Whether a command was given and not answered.
  private(set) var isBusy = false
  /// Whether a command was lost, so that nothing is certain.
  private var isUncertain = false

  /// Whether the controller does not have what is wanted.
  var isStale: Bool { isUncertain || goal != nil || wanted != applied }

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
    if let goal { applied = goal }
    goal = nil
  }

  private var commands: [any HCICommand] {
    var commands: [any HCICommand] = []
    if wanted.resolved != applied.resolved || (isUncertain && !wanted.resolved.isEmpty) {
      commands.append(LEClearResolvingList())
      for entry in wanted.resolved { commands += Self.commands(adding: entry) }
      commands.append(LESetAddressResolutionEnable { $0.enable = !wanted.resolved.isEmpty })
    }
    if !wanted.resolved.isEmpty, isUncertain || wanted.rotation != applied.rotation || applied.resolved.isEmpty {
      commands.append(LESetResolvablePrivateAddressTimeout { $0.timeout = RPATimeout(rounding: wanted.rotation) })
    }
    if wanted.accepted != applied.accepted || (isUncertain && !wanted.accepted.isEmpty) {
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
