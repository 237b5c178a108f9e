import BLEATT
import BLECore
import Testing

/// Core 5.4 Vol 3 Part F 3.3 and 3.4.8.
@Suite("ATT opcodes and error codes")
struct ATTOpcodeTests {
  @Test(
    "Each assigned opcode is of its kind",
    arguments: [
      (ATTOpcode.Kind.request, [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20]),
      (.response, [0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x21]),
      (.notification, [0x1B, 0x23]), (.indication, [0x1D]), (.confirmation, [0x1E]), (.command, [0x52, 0xD2]),
    ] as [(ATTOpcode.Kind, [UInt8])])
  func kinds(kind: ATTOpcode.Kind, opcodes: [UInt8]) {
    for opcode in opcodes { #expect(ATTOpcode(rawValue: opcode).kind == kind, "\(opcode)") }
  }

  @Test("An unassigned opcode is a command by its Command Flag, or else a request", arguments: UInt8.min...UInt8.max)
  func unassigned(raw: UInt8) {
    let opcode = ATTOpcode(rawValue: raw)
    #expect(opcode.isCommand == (raw & 0x40 != 0))
    guard !allATTPDUs.contains(where: { $0.opcode == opcode }) else { return }
    #expect(opcode.kind == (raw & 0x40 != 0 ? .command : .request))
    #expect(opcode.description == "ATT_0x\([raw].uppercaseHexadecimal)")
  }

  @Test("A response follows from its request's opcode")
  func pairs() {
    for type in allATTPDUs where type.opcode.kind == .request {
      #expect(ATTOpcode(rawValue: type.opcode.rawValue + 1).kind == .response, "\(type.opcode)")
    }
  }

  @Test("Opcodes have the specification's names")
  func names() {
    #expect(ATTOpcode.readByGroupTypeRequest.description == "ATT_READ_BY_GROUP_TYPE_REQ")
    #expect(ATTOpcode.signedWriteCommand.description == "ATT_SIGNED_WRITE_CMD")
    #expect(Set(allATTPDUs.map { $0.opcode.description }).count == allATTPDUs.count)
  }

  @Test(
    "Error codes print their names and numbers",
    arguments: [
      (ATTErrorCode.invalidHandle, "Invalid Handle (0x01)"), (.valueNotAllowed, "Value Not Allowed (0x13)"),
      (.outOfRange, "Out of Range (0xFF)"), (ATTErrorCode(rawValue: 0x80), "Application Error (0x80)"),
      (ATTErrorCode(rawValue: 0x9F), "Application Error (0x9F)"), (ATTErrorCode(rawValue: 0xA0), "Error (0xA0)"),
    ])
  func errors(code: ATTErrorCode, text: String) {
    #expect(code.description == text)
  }

  @Test("Error codes have the specification's numbers")
  func errorNumbers() {
    let codes: [ATTErrorCode] = [
      .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPDU, .insufficientAuthentication,
      .requestNotSupported, .invalidOffset, .insufficientAuthorization, .prepareQueueFull, .attributeNotFound,
      .attributeNotLong, .encryptionKeySizeTooShort, .invalidAttributeValueLength, .unlikelyError,
      .insufficientEncryption, .unsupportedGroupType, .insufficientResources, .databaseOutOfSync, .valueNotAllowed,
    ]
    #expect(codes.map(\.rawValue) == Array(0x01...0x13))
    let profile: [ATTErrorCode] = [
      .writeRequestRejected, .cccdImproperlyConfigured, .procedureAlreadyInProgress, .outOfRange,
    ]
    #expect(profile.map(\.rawValue) == Array(0xFC...0xFF))
  }
}
