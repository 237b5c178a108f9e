import BLECore

/// An Attribute Protocol PDU: its opcode and the fields after it (Core 5.4 Vol 3 Part F 3.3).
public protocol ATTPDU: OctetLayout {
  /// The opcode.
  static var opcode: ATTOpcode { get }
}

extension ATTPDU {
  /// Appends the opcode and the fields.
  public func encodePDU(into buffer: inout OctetBuffer) {
    buffer.append(Self.opcode.rawValue)
    encode(into: &buffer)
  }

  /// The opcode and the fields.
  public var encodedPDU: [UInt8] { [Self.opcode.rawValue] + encoded }

  /// Decodes a whole PDU, including the opcode; nil for another opcode.
  public init?(decodingPDU octets: Span<UInt8>) throws(LayoutFault) {
    guard octets.count > 0, octets[0] == Self.opcode.rawValue else { return nil }
    self = try Self(decoding: octets.extracting(1...))
  }
}

/// All PDU types of this target, for the decoder and for tests that cover all of them.
public let allATTPDUs: [any ATTPDU.Type] = [
  ErrorResponse.self, ExchangeMTURequest.self, ExchangeMTUResponse.self, FindInformationRequest.self,
  FindInformationResponse.self, FindByTypeValueRequest.self, FindByTypeValueResponse.self, ReadByTypeRequest.self,
  ReadByTypeResponse.self, ReadRequest.self, ReadResponse.self, ReadBlobRequest.self, ReadBlobResponse.self,
  ReadMultipleRequest.self, ReadMultipleResponse.self, ReadByGroupTypeRequest.self, ReadByGroupTypeResponse.self,
  WriteRequest.self, WriteResponse.self, PrepareWriteRequest.self, PrepareWriteResponse.self,
  ExecuteWriteRequest.self, ExecuteWriteResponse.self, HandleValueNotification.self, HandleValueIndication.self,
  HandleValueConfirmation.self, ReadMultipleVariableRequest.self, ReadMultipleVariableResponse.self,
  MultipleHandleValueNotification.self, WriteCommand.self, SignedWriteCommand.self,
]
