import BLECore
import BLEGATT
import Capture
import Glibc
import Testing

@testable import AccessoryProfile

@Suite("Values from captures")
struct CaptureReplayTests {
  /// Returns a capture of a central's host with the ATT PDUs of connection 0x0040: the time in milliseconds, and whether the host sent it.
  private static func capture(_ pdus: [(at: Int64, isSent: Bool, pdu: [UInt8])]) -> [UInt8] {
    var encoder = CaptureEncoder(.btsnoop)
    var buffer = OctetBuffer()
    encoder.begin(into: &buffer)
    for (at, isSent, pdu) in pdus {
      let length = pdu.count
      let octets: [UInt8] =
        [0x02, 0x40, 0x20, UInt8(length + 4), 0, UInt8(length), 0, 0x04, 0x00] + pdu
      let packet = CapturedPacket(
        isSent ? .hostToController : .controllerToHost, microseconds: 1_700_000_000_000_000 + at * 1000, octets: octets)
      _ = encoder.append(CaptureRecord(packet), into: &buffer)
    }
    return buffer.copy()
  }

  /// Discovery of Heart Rate Measurement with the value 0x0012 and of FFF1 with 0x0015, notifications of both, and a long read.
  private static let belt = capture([
    (0, true, [0x08, 0x01, 0, 0xFF, 0xFF, 0x03, 0x28]),
    (
      1, false,
      [0x09, 7, 0x11, 0, 0x10, 0x12, 0, 0x37, 0x2A, 0x14, 0, 0x02, 0x15, 0, 0xF1, 0xFF]
    ),
    (500, false, [0x1B, 0x12, 0, 0x00, 70]),
    (600, false, [0x1B, 0x15, 0, 1]),
    (1500, false, [0x1B, 0x12, 0, 0x00, 70]),
    (2750, false, [0x1B, 0x12, 0, 0x00, 72]),
    (2800, true, [0x0A, 0x15, 0]),
    (2810, false, [0x0B, 2, 3]),
    (2820, true, [0x0C, 0x15, 0, 2, 0]),
    (2830, false, [0x0D, 4]),
  ])

