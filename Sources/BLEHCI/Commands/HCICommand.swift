import BLECore

/// The parameters of an HCI command (Core 5.4 Vol 4 Part E 5.4.1, 7).
public protocol HCICommand: OctetLayout, Equatable {
  /// The opcode.
  static var opcode: CommandOpcode { get }
}

/// A command that the controller answers with Command Complete and return parameters.
package protocol HCISyncCommand: HCICommand {
  /// The type of the return parameters.
  associatedtype ReturnParameters: HCIReturnParameters
}

/// A command that the controller answers at once with Command Status. An event reports the result later.
package protocol HCIAsyncCommand: HCICommand {}

/// The return parameters of a command in Command Complete: a status, followed by more if the status is success.
package protocol HCIReturnParameters: OctetLayout, Equatable {
  /// Success or the error.
  var status: ErrorCode { get set }
}

extension HCICommand {
  /// Creates the command with the fields that `configure` sets. The others keep their defaults.
  public init(_ configure: (inout Self) -> Void) {
    self.init()
    configure(&self)
  }

  /// Appends the whole packet: H4 type, opcode, length, parameters. Truncates the parameters to 255 octets, so that the stream stays in
  /// sync.
  public func encodeH4(into buffer: inout OctetBuffer) {
    buffer.append(H4PacketType.command.rawValue)
    buffer.append(littleEndian: Self.opcode.rawValue)
    buffer.appendWithLength { parameters in encode(into: &parameters) }
  }

  /// The whole packet: H4 type, opcode, length, parameters.
  public var h4: [UInt8] {
    var buffer = OctetBuffer(minimumCapacity: 64)
    encodeH4(into: &buffer)
    return buffer.copy()
  }
}

extension HCIReturnParameters {
  /// Creates the return parameters with the fields that `configure` sets. The others keep their defaults.
  package init(_ configure: (inout Self) -> Void) {
    self.init()
    configure(&self)
  }

  /// Creates the return parameters of a failed command: the status only.
  package init(status: ErrorCode) {
    self.init()
    self.status = status
  }
}

extension HCISyncCommand {
  /// Decodes the return parameters from a Command Complete event. After a failure the controller may return only the status. Octets after
  /// the parameters are ignored, because newer versions of a controller may return more.
  package static func returned(_ octets: Span<UInt8>) throws(LayoutFault) -> ReturnParameters {
    if octets.count > 0, octets[0] != ErrorCode.success.rawValue {
      let failure = ReturnParameters(status: ErrorCode(rawValue: octets[0]))
      return (try? ReturnParameters.decodePrefix(of: octets).value) ?? failure
    }
    return try ReturnParameters.decodePrefix(of: octets).value
  }
}

/// Return parameters with only a status.
package struct StatusReturn: HCIReturnParameters {
  package var status = ErrorCode.success

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
  }
}

/// Return parameters with a status and the connection.
package struct ConnectionReturn: HCIReturnParameters {
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Return parameters with a status and the peer.
package struct AddressReturn: HCIReturnParameters {
  package var status = ErrorCode.success
  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.address("BD_ADDR", &address)
  }
}

extension OctetBuffer {
  /// Appends a one-octet length and then what `write` appends, truncated to 255 octets.
  mutating func appendWithLength(_ write: (inout OctetBuffer) -> Void) {
    let place = count
    append(0 as UInt8)
    write(&self)
    if count - place - 1 > 255 { truncate(to: place + 1 + 255) }
    self[place] = UInt8(truncatingIfNeeded: count - place - 1)
  }
}
