import BLECore
import Transport

/// A channel, its line, and the data between them. Owned by the accessory.
final class ChannelBridge {
  /// Identifies the bridge during its whole life, which can outlast its channel.
  let number: Int
  /// The channel. After it has ended, another channel can have the same identity.
  let channel: BridgedChannel
  /// The line's address.
  let place: String
  var flow: BridgeFlow
  var line: Line?
  /// The line's terminal, and the identity under which `TerminalVisits` reports that a program opens it.
  var terminal: (PseudoTerminal, TerminalVisits.ID)?
  var watch: (id: WatchID, interest: PollEvents)?
  /// Whether the host was asked to hold the central (`isHeld`) and to close the channel (`isClosing`).
  var isHeld = false
  var isClosing = false
  /// Whether everything is written, and only the end of the other side is awaited.
  var isParting = false
  /// How often the line accepted something, in total (`progress`) and at the last check (`knownProgress`): distinguishes slow from stuck.
  var progress = 0
  var knownProgress = 0
  /// The timer of the bridge after its channel has ended.
  var timer: TimerID?
  /// Until when the program at a terminal may read (`patienceEnds`), and how many consecutive checks found nothing unread (`emptyLooks`).
  var patienceEnds: Instant?
  var emptyLooks = 0

  init(number: Int, channel: BridgedChannel, place: String, flow: BridgeFlow) {
    self.number = number
    self.channel = channel
    self.place = place
    self.flow = flow
  }
}
