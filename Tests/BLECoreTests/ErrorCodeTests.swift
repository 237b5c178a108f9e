import BLECore
import Testing

/// Core 5.4 Vol 1 Part F 1.3.
@Suite("Controller error codes")
struct ErrorCodeTests {
  @Test(
    "A code prints its name and its number",
    arguments: [
      (ErrorCode.success, "Success (0x00)"), (.connectionTimeout, "Connection Timeout (0x08)"),
      (.remoteUserTerminatedConnection, "Remote User Terminated Connection (0x13)"),
      (.connectionFailedToBeEstablished, "Connection Failed to be Established (0x3E)"),
      (ErrorCode(rawValue: 0xEE), "Error (0xEE)"),
    ])
  func describes(code: ErrorCode, text: String) {
    #expect(code.description == text)
  }

  @Test("Every number is a code", arguments: UInt8.min...UInt8.max)
  func open(raw: UInt8) {
    #expect(ErrorCode(rawValue: raw).rawValue == raw)
    #expect(ErrorCode(rawValue: raw).description.hasSuffix("(0x\([raw].uppercaseHexadecimal))"))
  }
}
