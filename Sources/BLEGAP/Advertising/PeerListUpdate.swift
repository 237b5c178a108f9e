import BLECore
import BLEHCI

/// Updates the lists of peers in a controller. They cannot be changed while advertising uses them (Core 5.4 Vol 4 Part E 7.8.15, 7.8.38),
/// so advertising pauses meanwhile.
struct PeerListUpdate: Sendable {
  var wanted = PeerLists()
  /// The lists that the controller has.
  private var applied = PeerLists()
  /// The remaining commands of the change in progress, and its result.
  private var steps: [any HCICommand] = []
  private var goal: PeerLists?
  /// Whether a command was lost, so that the controller's lists are uncertain.
  private var isUncertain = false

  /// Whether the controller's lists are not the wanted ones.
  var isStale: Bool { isUncertain || goal != nil || wanted != applied }

  /// Returns the next command; nil when the lists are up to date. Called while no command is in progress.
  mutating func nextCommand() -> (any HCICommand)? {
    if goal == nil, isStale {
      steps = commands
      goal = wanted
      isUncertain = false
    }
    guard !steps.isEmpty else {
      finish()
      return nil
    }
    return steps.removeFirst()
  }

  /// Processes the answer to the command. Returns false when it was refused. The refused lists count as applied, so that they are not
  /// sent again.
  mutating func answered(_ status: ErrorCode) -> Bool {
    guard status == .success else {
      // The owner has to choose other lists.
      steps = []
      finish()
      return false
    }
    if steps.isEmpty { finish() }
    return true
  }

  /// Handles a command that was not answered: all lists are sent from the beginning.
  mutating func commandLost() {
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

  /// Returns the commands that add an entry. In device privacy mode a peer may use its identity address too, as a peer does that has
  /// distributed a key but does not use privacy.
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
