/// A value that an application sends to one client, beside the value of the characteristic that everybody gets: the answer of a
/// control point, or a part of it.
public struct ClientMessage: Hashable, Sendable {
  /// The characteristic whose notification or indication it is.
  public var characteristic: CharacteristicIndex
  /// The octets; what is longer than the client's MTU lets is cut.
  public var value: [UInt8]
  /// Whether it is indicated, so that the client confirms it; otherwise it is notified.
  public var isIndication: Bool

  /// A message with that value.
  public init(characteristic: CharacteristicIndex, value: [UInt8], isIndication: Bool) {
    self.characteristic = characteristic
    self.value = value
    self.isIndication = isIndication
  }
}
