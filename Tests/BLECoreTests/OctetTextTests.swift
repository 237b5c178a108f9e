import Testing

@testable import BLECore

@Suite("Text in a buffer of octets")
struct OctetTextTests {
  @Test(
    "numbers have at least their width", arguments: [(0, 1, "0"), (7, 2, "07"), (-12, 3, "-012"), (1234, 2, "1234")])
  func decimal(number: Int64, width: Int, expected: String) {
    #expect(String { $0.append(decimal: number, width: width) } == expected)
  }

  @Test("the smallest and the largest number")
  func extremes() {
    #expect(String { $0.append(decimal: Int64.min) } == "\(Int64.min)")
    #expect(String { $0.append(decimal: UInt64.max) } == "\(UInt64.max)")
    #expect(String { $0.append(hexadecimalNumber: UInt64.max, width: 4) } == "0xFFFFFFFFFFFFFFFF")
    #expect(String { $0.append(hexadecimalNumber: 1, width: 18) } == "0x000000000000000001")
  }

  @Test("octets are shown in their order, numbers and addresses from their last octet")
  func hexadecimal() {
    let octets: [UInt8] = [0x0A, 0xBC]
    #expect(String { $0.append(hexadecimal: octets[...]) } == "0abc")
    #expect(String { $0.append(hexadecimalNumber: octets[...]) } == "0xBC0A")
    #expect(String(hexadecimalNumber: octets[...]) == "0xBC0A")
    #expect(String { $0.append(DeviceAddress(bits: 0xC464_E300_0001)) } == "C4:64:E3:00:00:01")
  }

  @Test("text is padded to a width, but never cut off", arguments: [(5, "né   |"), (2, "né|")])
  func padding(width: Int, expected: String) {
    let text = String { buffer in
      buffer.append("> ")
      let start = buffer.count
      buffer.append("né")
      // The width is in octets: an é has two.
      buffer.pad(from: start, to: width + 1)
      buffer.append("|")
    }
    #expect(text == "> " + expected)
  }

  @Test("only the text after a place is replaced, checked and removed")
  func tail() {
    var buffer = OctetBuffer()
    buffer.append("a_\n")
    let start = buffer.count
    buffer.append("b_c")
    buffer.replace(UInt8(ascii: "_"), with: UInt8(ascii: " "), from: start)
    let isPrintable = (buffer.isPrintable(from: 0), buffer.isPrintable(from: start))
    #expect(isPrintable == (false, true))
    let text = buffer.removeText(from: start)
    #expect(text == "b c")
    #expect(buffer.copy() == Array("a_\n".utf8))
  }

  @Test(
    "JSON escapes quotation marks, control characters, and characters that change the writing direction",
    arguments: [
      ("plain", #""plain""#), ("\"\\\n\r\t", #""\"\\\n\r\t""#), ("\u{1B}é\u{202E}", #""\u001bé\u202e""#), ("", #""""#),
    ])
  func quoted(text: String, expected: String) {
    #expect(String { $0.append(quoted: text) } == expected)
  }

  @Test("keys of an object are separated by commas")
  func keys() {
    let text = String { json in
      json.append("{")
      for name in ["a", "b"] {
        json.appendKey(name)
        json.append(decimal: Int64(1))
      }
      json.append("}")
    }
    #expect(text == #"{"a":1,"b":1}"#)
  }
}
