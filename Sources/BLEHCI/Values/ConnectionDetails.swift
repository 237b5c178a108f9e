import BLECore

/// The details of a connection (Core 5.4 Vol 4 Part E 7.7.65.1).
public struct ConnectionDetails: Hashable, Sendable {
  /// The physical transport.
  public var transport = LinkTransport.le
  /// The peer's address.
  public var peer: DeviceAddress
  /// The type of that address.
  public var peerType: AddressType
  /// The resolvable private address that the peer used on the air, if the controller resolved it; nil if the peer used `peer`.
  public var peerOnAir: DeviceAddress?
  /// The local resolvable private address used on the air, if the controller generated it.
  public var ownOnAir: DeviceAddress?
  /// The time between connection events; zero on BR/EDR.
  public var interval: Duration
  /// The number of connection events that the peripheral may skip.
  public var latency: Int
  /// The supervision timeout; on BR/EDR the default of the specification (Core 5.4 Vol 4 Part E 6.21).
  public var timeout: Duration

  /// Creates the details from a connection complete event.
  package init(_ event: LEConnectionComplete) {
    peer = event.peerAddress
    peerType = event.peerAddressType
    interval = event.interval.duration
    latency = Int(event.latency)
    timeout = event.supervisionTimeout.duration
  }

  /// Creates the details from a controller that supports resolvable private addresses (7.7.65.10).
  package init(_ event: LEEnhancedConnectionComplete) {
    peer = event.peerAddress
    peerType = event.peerAddressType
    if event.peerResolvablePrivateAddress != .zero { peerOnAir = event.peerResolvablePrivateAddress }
    if event.localResolvablePrivateAddress != .zero { ownOnAir = event.localResolvablePrivateAddress }
    interval = event.interval.duration
    latency = Int(event.latency)
    timeout = event.supervisionTimeout.duration
  }

  /// Creates the details of a connection over BR/EDR (7.7.3).
  package init(_ event: HCIConnectionComplete) {
    transport = .classic
    peer = event.address
    peerType = .publicDevice
    interval = .zero
    latency = 0
    timeout = .seconds(20)
  }

  /// Applies new parameters (7.7.65.3).
  package mutating func update(_ event: LEConnectionUpdateComplete) {
    interval = event.interval.duration
    latency = Int(event.latency)
    timeout = event.supervisionTimeout.duration
  }
}
