import BLEATT
import BLECore
import Testing

/// The octets of each PDU according to Core 5.4 Vol 3 Part F 3.4.
@Suite("ATT PDUs, octet by octet")
struct ATTGoldenTests {
  private func check<PDU: ATTPDU & Equatable>(
    _ pdu: PDU, _ hexadecimal: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let octets = [UInt8](hexadecimal: hexadecimal) ?? []
    #expect(pdu.encodedPDU == octets, sourceLocation: sourceLocation)
    let decoded = try? PDU(decodingPDU: octets.span)
    #expect(decoded == pdu, sourceLocation: sourceLocation)
  }

  private let vendor = BluetoothUUID(high: 0xABDD_3056_28FA_441D, low: 0xA470_55A7_5A52_553A)
  private let vendorOctets = "3a55525aa75570a41d44fa285630ddab"

  @Test("3.4.1 Error handling")
  func error() {
    check(ErrorResponse(request: .readRequest, handle: 0x1234, error: .invalidHandle), "01 0a 3412 01")
    check(ErrorResponse(request: ATTOpcode(rawValue: 0x3F), handle: 0, error: .requestNotSupported), "01 3f 0000 06")
  }

  @Test("3.4.2 MTU exchange")
  func mtu() {
    check(ExchangeMTURequest(clientMTU: 517), "02 0502")
    check(ExchangeMTUResponse(serverMTU: 23), "03 1700")
  }

  @Test("3.4.3 Find information")
  func find() {
    check(FindInformationRequest(start: 1, end: 0xFFFF), "04 0100 ffff")
    check(FindInformationResponse(format: 1, information: [1, 0, 0, 0x28]), "05 01 0100 0028")
    check(FindByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: [0x0D, 0x18]), "06 0100 ffff 0028 0d18")
    check(
      FindByTypeValueResponse(handles: [.init(found: 1, groupEnd: 5), .init(found: 0x10, groupEnd: 0x2F)]),
      "07 0100 0500 1000 2f00")
  }

  @Test("3.4.4 Reading attributes")
  func read() {
    check(ReadByTypeRequest(start: 1, end: 0xFFFF, type: .init(0x2803)), "08 0100 ffff 0328")
    check(ReadByTypeRequest(start: 1, end: 2, type: vendor), "08 0100 0200 " + vendorOctets)
    check(ReadByTypeResponse(length: 3, data: [3, 0, 9]), "09 03 0300 09")
    check(ReadRequest(handle: 0x0003), "0a 0300")
    check(ReadResponse(value: [1, 2, 3]), "0b 010203")
    check(ReadResponse(value: []), "0b")
    check(ReadBlobRequest(handle: 3, offset: 22), "0c 0300 1600")
    check(ReadBlobResponse(value: [7]), "0d 07")
    check(ReadMultipleRequest(handles: [.init(handle: 3), .init(handle: 5)]), "0e 0300 0500")
    check(ReadMultipleResponse(values: [1, 2]), "0f 0102")
    check(ReadByGroupTypeRequest(start: 1, end: 0xFFFF, type: .init(0x2800)), "10 0100 ffff 0028")
    check(ReadByGroupTypeRequest(start: 1, end: 2, type: vendor), "10 0100 0200 " + vendorOctets)
    check(ReadByGroupTypeResponse(length: 6, data: [1, 0, 5, 0, 0, 0x18]), "11 06 0100 0500 0018")
    check(ReadMultipleVariableRequest(handles: [.init(handle: 3), .init(handle: 5)]), "20 0300 0500")
    check(ReadMultipleVariableResponse(values: [1, 0, 9, 0, 0]), "21 0100 09 0000")
  }

  @Test("3.4.5 Writing attributes")
  func write() {
    check(WriteRequest(handle: 3, value: [1, 2, 3]), "12 0300 010203")
    check(WriteRequest(handle: 3, value: []), "12 0300")
    check(WriteResponse(), "13")
    check(WriteCommand(handle: 3, value: [1]), "52 0300 01")
    check(
      SignedWriteCommand(handle: 3, valueAndSignature: [1] + Array(repeating: 0xEE, count: 12)),
      "d2 0300 01 eeeeeeeeeeeeeeeeeeeeeeee")
  }

  @Test("3.4.6 Queued writes")
  func queuedWrites() {
    check(PrepareWriteRequest(handle: 3, offset: 18, value: [1]), "16 0300 1200 01")
    check(PrepareWriteResponse(handle: 3, offset: 18, value: [1]), "17 0300 1200 01")
    check(ExecuteWriteRequest(flags: 1), "18 01")
    check(ExecuteWriteRequest(flags: 0), "18 00")
    check(ExecuteWriteResponse(), "19")
  }

  @Test("3.4.7 Server initiated")
  func serverInitiated() {
    check(HandleValueNotification(handle: 3, value: [1, 2]), "1b 0300 0102")
    check(HandleValueIndication(handle: 3, value: [1, 2]), "1d 0300 0102")
    check(HandleValueConfirmation(), "1e")
    check(MultipleHandleValueNotification(tuples: [3, 0, 1, 0, 9]), "23 0300 0100 09")
  }
}
