import BLECore
import Glibc
import Testing

@testable import Capture

@Suite("pcapng")
struct PcapNGTests {
  private let directory: ScratchDirectory
  private var path: String { "\(directory.path)/file" }
  private let reset = BTSnoopFormatTests.reset
  private let answer = BTSnoopFormatTests.resetComplete

  init() throws { directory = try ScratchDirectory() }

  private func file() throws -> PcapNGFile { try PcapNGFile(try ScratchDirectory.contents(of: path)) }

  private func option(_ code: UInt16, _ text: String) -> PcapNGFile.Option {
    PcapNGFile.Option(code: code, value: Array(text.utf8))
  }

  @Test("a file begins with its section, and describes its interfaces")
  func interfaces() throws {
    let writer = try PcapNGWriter(creating: path, comment: "ünder study")
    #expect(try file().sectionOptions == [option(1, "ünder study"), option(4, "understudy")])
    let air = writer.addInterface(name: "air", kind: .air, comment: "37")
    let first = writer.addInterface(name: "controller 0", kind: .hci)
    writer.close()
    let resolution = PcapNGFile.Option(code: 9, value: [9])
    #expect(
      try file().interfaces == [
        .init(linkType: 256, options: [option(1, "37"), option(2, "air"), resolution]),
        .init(linkType: 201, options: [option(2, "controller 0"), resolution]),
      ])
    #expect([air.number, first.number] == [0, 1])
    #expect([air.kind, first.kind] == [.air, .hci])
  }

  @Test("HCI packets have their direction first, in separate streams", arguments: 1...7)
  func hci(run: Int) throws {
    let writer = try PcapNGWriter(creating: path)
    let interfaces = ["one", "two"].map { writer.addInterface(name: $0, kind: .hci) }
    // Both streams are split within packets, at the same time.
    let sent = reset + [0x02, 0x40, 0x00, 0x03, 0x00, 7, 8, 9]
    let received = answer + answer
    for start in stride(from: 0, to: received.count, by: run) {
      for interface in interfaces {
        for (direction, octets) in [(CapturedPacket.Direction.hostToController, sent), (.controllerToHost, received)]
        where start < octets.count {
          let part = Array(octets[start..<min(octets.count, start + run)])
          writer.record(direction, part.span, on: interface, at: .zero, nanoseconds: 1_700_000_000_123_456_789)
        }
      }
    }
    writer.close()
    let packets = try file().packets
    #expect(packets.count == 8)
    for interface in interfaces {
      let own = packets.filter { $0.interface == interface.number }
      let (down, up) = (own.filter { $0.octets[3] == 0 }, own.filter { $0.octets[3] == 1 })
      #expect(own.allSatisfy { $0.octets.prefix(3) == [0, 0, 0] && $0.nanoseconds == 1_700_000_000_123_456_789 })
      #expect(down.flatMap { $0.octets.dropFirst(4) } == sent)
      #expect(up.flatMap { $0.octets.dropFirst(4) } == received)
    }
  }

  private func packet(_ kind: CapturedAirPacket.Kind, phy: PHY = .le1M) -> CapturedAirPacket {
    CapturedAirPacket(
      kind, nanoseconds: 5, rfChannel: 12, phy: phy, accessAddress: 0x8E89_BED6, pdu: [0x42, 1, 0x55], crc: 0x12_3456)
  }

  @Test(
    "air packets have the receiver's information first, and their CRC last",
    arguments: zip(CapturedAirPacket.Kind.allCases, [0x0C31, 0x0CB1, 0x1CB1, 0x3CB1, 0x0D31, 0x0DB1] as [UInt16]))
  func air(kind: CapturedAirPacket.Kind, flags: UInt16) throws {
    let writer = try PcapNGWriter(creating: path)
    let air = writer.addInterface(name: "air", kind: .air)
    writer.record(packet(kind), on: air, at: .zero)
    writer.close()
    let octets: [UInt8] =
      [12, 0, 0, 0, 0xD6, 0xBE, 0x89, 0x8E, UInt8(flags & 0xFF), UInt8(flags >> 8)]
      + [0xD6, 0xBE, 0x89, 0x8E, 0x42, 1, 0x55, 0x56, 0x34, 0x12]
    #expect(try file().packets == [.init(interface: 0, nanoseconds: 5, octets: octets, options: [])])
  }

  @Test("RSSI, PHY, decryption and comment are included if present")
  func airDetails() throws {
    let writer = try PcapNGWriter(creating: path)
    let air = writer.addInterface(name: "air", kind: .air)
    var packets = [
      packet(.toCentral, phy: .le2M), packet(.toCentral, phy: .leCoded), packet(.toPeripheral),
      packet(.toCentral, phy: .leCoded),
    ]
    packets[0].signalStrength = -61
    packets[1].comment = "lost"
    packets[2].isDecrypted = true
    packets[3].isCodedWithS2 = true
    for packet in packets { writer.record(packet, on: air, at: .zero) }
    writer.close()
    let found = try file().packets
    let flags = found.map { UInt16($0.octets[8]) | UInt16($0.octets[9]) << 8 }
    #expect(flags == [0x4DB3, 0x8DB1, 0x3D39, 0x8DB1])
    #expect(found.map { Int8(bitPattern: $0.octets[1]) } == [-61, 0, 0, 0])
    // The coding indicator of LE Coded follows the access address.
    #expect(found.map { Array($0.octets.dropFirst(14).prefix(2)) } == [[0x42, 1], [0, 0x42], [0x42, 1], [1, 0x42]])
    #expect(found.map(\.options) == [[], [option(1, "lost")], [], []])
  }

  @Test("packets go only to their interface")
  func kinds() throws {
    let writer = try PcapNGWriter(creating: path)
    let (air, host) = (writer.addInterface(name: "air", kind: .air), writer.addInterface(name: "host", kind: .hci))
    writer.record(.hostToController, reset.span, on: air, at: .zero, nanoseconds: 1)
    writer.record(packet(.advertising), on: host, at: .zero)
    writer.close()
    writer.record(packet(.advertising), on: air, at: .zero)
    #expect(try file().packets.isEmpty)
    #expect(writer.addInterface(name: "late", kind: .air).number == 2)
    #expect(try file().interfaces.count == 2)
  }

  @Test("records are written once the first has waited for the delay")
  func delay() throws {
    let writer = try PcapNGWriter(creating: path)
    let air = writer.addInterface(name: "air", kind: .air)
    let start = Instant(nanoseconds: 1_000_000)
    writer.record(packet(.advertising), on: air, at: start)
    #expect(writer.nextDeadline == start + .milliseconds(200))
    writer.advance(to: start + .milliseconds(199))
    #expect(try file().packets.isEmpty)
    writer.advance(to: start + .milliseconds(200))
    #expect(try file().packets.count == 1)
    #expect(writer.nextDeadline == nil)
  }

  @Test("a path that cannot be written is reported with the reason", arguments: [("none/file", ENOENT), ("", EISDIR)])
  func refuses(name: String, code: CInt) throws {
    let place = "\(directory.path)/\(name)"
    let failure = try #require(throws: CaptureFailure.self) { try PcapNGWriter(creating: place) }
    #expect(failure == CaptureFailure(path: place, code: code))
  }

  /// In a separate process, because the limit on the size of files applies to the whole process.
  @Test("a full file ends the capture with whole blocks, and reports it once")
  func limited() async {
    await #expect(processExitsWith: .success) {
      let directory = try ScratchDirectory()
      let path = "\(directory.path)/file"
      let writer = try PcapNGWriter(creating: path)
      let host = writer.addInterface(name: "host", kind: .hci)
      let beginning = try ScratchDirectory.contents(of: path).count
      // The interface of 40 octets, two blocks of 40 each, and a half.
      var limit = rlimit(rlim_cur: rlim_t(beginning) + 40 + 2 * 40 + 20, rlim_max: 1 << 20)
      signal(SIGXFSZ, SIG_IGN)
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      let reset = BTSnoopFormatTests.reset
      for time: Int64 in 1...4 {
        writer.record(.hostToController, reset.span, on: host, at: .zero, nanoseconds: time)
      }
      let deadline = try #require(writer.nextDeadline)
      writer.advance(to: deadline)
      #expect(writer.takeFailure() == CaptureFailure(path: path, code: EFBIG))
      #expect(writer.takeFailure() == nil)
      #expect(writer.nextDeadline == nil)
      writer.close()
      #expect(try PcapNGFile(try ScratchDirectory.contents(of: path)).packets.map(\.nanoseconds) == [1, 2])
    }
  }

  @Test("a slow reader of a FIFO loses whole packets, and the next packet contains their number")
  func slowReader() throws {
    let fifo = "\(directory.path)/fifo"
    try #require(mkfifo(fifo, 0o600) == 0)
    let reader = open(fifo, O_RDONLY | O_NONBLOCK)
    try #require(reader >= 0)
    defer { close(reader) }
    let writer = try PcapNGWriter(creating: fifo, policy: .init(octets: 1000, limit: 8000))
    let air = writer.addInterface(name: "air", kind: .air)
    var long = packet(.toCentral)
    long.pdu = [0x02, 251] + [UInt8](repeating: 7, count: 251)
    for time: Int64 in 0..<500 {
      long.nanoseconds = time
      writer.record(long, on: air, at: .zero)
    }
    let lost = writer.droppedPackets
    #expect(lost > 0)
    var octets = ScratchDirectory.drain(reader)
    writer.advance(to: try #require(writer.nextDeadline))
    octets += ScratchDirectory.drain(reader)
    writer.record(packet(.advertising), on: air, at: .zero)
    writer.close()
    octets += ScratchDirectory.drain(reader)
    let packets = try PcapNGFile(octets).packets
    #expect(packets.count == 501 - Int(lost))
    let counts = packets.flatMap(\.options).map { option in
      option.code == 4 ? option.value.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : 0
    }
    #expect(counts.reduce(0, +) == lost)
    #expect(packets.last?.options.count == 1)
  }

  @Test("packets of the air, reported at their end, are ordered by their start", arguments: 0..<20)
  func orderOfTime(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let writer = try PcapNGWriter(creating: path)
    let interfaces = [
      writer.addInterface(name: "air", kind: .air), writer.addInterface(name: "controller", kind: .hci),
    ]
    var now = Instant.zero
    var written: [Int64] = []
    for _ in 0..<400 {
      now = now + .microseconds(Int64.random(in: 0...3000, using: &random))
      if Bool.random(using: &random) {
        writer.record(.hostToController, reset.span, on: interfaces[1], at: now, nanoseconds: now.nanoseconds)
        written.append(now.nanoseconds)
      } else {
        var packet = packet(.toCentral)
        packet.nanoseconds = now.nanoseconds - Int64.random(in: 0...17_040_000, using: &random)
        writer.record(packet, on: interfaces[0], at: now)
        written.append(packet.nanoseconds)
      }
      if let deadline = writer.nextDeadline, deadline <= now { writer.advance(to: now) }
    }
    writer.close()
    let times = try file().packets.map { Int64(bitPattern: $0.nanoseconds) }
    #expect(times == written.sorted())
  }
}
