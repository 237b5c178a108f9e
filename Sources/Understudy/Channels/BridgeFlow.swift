/// The data between a credit-based channel and a line: both directions, in order, complete, with bounded memory.
///
/// `BridgeFlow` does no input or output. Its owner reports what happened to the channel and the line, and then acts
/// on the result: sends `nextSDU`, writes `takeIncoming()`, reads the line while `wantsReading`, withholds the
/// central's credits while `wantsHold`, closes the channel at `wantsChannelClosed` and the line at `wantsLineClosed`.
struct BridgeFlow {
  /// The longest SDU that the central accepts, in octets.
  var sendMTU: Int

  /// Octets read from the line that the channel has not accepted; at most those of one read.
  private var outgoing: [UInt8] = []
  /// The number of octets at the front of `outgoing` that the channel has accepted.
  private var head = 0
  /// Whether the channel accepts nothing at present.
  private var isChannelFull = false
  private(set) var hasLineEnded = false

  /// Octets received over the channel and not yet written; at most what the central had credits for when it was held.
  private var incoming: [UInt8] = []
  private(set) var isLineOpen = false
  /// Whether written octets are queued for the line.
  private var isLineBusy = false
  /// Whether the line accepts no more octets.
  private var isLineDeaf: Bool
  private(set) var hasChannelEnded = false

  /// Creates the flow of a channel whose line is not open yet. With a read-only line, everything that the central sends is discarded.
  init(sendMTU: Int, isReadOnly: Bool = false) {
    self.sendMTU = sendMTU
    isLineDeaf = isReadOnly
  }

  // MARK: - The line

  /// Notes that the line is open.
  mutating func lineOpened() { isLineOpen = true }

  /// Adds octets read from the line.
  mutating func lineRead(_ octets: [UInt8]) {
    guard !hasChannelEnded else { return }
    outgoing.removeFirst(head)
    head = 0
    outgoing += octets
  }

  /// Notes that no more octets will come from the line, or that it could not be opened.
  mutating func lineEnded() { hasLineEnded = true }

  /// Notes that the central's octets were written. `isBusy`: some of them are still queued.
  mutating func lineWrote(isBusy: Bool) { isLineBusy = isBusy }

  /// Notes that the line accepts nothing more.
  mutating func lineRefused() {
    isLineDeaf = true
    isLineBusy = false
    incoming = []
  }

  // MARK: - The channel

  /// Adds an SDU from the central.
  mutating func received(_ sdu: [UInt8]) { if !isLineDeaf { incoming += sdu } }

  /// Notes that the channel has accepted `count` octets of `nextSDU`.
  mutating func sent(_ count: Int) {
    head += count
    guard head == outgoing.count else { return }
    outgoing.removeAll(keepingCapacity: true)
    head = 0
  }

  /// Notes that the channel accepts nothing at present.
  mutating func channelFilled() { isChannelFull = true }

  /// Notes that the channel accepts SDUs again.
  mutating func channelDrained() { isChannelFull = false }

  /// Notes that the channel has ended.
  mutating func channelEnded() {
    hasChannelEnded = true
    outgoing = []
    head = 0
  }

  // MARK: - Actions

  /// The next SDU to send; nil if there is none or the channel is full.
  var nextSDU: ArraySlice<UInt8>? {
    guard !isChannelFull, head < outgoing.count else { return nil }
    return outgoing[head..<min(head + max(sendMTU, 1), outgoing.count)]
  }

  /// Returns the octets to write next, and removes them.
  mutating func takeIncoming() -> [UInt8] {
    guard isLineOpen else { return [] }
    defer { incoming.removeAll() }
    return incoming
  }

  /// Whether to read the line.
  var wantsReading: Bool { isLineOpen && !hasLineEnded && !hasChannelEnded && outgoing.isEmpty }

  /// Whether to wait until the line accepts more.
  var wantsWriting: Bool { isLineBusy }

  /// Whether to hold the central.
  var wantsHold: Bool { !isLineDeaf && (!isLineOpen || isLineBusy) }

  /// Whether to close the channel: everything from the line has been passed to it.
  var wantsChannelClosed: Bool { hasLineEnded && outgoing.isEmpty && !hasChannelEnded }

  /// Whether to close the line: everything from the central has been written.
  var wantsLineClosed: Bool {
    hasChannelEnded && (isLineOpen || hasLineEnded || isLineDeaf) && incoming.isEmpty && !isLineBusy
  }
}
