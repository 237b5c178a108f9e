import BLECore

/// What an application does with the servers of its peers. Without methods of its own, nothing.
///
/// The host asks when a deadline of the application has come, and tells it everything that the client of a peer's server reports.
/// `peer` says whose server that is.
public protocol ClientApplication: Sendable {
  /// A peer has connected.
  mutating func clientArrived(_ client: ClientID, at now: Instant)

  /// Whether something is due on the server of a peer; asked whenever a deadline of the application has come.
  func wantsClient(of peer: ClientID, at now: Instant) -> Bool

  /// Does what is due on the server of a peer.
  mutating func useClient(
    _ client: inout GATTClient, of peer: ClientID, at now: Instant, into out: inout GATTClientOutput)

  /// The client of a peer's server has something to report; it may be used at once.
  mutating func clientReported(
    _ event: GATTClientEvent, _ client: inout GATTClient, of peer: ClientID, at now: Instant,
    into out: inout GATTClientOutput, actions: inout [ApplicationAction])
}

// These are documented where they are required.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ClientApplication {
  public mutating func clientArrived(_ client: ClientID, at now: Instant) {}

  public func wantsClient(of peer: ClientID, at now: Instant) -> Bool { false }

  public mutating func useClient(
    _ client: inout GATTClient, of peer: ClientID, at now: Instant, into out: inout GATTClientOutput
  ) {}

  public mutating func clientReported(
    _ event: GATTClientEvent, _ client: inout GATTClient, of peer: ClientID, at now: Instant,
    into out: inout GATTClientOutput, actions: inout [ApplicationAction]
  ) {}
}
