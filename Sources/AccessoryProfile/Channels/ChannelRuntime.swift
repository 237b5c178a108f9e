import BLECore
import BLEL2CAP

/// Runs the handlers of published channels that need no input or output: echo, sink, source and rules. Data received on other channels are
/// left to the owner of the host.
struct ChannelRuntime: Sendable {
  /// The handlers of the published channels, by PSM.
  var handlers: [SPSM: ChannelHandler] = [:]
  /// The time at which `advance` next has something to do.
  private(set) var nextDeadline: Instant?
  private var open: [OpenChannel] = []
  /// Closed channels with sinks, until their owner asks for the result.
  private var endedSinks: [OpenChannel] = []
  private static let endedSinkLimit = 64
  private let seed: UInt64

  /// An open channel.
  private struct OpenChannel: Sendable {
    let client: ClientID
    let id: ChannelID
    let sendMTU: Int
    var handler: Handler

    enum Handler: Sendable {
      case echo(ChannelEcho)
      case sink(ChannelSink)
      case source(SourceProgress)
      case outlet(ChannelOutlet)
    }

    /// The handler that sends the data transmitted by rules; nil for any other handler.
    var outlet: ChannelOutlet? { if case .outlet(let outlet) = handler { outlet } else { nil } }

    /// The time at which the handler next has something to do.
    var deadline: Instant? {
      switch handler {
      case .echo: nil
      case .sink(let sink): sink.resumption
      case .source(let source): source.resumption
      case .outlet(let outlet): outlet.due
      }
    }
  }

  /// The number of open channels that it handles.
  var count: Int { open.count }

  /// Creates a runtime without channels. `seed` is for random octets.
  init(seed: UInt64) { self.seed = seed }

  /// Returns what a channel's sink has received so far; nil for channels with another handler.
  func received(on channel: ChannelID, of client: ClientID) -> ChannelSink? {
    guard let index = index(of: channel, on: client), case .sink(let sink) = open[index].handler else { return nil }
    return sink
  }

  // MARK: - Data from rules

  /// Returns whether the client has the channel of that name open.
  func isOpen(_ name: String, on client: ClientID) -> Bool {
    open.contains { $0.client == client && $0.outlet?.channel == name }
  }

  /// Queues octets on the channel of that name, of one client or of all. They are sent in the next turn. Returns the reason if they cannot
  /// be queued.
  mutating func transmit(_ octets: [UInt8], on name: String, of client: ClientID?, at now: Instant) -> String? {
    let meant = open.indices.filter { open[$0].outlet?.channel == name && client ?? open[$0].client == open[$0].client }
    if meant.isEmpty { return "no channel is open" }
    var isTaken = true
    for index in meant {
      guard var outlet = open[index].outlet else { continue }
      if !outlet.take(octets, sendMTU: open[index].sendMTU, at: now) { isTaken = false }
      open[index].handler = .outlet(outlet)
    }
    updateDeadline()
    return isTaken ? nil : "more than \(ChannelOutlet.limit) octets are waiting"
  }

  // MARK: - Channel lifecycle

  mutating func opened(_ channel: ChannelStatus, on client: ClientID, in channels: inout LinkChannels, at now: Instant)
  {
    let handler: OpenChannel.Handler
    switch channel.isIncoming ? handlers[channel.psm] : nil {
    case .echo: handler = .echo(ChannelEcho())
    case .sink(let rate, let hashes):
      handler = .sink(ChannelSink(pace: rate.map { Pace(octetsPerSecond: $0, startingAt: now) }, hashes: hashes))
    case .source(let source):
      let stream = UInt64(client.rawValue) << 16 | UInt64(channel.id.rawValue)
      handler = .source(SourceProgress(source, random: SplitMix64(seed: seed, stream: stream), startingAt: now))
    case .rules(let name): handler = .outlet(ChannelOutlet(channel: name))
    case .file, .tcp, .unix, .pty, nil: return
    }
    open.append(OpenChannel(client: client, id: channel.id, sendMTU: channel.sendMTU, handler: handler))
    feed(open.count - 1, in: &channels, at: now)
  }

