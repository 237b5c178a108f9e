import BLECore

/// What an application does with the servers of its peers. Without methods of its own, nothing.
///
/// The host asks when a deadline of the application has come, and tells it everything that a link's client reports. `link` is the
/// connection handle.
public protocol ClientApplication: Sendable {
  /// A link was made.
  mutating func linkOpened(_ link: UInt16, at now: Instant)

  /// Whether something is due on a link's client; asked whenever a deadline of the application has come.
  func wantsClient(of link: UInt16, at now: Instant) -> Bool

  /// Does what is due on a link's client.
  mutating func useClient(
    _ client: inout GATTClient, of link: UInt16, at now: Instant, into out: inout GATTClientOutput)

  /// A link's client has something to report; it may be used at once.
  mutating func clientReported(
    _ event: GATTClientEvent, _ client: inout GATTClient, of link: UInt16, at now: Instant,
    into out: inout GATTClientOutput, actions: inout [ApplicationAction])
}

extension ClientApplication {
  public mutating func linkOpened(_ link: UInt16, at now: Instant) {}

  public func wantsClient(of link: UInt16, at now: Instant) -> Bool { false }

  public mutating func useClient(
    _ client: inout GATTClient, of link: UInt16, at now: Instant, into out: inout GATTClientOutput
  ) {}

  public mutating func clientReported(
    _ event: GATTClientEvent, _ client: inout GATTClient, of link: UInt16, at now: Instant,
    into out: inout GATTClientOutput, actions: inout [ApplicationAction]
  ) {}
}