  private func played(
    _ value: String, format: String, _ sending: String = "", _ capture: [UInt8] = belt
  ) throws -> ProfileRuntime {
    let folder = "/tmp/understudy-capture-\(UInt32.random(in: 0...(.max)))"
    mkdir(folder, 0o700)
    defer { for name in ["/belt.btsnoop", ""] { remove(folder + name) } }
    let file = try #require(fopen("\(folder)/belt.btsnoop", "wb"))
    capture.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, file) }
    fclose(file)
    let text = """
      understudy: 1
      name: Belt
      services:
        - uuid: FFF0
          characteristics:
            - { id: x, uuid: FFF9, properties: [read, notify], format: \(format), value: \(value)\(sending) }
      """
    return ProfileRuntime(profile: try Profile.load(text: text, file: "\(folder)/belt.yaml"))
  }

  @Test func valuesComeAtTheirTimes() throws {
    let runtime = try played(
      "{ replay: { capture: belt.btsnoop, uuid: heart-rate-measurement } }", format: "heart-rate-measurement")
    func bpm(at milliseconds: Int64) -> ProfileValue? {
      guard case .object(let fields) = runtime.typedValue(of: CharacteristicIndex(0), at: .ms(milliseconds)) else {
        return nil
      }
      return fields["bpm"]
    }
    // The last value lasts as long as the one before, and then the replay starts over.
    #expect([0, 999, 2249, 2250, 3499, 3500, 5750].map { bpm(at: $0) } == [70, 70, 70, 72, 72, 70, 72])
  }

  @Test func everyValueIsSentWhenItWas() throws {
    var runtime = try played(
      "{ replay: { capture: belt.btsnoop, handle: 0x0012 }, repeat: false }", format: "heart-rate-measurement")
    runtime.subscribe("x", notified: 1, at: .zero)
    // The second is the same as the first, and is still sent.
    #expect(runtime.run(until: .ms(60_000)).map(\.at) == [.ms(1000), .ms(2250)])
  }

  @Test func readsInPartsAreOneValue() throws {
    let both = try played("{ replay: { capture: belt.btsnoop, uuid: FFF1 } }", format: "hex")
    #expect(both.presentValue(of: CharacteristicIndex(0), at: .zero) == [1])
    #expect(both.presentValue(of: CharacteristicIndex(0), at: .ms(2210)) == [2, 3, 4])
    let read = try played("{ replay: { capture: belt.btsnoop, uuid: FFF1, values: [read] } }", format: "hex")
    #expect(read.presentValue(of: CharacteristicIndex(0), at: .zero) == [2, 3, 4])
  }

  @Test func partsBelongToTheValueThatWasReadBefore() throws {
    let capture = Self.capture([
      (0, true, [0x0A, 0x15, 0]), (10, false, [0x0B, 1, 2]),
      // Notified between the parts.
      (500, false, [0x1B, 0x15, 0, 9]),
      (600, true, [0x0C, 0x15, 0, 2, 0]), (610, false, [0x0D, 3]),
      // Read earlier, after a gap, and without a request.
      (700, true, [0x0C, 0x15, 0, 1, 0]), (710, false, [0x0D, 2, 3]),
      (720, true, [0x0C, 0x15, 0, 9, 0]), (730, false, [0x0D, 7]), (740, false, [0x0D, 8]),
      // A separate value.
      (1010, true, [0x0C, 0x15, 0, 0, 0]), (1010, false, [0x0D, 5]),
    ])
    let runtime = try played("{ replay: { capture: belt.btsnoop, handle: 0x0015 } }", format: "hex", "", capture)
    let values = [0, 489, 490, 999, 1000].map { runtime.presentValue(of: CharacteristicIndex(0), at: .ms($0)) }
    #expect(values == [[1, 2, 3], [1, 2, 3], [9], [9], [5]])
  }

  @Test func timesThatNoRecordingHasAreRefused() {
    let capture = Self.capture([
      (-4_000_000_000_000, false, [0x1B, 0x15, 0, 1]), (4_000_000_000_000, false, [0x1B, 0x15, 0, 2]),
    ])
    do {
      _ = try played("{ replay: { capture: belt.btsnoop, handle: 0x0015 } }", format: "hex", "", capture)
      Issue.record("it loads")
    } catch {
      #expect("\(error)".contains("more than 100 years apart"), "\(error)")
    }
  }

  @Test(arguments: [
    ("{ replay: { capture: belt.btsnoop } }", "hex", "expected either 'uuid' or 'handle'"),
    ("{ replay: { capture: belt.btsnoop, handle: 0x0040 } }", "hex", "belt.btsnoop has no such values"),
    ("{ replay: { capture: belt.btsnoop, uuid: FFF2 } }", "hex", "give the 'handle' of the value instead"),
    ("{ replay: { capture: gone.btsnoop, uuid: FFF1 } }", "hex", "cannot read the capture file"),
    ("{ replay: { capture: belt.yaml, uuid: FFF1 } }", "hex", "cannot read the capture file"),
    (
      "{ replay: { capture: belt.btsnoop, uuid: FFF1 } }", "u8",
      "the capture has the value hex:020304, which this format"
    ),
    ("{ replay: { capture: belt.btsnoop, uuid: FFF1, peer: me } }", "hex", "expected an address such as"),
    ("{ replay: { capture: belt.btsnoop, uuid: FFF1 }, every: 1 s }", "hex", "'every' is for CSV files"),
    (
      "{ replay: { capture: belt.btsnoop, handle: 0x0012, peer: \"C4:12:34:56:78:9A\" } }", "hex",
      "belt.btsnoop has no such values"
    ),
  ])
  func mistakes(_ value: String, _ format: String, _ expected: String) {
    do {
      _ = try played(value, format: format)
      Issue.record("it loads")
    } catch {
      #expect("\(error)".contains(expected), "\(error)")
    }
  }
}
