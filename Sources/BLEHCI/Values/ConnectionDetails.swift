import BLECore

/// What is known of a connection, from its beginning on (Core 5.4 Vol 4 Part E 7.7.65.1).
public struct ConnectionDetails: Hashable, Sendable {
  /// The peer's address.
  public var peer: DeviceAddress
  /// The kind of that address.
  public var peerType: AddressType
  /// The resolvable private address that the peer used on the air, where the controller resolved it; nil when it used `peer`.
  public var peerOnAir: DeviceAddress?
  /// The resolvable private address that this side used on the air, where the controller made it.
  public var ownOnAir: DeviceAddress?
  /// The time between connection events.
  public var interval: Duration
  /// How many connection events the peripheral may skip.
  public var latency: Int
  /// The supervision timeout.
  public var timeout: Duration

  /// What a controller says of a connection that was made.
  package init(_ event: LEConnectionComplete) {
    peer = event.peerAddress
    peerType = event.peerAddressType
    interval = event.interval.duration
    latency = Int(event.latency)
    timeout = event.supervisionTimeout.duration
  }

  /// The same from a controller that knows of resolvable private addresses (7.7.65.10).
  package init(_ event: LEEnhancedConnectionComplete) {
    peer = event.peerAddress
    peerType = event.peerAddressType
    if event.peerResolvablePrivateAddress != .zero { peerOnAir = event.peerResolvablePrivateAddress }
    if event.localResolvablePrivateAddress != .zero { ownOnAir = event.localResolvablePrivateAddress }
    interval = event.interval.duration
    latency = Int(event.latency)
    timeout = event.supervisionTimeout.duration
  }

  /// Takes in new parameters (7.7.65.3).
  package mutating func update(_ event: LEConnectionUpdateComplete) {
    interval = event.interval.duration
    latency = Int(event.latency)
    timeout = event.supervisionTimeout.duration
  }
}
