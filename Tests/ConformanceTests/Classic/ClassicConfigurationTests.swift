import BLECore
import BLEL2CAP
import Testing

/// The groups L2CAP/COS/CFD, IEX and ECH, L2CAP/EXF and FIX over BR/EDR: the configuration of channels, and what every link answers (Core 5.4
/// Vol 3 Part A 4.4, 4.5, 4.8, 4.10, 5).
@Suite("L2CAP/COS/CFD, L2CAP/COS/IEX, L2CAP/COS/ECH over BR/EDR")
struct ClassicConfigurationTests {
  /// A channel in configuration, whose options a test chooses.
  private struct Configuration {
    let scene: ClassicScene
    let channel: String
    let request: [UInt8]
    private var identifier: UInt8 = 0x10

    init(accepts: Bool = true) throws {
      scene = try ClassicScene.connected()
      let (id, request) = try scene.configure(.serviceDiscovery, accepts: accepts)
      (channel, self.request) = (id.rawValue.littleEndianOctets.hexadecimal, request)
      _ = scene.signalling()
    }

    /// Requests options, and returns the responses: flags, result and options.
    mutating func request(_ options: String, continues: Bool = false) throws -> [String] {
      identifier += 1
      let octets = try #require([UInt8](hexadecimal: options))
      let header = [0x04, identifier, UInt8(octets.count + 4), 0].hexadecimal
      let answers = try scene.signal(header + channel + (continues ? "0100" : "0000") + octets.hexadecimal)
      return answers.filter { $0.hasPrefix("05") }.map { String($0.dropFirst(12)) }
    }

    /// Answers the accessory's request with that result and options.
    func respond(_ result: UInt16, _ options: String) throws -> [String] {
      let octets = try #require([UInt8](hexadecimal: options))
      let header = [0x05, request[1], UInt8(octets.count + 6), 0].hexadecimal
      return try scene.signal(
        header + channel + "0000" + result.littleEndianOctets.hexadecimal + octets.hexadecimal)
    }
  }

  @Test("L2CAP/COS/CFD/BV-01-C: options in two requests are answered twice, with the MTU in one answer")
  func continuation() throws {
    var configuration = try Configuration()
    #expect(try configuration.request("01 02 a002", continues: true) == ["01000000"])
    // Hints: quality of service, and Basic Mode.
    let hints = "83 16 00 01 00000000 00000000 00000000 ffffffff ffffffff 84 09 000000000000000000"
    #expect(try configuration.request(hints) == ["00000000" + "0102a002"])
  }

  @Test("L2CAP/COS/CFD/BV-02-C: if the central wants a shorter MTU, the accessory requests that")
  func rejected() throws {
    let configuration = try Configuration(accepts: false)
    let again = try configuration.respond(1, "01 02 3000")
    #expect(again.count == 1 && again[0].hasPrefix("04") && again[0].hasSuffix("0800" + "70000000" + "01023000"))
  }

  @Test("L2CAP/COS/CFD/BV-02-C: if it wants a longer one, the accessory closes the channel")
  func notAcceptable() throws {
    let configuration = try Configuration(accepts: false)
    let end = try configuration.respond(1, "01 02 ffff")
    #expect(end.count == 1 && end[0].hasPrefix("06"))
  }

  @Test("L2CAP/COS/CFD/BV-03-C: a request without options is accepted")
  func withoutOptions() throws {
    var configuration = try Configuration()
    #expect(try configuration.request("") == ["00000000"])
  }

  @Test(
    "L2CAP/COS/CFD/BV-11-C: values that the accessory does not support are answered with ones that it does",
    arguments: [
      ("01 02 2f00", "01023000"), ("04 09 04 0a 14 d007 e02e 0002", "0409000000000000000000"),
      (
        "03 16 00 02 00000000 00000000 00000000 ffffffff ffffffff",
        "0316" + "0001" + "00000000" + "00000000" + "00000000" + "ffffffff" + "ffffffff"
      ),
    ])
  func notSupported(_ option: String, _ instead: String) throws {
    var configuration = try Configuration()
    #expect(try configuration.request(option) == ["00000100" + instead])
    #expect(try configuration.request(instead).map { $0.prefix(8) } == ["00000000"])
  }

  @Test("L2CAP/COS/CFD/BV-12-C: unknown options that are hints are ignored, however many", arguments: 1...10)
  func hints(_ count: Int) throws {
    var configuration = try Configuration()
    let options = (0..<count).map { [0x90 + UInt8($0), 1, 0xAA].hexadecimal }.joined()
    #expect(try configuration.request(options) == ["00000000"])
  }

  @Test("L2CAP/COS/CFD/BV-14-C: unknown options that are no hints are named in the refusal", arguments: 1...10)
  func unknown(_ count: Int) throws {
    // All of them, the last one, and two of them.
    for mandatory in [Array(0..<count), [count - 1], Array(Set([0, count / 2]))] {
      var configuration = try Configuration()
      let types = (0..<count).map { UInt8($0) + (mandatory.contains($0) ? 0x10 : 0x90) }
      let answer = try #require(try configuration.request(types.map { [$0, 1, 0xAA].hexadecimal }.joined()).first)
      #expect(answer.hasPrefix("00000300"))
      let options = try #require([UInt8](hexadecimal: String(answer.dropFirst(8))))
      #expect(stride(from: 0, to: options.count, by: 3).map { options[$0] } == types.filter { $0 < 0x80 })
    }
  }

  // MARK: Information and echoes

  @Test(
    "L2CAP/COS/IEX/BV-02-C, L2CAP/EXF/BV-07-C, L2CAP/EXF/BV-08-C: the extended features are those that the accessory has"
  )
  func features() throws {
    let scene = try ClassicScene.connected()
    // Enhanced Retransmission Mode, the option for check sequences, fixed channels; enhanced credit-based flow control.
    #expect(try scene.signal("0a 05 0200 0200") == ["0b05080002000000" + "a8040000"])
  }

  @Test("L2CAP/FIX/BV-03-C: the fixed channels are signalling and, if keys can be derived, the Security Manager")
  func fixedChannels() throws {
    let scene = try ClassicScene.connected()
    let answer = try #require(try scene.signal("0a 06 0200 0300").first)
    #expect(["02", "82"].map { "0b060c0003000000" + $0 + "00000000000000" }.contains(answer))
    #expect(try scene.signal("0a 07 0200 0300") == [answer.replacing("0b06", with: "0b07", maxReplacements: 1)])
  }

  @Test("L2CAP/COS/ECH/BV-01-C: an echo is answered with its data", arguments: ["", "aa", "000102030405060708"])
  func echo(_ data: String) throws {
    let scene = try ClassicScene.connected()
    let length = [UInt8(data.count / 2), 0].hexadecimal
    #expect(try scene.signal("08 05 \(length)" + data) == ["0905" + length + data])
  }
}
