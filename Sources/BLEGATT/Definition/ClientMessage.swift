/// A value that an application sends to a single client, apart from the characteristic's value that all clients get: for example the
/// response of a control point, or a part of it.
public struct ClientMessage: Hashable, Sendable {
  /// The characteristic to notify or indicate.
  public var characteristic: CharacteristicIndex
  /// The octets, truncated to the client's MTU.
  public var value: [UInt8]
  /// Whether it is indicated, and so confirmed by the client; otherwise it is notified.
  public var isIndication: Bool

  /// Creates a message with this value.
  public init(characteristic: CharacteristicIndex, value: [UInt8], isIndication: Bool) {
    self.characteristic = characteristic
    self.value = value
    self.isIndication = isIndication
  }
}
