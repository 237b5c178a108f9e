import BLECore
import BLEHCI
import Testing

@testable import Capture

@Suite("Capture files of every format")
struct CaptureFileTests {
  static let time: Int64 = 1_700_000_000_123_456_000

  static let packets: [CaptureRecord] = [
    CaptureRecord(.hci(.hostToController), nanoseconds: time, octets: [1, 0x03, 0x0C, 0]),
    CaptureRecord(.hci(.controllerToHost), nanoseconds: time + 1000, octets: [4, 0x0E, 4, 1, 3, 0x0C, 0]),
    CaptureRecord(.hci(.hostToController), nanoseconds: time + 2_000_000, octets: [2, 0x44, 0, 5, 0, 1, 0, 4, 0, 9]),
    CaptureRecord(
      .hci(.controllerToHost), nanoseconds: time + 3_000_000, octets: [2, 0x44, 0x20, 5, 0, 1, 0, 4, 0, 9]),
    CaptureRecord(.hci(.hostToController), nanoseconds: time + 900_000_000, octets: [3, 1, 0, 1, 7]),
  ]

  static func encoded(_ records: [CaptureRecord], _ format: CaptureFormat) -> [UInt8] {
    var encoder = CaptureEncoder(format)
    var buffer = OctetBuffer()
    encoder.begin(into: &buffer)
    for record in records { #expect(encoder.append(record, into: &buffer)) }
    return buffer.copy()
  }

  /// Returns all records of a file that is read in runs of that length, and its error.
  static func read(_ octets: [UInt8], run: Int = .max) -> ([CaptureRecord], CaptureFault?) {
    var parser = CaptureParser()
    var records: [CaptureRecord] = []
    var record = CaptureRecord()
    do throws(CaptureFault) {
      for start in stride(from: 0, to: octets.count, by: min(run, max(octets.count, 1))) {
        parser.push(octets[start..<min(octets.count, start + min(run, octets.count))].span)
        while try parser.next(into: &record) { records.append(record) }
      }
      parser.end()
      while try parser.next(into: &record) { records.append(record) }
      return (records, nil)
    } catch {
      return (records, error)
    }
  }

  @Test("files round trip, in runs of any length", arguments: CaptureFormat.allCases)
  func roundTrip(format: CaptureFormat) {
    let octets = Self.encoded(Self.packets, format)
    for run in [1, 2, 3, 7, 16, 64, 1000] {
      let (records, fault) = Self.read(octets, run: run)
      #expect(records == Self.packets)
      #expect(fault == nil)
    }
    #expect(CaptureFormat(rawValue: format.rawValue) == format)
  }

  @Test("a truncated file gives the records before that position, and reports it", arguments: CaptureFormat.allCases)
  func truncation(format: CaptureFormat) {
    let octets = Self.encoded(Self.packets, format)
    let whole = Self.read(octets).0
    var least = 0
    for length in 0..<octets.count {
      let (records, fault) = Self.read(Array(octets[..<length]))
      #expect(records == Array(whole.prefix(records.count)))
      #expect(records.count >= least && records.count < whole.count)
      least = records.count
      if fault == nil {
        // Only a file that is empty or ends with a record is complete.
        #expect(length == 0 || Self.read(Array(octets[..<length]) + [0xFF]).1 != nil)
      }
    }
  }

  @Test("random and damaged octets never trap, and never give more than there was", arguments: CaptureFormat.allCases)
  func damage(format: CaptureFormat) {
    let octets = Self.encoded(Self.packets, format)
    var random = SplitMix64(seed: 7)
    for _ in 0..<2000 {
      var damaged = octets
      for _ in 0...(random.next() % 4) {
        damaged[Int(random.next() % UInt64(damaged.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      let (records, _) = Self.read(damaged, run: 1 + Int(random.next() % 60))
      #expect(records.reduce(0) { $0 + $1.octets.count } <= damaged.count * 8)
    }
    for _ in 0..<500 {
      let noise = (0..<200).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      _ = Self.read(noise)
      _ = Self.read(Array(octets.prefix(24)) + noise)
    }
  }

  @Test("only pcapng keeps packets of the air and comments")
  func air() {
    var reception = AirReception(accessAddress: 0x5065_5DAB, kind: .toCentral)
    reception.rfChannel = 12
    reception.phy = 3
    reception.isCodedWithS2 = true
    reception.signalStrength = -61
    reception.crc = 0x12_3456
    reception.isCRCValid = true
    reception.isDecrypted = true
    let records = [
      CaptureRecord(.air(reception), nanoseconds: Self.time + 7, octets: [0x02, 1, 9], comment: "hört"),
      CaptureRecord(
        .air(AirReception(accessAddress: AirReception.advertisingAccessAddress)), nanoseconds: Self.time, source: 1,
        octets: [0, 6, 1, 2, 3, 4, 5, 6]),
    ]
    var (read, fault) = Self.read(Self.encoded(records, .pcapng))
    #expect(fault == nil)
    #expect(read.first == records.first)
    // The format cannot express an unknown channel, except for none.
    for place in read.indices {
      if case .air(var reception) = read[place].content, reception.rfChannel == 0 {
        reception.rfChannel = nil
        read[place].content = .air(reception)
      }
    }
    #expect(read == records)
    for format in CaptureFormat.allCases where format != .pcapng {
      var encoder = CaptureEncoder(format)
      var buffer = OctetBuffer()
      #expect(!encoder.append(records[0], into: &buffer))
      let isEmpty = buffer.isEmpty
      #expect(isEmpty)
    }
  }

  @Test("notes are kept by PacketLogger, btmon and pcapng", arguments: [CaptureFormat.packetLogger, .monitor, .pcapng])
  func notes(format: CaptureFormat) {
    let note = CaptureRecord(.message(.note), nanoseconds: Self.time, octets: Array("Now the belt is off".utf8))
    let (records, fault) = Self.read(Self.encoded([Self.packets[0], note], format))
    #expect(fault == nil)
    #expect(records.map(\.content) == [.hci(.hostToController), .message(.note)])
    #expect(records.last?.octets == note.octets)
  }

  @Test("PacketLogger's files, by hand, in both byte orders", arguments: [true, false])
  func packetLogger(isBigEndian: Bool) {
    func integer(_ value: UInt32) -> [UInt8] {
      let octets = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
      return isBigEndian ? octets.reversed() : octets
    }
    func record(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
      integer(UInt32(content.count + 9)) + integer(1_557_000_279) + integer(824_000) + [type] + content
    }
    let apple: [UInt8] = [0x44, 0, 11, 0, 7, 0, 4, 0, 8, 0x18, 0, 0xFF, 0xFF, 3, 0x28]
    let file =
      record(0xFE, Array("Apple controller\0".utf8)) + record(0x00, [3, 12, 0]) + record(0x01, [14, 4, 1, 3, 12, 0])
      + record(0x02, apple) + record(0x03, apple) + record(0xFC, Array("flag".utf8)) + record(0x0A, [1, 2])
    let (records, fault) = Self.read(file, run: 5)
    #expect(fault == nil)
    #expect(
      records.map(\.content) == [
        .message(.controller), .hci(.hostToController), .hci(.controllerToHost), .hci(.hostToController),
        .hci(.controllerToHost), .message(.note), .message(.other(0x0A)),
      ])
    #expect(records.map(\.octets)[1...4] == [[1, 3, 12, 0], [4, 14, 4, 1, 3, 12, 0], [2] + apple, [2] + apple])
    #expect(String(decoding: records[0].octets, as: UTF8.self) == "Apple controller")
    #expect(records.allSatisfy { $0.nanoseconds == 1_557_000_279_824_000_000 })
  }

  @Test(
    "Messages of other formats become notes in PacketLogger's files, never packets",
    arguments: [0x0000, 0x0040, 0x0100, 0x0203, 0x3EDC] as [UInt16])
  func foreignMessages(_ number: UInt16) {
    let message = CaptureRecord(.message(.other(number)), nanoseconds: Self.time, octets: Array("text".utf8))
    let (records, fault) = Self.read(Self.encoded([message], .packetLogger))
    #expect(fault == nil)
    #expect(records.map(\.content) == [.message(.note)])
    #expect(records.map(\.octets) == [message.octets])
  }

  @Test("pcap files, by hand, in both byte orders and both resolutions", arguments: [true, false], [true, false])
  func pcap(isBigEndian: Bool, countsNanoseconds: Bool) {
    func integer(_ value: UInt32) -> [UInt8] {
      let octets = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
      return isBigEndian ? octets.reversed() : octets
    }
    func file(_ link: UInt32, _ packets: [[UInt8]]) -> [UInt8] {
      var octets = integer(countsNanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4)
      octets += isBigEndian ? [0, 2, 0, 4] : [2, 0, 4, 0]
      for field in [0, 0, 65_535, link] { octets += integer(field) }
      for packet in packets {
        for field in [5, 7, UInt32(packet.count), UInt32(packet.count)] { octets += integer(field) }
        octets += packet
      }
      return octets
    }
    let acl: [UInt8] = [2, 0x40, 0x20, 5, 0, 1, 0, 4, 0, 9]
    let (h4, _) = Self.read(file(187, [[1, 3, 12, 0], [4, 0x13, 0], acl]))
    #expect(h4.map(\.content) == [.hci(.hostToController), .hci(.controllerToHost), .hci(.controllerToHost)])
    #expect(h4.allSatisfy { $0.nanoseconds == 5_000_000_000 + (countsNanoseconds ? 7 : 7000) })
    let (directed, _) = Self.read(file(201, [[0, 0, 0, 1] + acl, [0, 0, 0, 0] + acl]))
    #expect(directed.map(\.content) == [.hci(.controllerToHost), .hci(.hostToController)])
    let (monitor, _) = Self.read(file(254, [[0, 1, 0, 4] + acl.dropFirst(), [0, 1, 0, 12] + Array("hello\0".utf8)]))
    #expect(monitor.map(\.source) == [1, 1])
    #expect(monitor.map(\.octets) == [acl, Array("hello".utf8)])
    let advertisement: [UInt8] = [0xD6, 0xBE, 0x89, 0x8E, 0x40, 6, 1, 2, 3, 4, 5, 6, 0xA, 0xB, 0xC]
    let (air, _) = Self.read(file(251, [advertisement]))
    #expect(air.map(\.octets) == [Array(advertisement[4..<12])])
    let head: [UInt8] = [0, 200, 0, 0, 0xD6, 0xBE, 0x89, 0x8E, 0x13, 0x0C]
    #expect(Self.read(file(256, [head + advertisement])).0.map(\.octets) == [Array(advertisement[4..<12])])
    // Of board 2, version 3 of its header: channel 37, -50 dBm, CRC right.
    let nordic: [UInt8] = [2, 25, 0, 3, 1, 0, 6, 10, 1, 37, 50, 0, 0, 1, 0, 0, 0]
    let (sniffed, _) = Self.read(file(272, [nordic + advertisement]))
    #expect(sniffed.map(\.octets) == [Array(advertisement[4..<12])])
    if case .air(let reception) = sniffed.first?.content {
      #expect(reception.signalStrength == -50 && reception.rfChannel == 0 && reception.isCRCValid == true)
      #expect(reception.kind == .advertising && reception.crc == 0x0C0B0A)
    }
    #expect(Self.read(file(1, [acl])).1 == .dataLink(.pcap, 1))
  }

  @Test("btsnoop without types, and files that are not captures")
  func others() {
    var octets = Self.encoded(Array(Self.packets[..<1]), .btsnoop)
    octets[15] = 0xE9
    octets[16 + 3] = 3
    octets[16 + 7] = 3
    octets.remove(at: 40)
    #expect(Self.read(octets).0.map(\.octets) == [[1, 3, 12, 0]])
    octets[15] = 0
    #expect(Self.read(octets).1 == .dataLink(.btsnoop, 0x300))
    #expect(Self.read(Array("GET / HTTP/1.1\r\n\r\n".utf8)).1 == .unknownFormat)
    #expect(Self.read([]).1 == nil)
  }
}