  mutating func received(
    _ sdu: Span<UInt8>, on channel: ChannelID, of client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) -> SDUReception {
    guard let index = index(of: channel, on: client) else { return .forwarded }
    switch open[index].handler {
    case .echo(var echo):
      echo.take(sdu, sendMTU: open[index].sendMTU, on: channel, in: &channels)
      open[index].handler = .echo(echo)
    case .sink(var sink):
      sink.take(sdu, on: channel, in: &channels, at: now)
      open[index].handler = .sink(sink)
      if sink.resumption != nil { updateDeadline() }
    case .source, .outlet: break
    }
    return .taken
  }

  mutating func maySend(
    _ channel: ChannelID, on client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) -> SDUReception {
    guard let index = index(of: channel, on: client) else { return .forwarded }
    feed(index, in: &channels, at: now)
    return .taken
  }

  mutating func closed(_ channel: ChannelID, on client: ClientID) {
    guard let index = index(of: channel, on: client) else { return }
    let ended = open.remove(at: index)
    if case .sink = ended.handler { endedSinks.append(ended) }
    if endedSinks.count > Self.endedSinkLimit { endedSinks.removeFirst() }
    updateDeadline()
  }

  /// Returns what the sink of a closed channel received, once.
  mutating func takeSink(of channel: ChannelID, on client: ClientID) -> ChannelSink? {
    guard let index = endedSinks.firstIndex(where: { $0.id == channel && $0.client == client }),
      case .sink(let sink) = endedSinks.remove(at: index).handler
    else { return nil }
    return sink
  }

  mutating func advance(on client: ClientID, in channels: inout LinkChannels, at now: Instant) {
    for index in open.indices where open[index].client == client && open[index].deadline.map({ $0 <= now }) ?? false {
      feed(index, in: &channels, at: now)
    }
    updateDeadline()
  }

  /// Lets a handler continue with what it could not do before.
  private mutating func feed(_ index: Int, in channels: inout LinkChannels, at now: Instant) {
    let id = open[index].id
    switch open[index].handler {
    case .echo(var echo):
      echo.resume(on: id, in: &channels)
      open[index].handler = .echo(echo)
    case .sink(var sink):
      sink.resume(on: id, in: &channels, at: now)
      open[index].handler = .sink(sink)
    case .source(var source):
      source.send(sendMTU: open[index].sendMTU, on: id, in: &channels, at: now)
      open[index].handler = .source(source)
      updateDeadline()
    case .outlet(var outlet):
      outlet.send(on: id, in: &channels)
      open[index].handler = .outlet(outlet)
      updateDeadline()
    }
  }

  private func index(of channel: ChannelID, on client: ClientID) -> Int? {
    for index in open.indices where open[index].id == channel && open[index].client == client { return index }
    return nil
  }

  private mutating func updateDeadline() {
    nextDeadline = open.reduce(nil) { Instant.earliest($0, $1.deadline) }
  }
}

extension ProfileRuntime: ChannelApplication {
  package mutating func channelOpened(
    _ channel: ChannelStatus, on client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) {
    self.channels.opened(channel, on: client, in: &channels, at: now)
  }

  package mutating func received(
    _ sdu: Span<UInt8>, on channel: ChannelID, of client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) -> SDUReception {
    self.channels.received(sdu, on: channel, of: client, in: &channels, at: now)
  }

  package mutating func channelMaySend(
    _ channel: ChannelID, on client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) -> SDUReception {
    self.channels.maySend(channel, on: client, in: &channels, at: now)
  }

  package mutating func channelClosed(_ channel: ChannelID, on client: ClientID) {
    channels.closed(channel, on: client)
  }

  package var nextChannelDeadline: Instant? { channels.nextDeadline }

  package mutating func advanceChannels(on client: ClientID, in channels: inout LinkChannels, at now: Instant) {
    self.channels.advance(on: client, in: &channels, at: now)
  }

  /// The number of clients and channels with state in this runtime; zero without links.
  package var heldClients: Int { sessions.count + channels.count }

  /// Sets the handler of a PSM; nil for none.
  package mutating func setHandler(_ handler: ChannelHandler?, of psm: SPSM) { channels.handlers[psm] = handler }

  /// Returns what the sink of a closed channel received, once.
  package mutating func takeSink(of channel: ChannelID, on client: ClientID) -> ChannelSink? {
    channels.takeSink(of: channel, on: client)
  }

  /// Returns what a channel's sink has received so far; nil for channels with another handler.
  package func received(on channel: ChannelID, of client: ClientID) -> ChannelSink? {
    channels.received(on: channel, of: client)
  }
}
