import BLECore

/// The part of an application that uses the servers of its peers. By default it does nothing.
///
/// The host calls it when a deadline of the application is due, and with every event of the client of a peer's server. `peer` identifies
/// the server.
public protocol ClientApplication: Sendable {
  /// Called when a peer has connected.
  mutating func clientArrived(_ client: ClientID, at now: Instant)

  /// Returns whether an operation on a peer's server is due. Called at every deadline of the application.
  func wantsClient(of peer: ClientID, at now: Instant) -> Bool

  /// Performs the operations that are due on a peer's server.
  mutating func useClient(
    _ client: inout GATTClient, of peer: ClientID, at now: Instant, into out: inout GATTClientOutput)

  /// Called with an event of the client of a peer's server, which may be used at once.
  mutating func clientReported(
    _ event: GATTClientEvent, _ client: inout GATTClient, of peer: ClientID, at now: Instant,
    into out: inout GATTClientOutput, actions: inout [ApplicationAction])
}

// The default implementations are documented at the requirements of the protocol.
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
