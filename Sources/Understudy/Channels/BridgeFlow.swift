/// What goes between a credit-based channel and a line, both ways, in order and whole, with bounded memory.
///
/// It does no input or output. Its owner tells it what happened to the channel and to the line, and then brings both to where
/// they should be: sends `nextSDU`, writes `takeIncoming()`, reads the line while `wantsReading`, holds the central while
/// `wantsHold`, ends the channel at `wantsChannelClosed` and the line at `wantsLineClosed`.
struct BridgeFlow {
  /// The longest SDU that the central takes, in octets.
  var sendMTU: Int

  /// Read from the line, and not taken by the channel; at most what one read gives.
  private var outgoing: [UInt8] = []
  /// How many octets at the front of `outgoing` the channel has taken.
  private var head = 0
  /// Whether the channel takes nothing for now.
  private var isChannelFull = false
  private(set) var hasLineEnded = false

  /// Come over the channel, and not written: at most what the central had credits for when it was held.
  private var incoming: [UInt8] = []
  private(set) var isLineOpen = false
  /// Whether octets that were written wait for the line.
  private var isLineBusy = false
  /// Whether the line takes nothing ever again.
  private var isLineDeaf: Bool
  private(set) var hasChannelEnded = false

  /// A channel that has opened, before its line has. A line that is only read loses what the central sends.
  init(sendMTU: Int, isReadOnly: Bool = false) {
    self.sendMTU = sendMTU
    isLineDeaf = isReadOnly
  }

  // MARK: - The line

  /// There is a line.
  mutating func lineOpened() { isLineOpen = true }

  /// The line said something.
  mutating func lineRead(_ octets: [UInt8]) {
    guard !hasChannelEnded else { return }
    outgoing.removeFirst(head)
    head = 0
    outgoing += octets
  }

  /// The line says nothing any longer, or could not be opened.
  mutating func lineEnded() { hasLineEnded = true }

  /// What the central has sent was written; octets of it may wait.
  mutating func lineWrote(isBusy: Bool) { isLineBusy = isBusy }

  /// The line takes nothing any longer.
  mutating func lineRefused() {
    isLineDeaf = true
    isLineBusy = false
    incoming = []
  }

  // MARK: - The channel

  /// The central has sent an SDU.
  mutating func received(_ sdu: [UInt8]) { if !isLineDeaf { incoming += sdu } }

  /// The channel has taken `nextSDU`.
  mutating func sent(_ count: Int) {
    head += count
    guard head == outgoing.count else { return }
    outgoing.removeAll(keepingCapacity: true)
    head = 0
  }

  /// The channel takes nothing for now.
  mutating func channelFilled() { isChannelFull = true }

  /// The channel takes SDUs again.
  mutating func channelDrained() { isChannelFull = false }

  /// The channel is over.
  mutating func channelEnded() {
    hasChannelEnded = true
    outgoing = []
    head = 0
  }

  // MARK: - What is to be done

  /// What is to be sent next; nil when there is nothing, or the channel is full.
  var nextSDU: ArraySlice<UInt8>? {
    guard !isChannelFull, head < outgoing.count else { return nil }
    return outgoing[head..<min(head + max(sendMTU, 1), outgoing.count)]
  }

  /// What is to be written next, once.
  mutating func takeIncoming() -> [UInt8] {
    guard isLineOpen else { return [] }
    defer { incoming.removeAll() }
    return incoming
  }

  /// Whether the line is to be read.
  var wantsReading: Bool { isLineOpen && !hasLineEnded && !hasChannelEnded && outgoing.isEmpty }

  /// Whether the line is to be waited for until it takes more.
  var wantsWriting: Bool { isLineBusy }

  /// Whether the central is to be held.
  var wantsHold: Bool { !isLineDeaf && (!isLineOpen || isLineBusy) }

  /// Whether the channel is to be closed: everything that the line said has been given to it.
  var wantsChannelClosed: Bool { hasLineEnded && outgoing.isEmpty && !hasChannelEnded }

  /// Whether the line is to be closed: everything that the central sent has been written.
  var wantsLineClosed: Bool {
    hasChannelEnded && (isLineOpen || hasLineEnded || isLineDeaf) && incoming.isEmpty && !isLineBusy
  }
}
