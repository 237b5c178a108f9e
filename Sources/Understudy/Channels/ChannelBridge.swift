import BLECore
import Transport

/// A channel, the line behind it, and what goes between them. It belongs to the accessory.
final class ChannelBridge {
  /// Names it as long as it lives, which may be longer than its channel does.
  let number: Int
  /// The channel; another one may have its name once it has ended.
  let channel: BridgedChannel
  /// Where the line leads to.
  let place: String
  var flow: BridgeFlow
  var line: Line?
  /// The terminal that the line is of, and by what it is known when a program opens it.
  var terminal: (PseudoTerminal, TerminalVisits.ID)?
  var watch: (id: WatchID, interest: PollEvents)?
  /// Whether the host was told to hold the central, and to close the channel.
  var isHeld = false
  var isClosing = false
  /// Whether everything is written, and only the other side's end is waited for.
  var isParting = false
  /// How often the line took something, and how often when that was looked at last: to tell slow from stuck.
  var progress = 0
  var knownProgress = 0
  /// What the bridge waits for once its channel has ended.
  var timer: TimerID?
  /// Until when the program at a terminal may read, and how often in turn there was nothing left for it.
  var patienceEnds: Instant?
  var emptyLooks = 0

  init(number: Int, channel: BridgedChannel, place: String, flow: BridgeFlow) {
    self.number = number
    self.channel = channel
    self.place = place
    self.flow = flow
  }
}
