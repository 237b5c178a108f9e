import BLEATT
import BLECore
import BLEHCI
import BLEL2CAP
import BLESMP
import Capture
import Testing

@testable import Decoding

@Suite("Decoded packets")
struct DecodingTests {
  static func acl(_ direction: CapturedPacket.Direction, _ channel: UInt16, _ pdu: [UInt8]) -> CaptureRecord {
    let words = [
      UInt16(0x40) | (direction == .hostToController ? 0 : 0x2000), UInt16(pdu.count + 4), UInt16(pdu.count), channel,
    ]
    let head = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    return CaptureRecord(.hci(direction), octets: [2] + head + pdu)
  }

  private static func signalling(_ packet: some SignallingPacket, identifier: UInt8) -> [UInt8] {
    var buffer = OctetBuffer()
    packet.encodePacket(identifier: identifier, into: &buffer)
    return buffer.copy()
  }

  /// Decodes two SDUs in three K-frames on a channel, and an enhanced bearer.
  static func channel(_ decoder: inout PacketDecoder, psm: UInt16) -> [PacketSummary] {
    var request = LECreditBasedConnectionRequest()
    request.psm = SPSM(rawValue: psm)
    request.source = ChannelID(rawValue: 0x41)
    request.mtu = 512
    var response = LECreditBasedConnectionResponse()
    response.destination = ChannelID(rawValue: 0x52)
    let packets = [
      acl(.controllerToHost, 5, signalling(request, identifier: 9)),
      acl(.hostToController, 5, signalling(response, identifier: 9)),
      acl(.controllerToHost, 0x52, [5, 0, 0x0A, 3, 0]), acl(.controllerToHost, 0x52, [1, 2]),
      acl(.hostToController, 0x41, [1, 0, 0x0B]),
    ]
    return packets.map { decoder.receive($0) }
  }

  @Test("K-frames are reassembled into SDUs, on the channels that signalling opened")
  func frames() {
    var decoder = PacketDecoder()
    let summaries = Self.channel(&decoder, psm: 0x80)
    #expect(summaries.map(\.layer) == [.signalling, .signalling, .channel, .channel, .channel])
    #expect(summaries.map(\.sdu) == [nil, nil, nil, [0x0A, 3, 0, 1, 2], [0x0B]])
    #expect(summaries[1].request == 1)
    #expect(summaries[2].opcode == 0x80)
  }

  @Test("the SDUs of enhanced bearers are ATT PDUs, paired as on the fixed channel")
  func enhancedBearer() {
    var decoder = PacketDecoder()
    let summaries = Self.channel(&decoder, psm: 0x27)
    #expect(summaries.map(\.layer) == [.signalling, .signalling, .channel, .att, .att])
    #expect(summaries[4].opcode == 0x0B && summaries[4].request == 4 && summaries[4].attribute == 3)
  }

  @Test("fragments of a PDU are reassembled, and a missing one is reported")
  func recombination() {
    var decoder = PacketDecoder()
    let whole: [UInt8] = [7, 0, 4, 0, 0x12, 3, 0, 1, 2, 3, 4]
    func part(_ boundary: UInt8, _ octets: ArraySlice<UInt8>) -> CaptureRecord {
      CaptureRecord(
        .hci(.controllerToHost), octets: [2, 0x40, boundary << 4, UInt8(octets.count), 0] + octets)
    }
    #expect(decoder.receive(part(2, whole[..<3])).layer == .acl)
    let last = part(1, whole[3...])
    let summary = decoder.receive(last)
    #expect(summary.layer == .att && summary.attribute == 3)
    #expect(Array(summary.valueOctets(in: last)) == [1, 2, 3, 4])
    let layers = decoder.tree(of: summary, in: last)
    #expect(layers.map(\.name) == ["ACL", "L2CAP", "ATT"])
    #expect(layers[1].octets == whole)
    #expect(decoder.receive(part(1, whole[3...])).fault == .recombination)
  }

  @Test("a pairing is one conversation, from its request to its end")
  func pairing() {
    var decoder = PacketDecoder()
    var features = PairingFeatures()
    features.requirements = [.bonding, .secureConnections]
    let first = decoder.receive(Self.acl(.controllerToHost, 6, PairingRequest(features).packet))
    let second = decoder.receive(Self.acl(.hostToController, 6, PairingResponse(features).packet))
    #expect(second.request == first.number)
    let failed = decoder.receive(Self.acl(.controllerToHost, 6, PairingFailed(reason: .confirmValueFailed).packet))
    #expect(failed.request == first.number && failed.status == 4)
    #expect(decoder.pairings.map(\.codes) == [[1, 2, 5]])
    #expect(decoder.pairings.first?.outcome == .failed(4))
    #expect(decoder.pairings.first?.isSecureConnections == true)
    #expect(decoder.receive(Self.acl(.controllerToHost, 6, PairingRequest(features).packet)).request == 4)
  }

  @Test("advertising data opens down to iBeacon, Eddystone and Apple's messages")
  func advertisingData() {
    let uuid = [UInt8](0..<16)
    let beacon: [UInt8] = [26, 0xFF, 0x4C, 0, 2, 21] + uuid + [0, 1, 0, 2, 0xC5]
    #expect(
      AdvertisingFields.text(beacon)
        == "Manufacturer Specific Data: Apple, iBeacon UUID 00010203-0405-0607-0809-0A0B0C0D0E0F Major 1 Minor 2 "
        + "Measured Power -59 dBm")
    #expect(AdvertisingFields.text([2, 1, 6]) == "Flags: LE General Discoverable, BR/EDR Not Supported")
    #expect(AdvertisingFields.text([3, 3, 0x0D, 0x18]).hasSuffix("180D (Heart Rate)"))
    let url: [UInt8] = [10, 0x16, 0xAA, 0xFE, 0x10, 0xEB, 3, 97, 98, 0, 99]
    #expect(AdvertisingFields.text(url).hasSuffix("https://ab.com/c"))
    #expect(AdvertisingFields.text([6, 0xFF, 0x4C, 0, 0x10, 1, 7]).hasSuffix("Nearby Info"))
    #expect(AdvertisingFields.text([9, 9, 65]) != "")
  }

  @Test("every command and event of the registries is named and has its fields", arguments: [0])
  func registries(_: Int) {
    var decoder = PacketDecoder()
    for type in CommandRegistry.all {
      let record = CaptureRecord(.hci(.hostToController), octets: type.init().h4)
      let summary = decoder.receive(record)
      #expect(summary.layer == .command && summary.opcode == type.opcode.rawValue && summary.fault == nil)
      #expect(decoder.tree(of: summary, in: record).first?.fields.contains { $0.name == "Cut Off" } == false)
    }
    for type in EventRegistry.all {
      let record = CaptureRecord(.hci(.controllerToHost), octets: type.init().h4)
      let summary = decoder.receive(record)
      #expect(summary.layer == .event && !decoder.text(of: summary, in: record).isEmpty)
    }
  }

  /// Makes a text and a tree of a record; the tree's ranges must be within its octets.
  static func decode(_ record: CaptureRecord, _ decoder: inout PacketDecoder) {
    let summary = decoder.receive(record)
    #expect(!PacketDecoder.typeText(of: summary).isEmpty)
    _ = decoder.text(of: summary, in: record)
    func check(_ field: DescribedField, _ count: Int) {
      #expect(field.range.lowerBound >= 0 && field.range.upperBound <= count, "\(field)")
      for child in field.children { check(child, count) }
    }
    for layer in decoder.tree(of: summary, in: record) {
      for field in layer.fields { check(field, layer.octets.count) }
      if let offset = layer.offset { #expect(offset + layer.octets.count <= record.octets.count) }
    }
  }

  @Test("random and damaged packets of every kind are decoded without a trap", arguments: 0..<8 as Range<UInt64>)
  func noise(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var decoder = PacketDecoder { _, octets in octets.hexadecimal }
    _ = Self.channel(&decoder, psm: seed % 2 == 0 ? 0x27 : 0x80)
    var whole = EventRegistry.all.map { CaptureRecord(.hci(.controllerToHost), octets: $0.init().h4) }
    whole += CommandRegistry.all.map { CaptureRecord(.hci(.hostToController), octets: $0.init().h4) }
    whole += allATTPDUs.map { Self.acl(.controllerToHost, 4, $0.init().encodedPDU) }
    for code in UInt8(1)...14 {
      whole.append(Self.acl(.hostToController, 6, [code] + [UInt8](repeating: 1, count: 16)))
    }
    for code in UInt8(1)...0x1A { whole.append(Self.acl(.hostToController, 1, [code, 1, 4, 0, 1, 0, 0x41, 0])) }
    for code in UInt8(1)...0x1A { whole.append(Self.acl(.hostToController, 5, [code, 1, 4, 0, 1, 0, 0x41, 0])) }
    for kind in CapturedAirPacket.Kind.allCases {
      let reception = AirReception(accessAddress: 0x5065_5DAB, kind: kind)
      for type in UInt8(0)...9 {
        whole.append(CaptureRecord(.air(reception), octets: [type, 40] + (0..<40).map { UInt8($0) }))
        whole.append(CaptureRecord(.air(reception), octets: [3, 25, type] + [UInt8](repeating: 1, count: 24)))
      }
    }
    for record in whole {
      Self.decode(record, &decoder)
      for _ in 0..<6 {
        var damaged = record
        for _ in 0...(random.next() % 3) where !damaged.octets.isEmpty {
          damaged.octets[Int(random.next() % UInt64(damaged.octets.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        if random.next() % 3 == 0 { damaged.octets.removeLast(Int(random.next() % UInt64(damaged.octets.count + 1))) }
        if random.next() % 5 == 0 { damaged.octets.append(UInt8(truncatingIfNeeded: random.next())) }
        Self.decode(damaged, &decoder)
      }
    }
  }

  @Test("the decoder's memory is bounded, however many connections, commands and channels there are")
  func bounds() {
    var decoder = PacketDecoder()
    for number in 0..<20_000 {
      let handle = UInt16(number % 0x0F00)
      let octets: [UInt8] = [
        2, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8) | 0x20, 9, 0, 0xFF, 0xFF, 4, 0, 1, 2, 3, 4, 5,
      ]
      _ = decoder.receive(
        CaptureRecord(.hci(.controllerToHost), source: UInt32(number % 7), octets: octets))
      _ = decoder.receive(
        CaptureRecord(
          .hci(.hostToController),
          octets: [1, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8), 0]))
    }
    #expect(decoder.links.count <= PacketDecoder.linkLimit)
    #expect(decoder.commands.count <= PacketDecoder.commandLimit)
    #expect(decoder.tables.tables.count <= 256)
  }
}

@Suite("Filters")
struct FilterTests {
  private func numbers(_ filter: String) throws -> [Int] {
    let filter = try PacketFilter(filter)
    var decoder = PacketDecoder()
    decoder.define(attribute: 3, BluetoothUUID(0x2A37))
    var records = [
      DecodingTests.acl(.controllerToHost, 4, [0x12, 3, 0, 200]), DecodingTests.acl(.hostToController, 4, [0x13]),
      DecodingTests.acl(.controllerToHost, 4, [0x0A, 9, 0]),
      DecodingTests.acl(.hostToController, 4, [0x01, 0x0A, 9, 0, 0x02]),
      CaptureRecord(.hci(.hostToController), octets: [1, 3, 0x0C, 0], comment: "here"),
    ]
    for place in records.indices { records[place].nanoseconds = Int64(place) * 40_000_000 }
    return records.compactMap { record in
      let summary = decoder.receive(record)
      return filter.accepts(summary, record, decoder) ? summary.number : nil
    }
  }

  @Test(
    "filters select packets",
    arguments: [
      ("att", [1, 2, 3, 4]), ("att.write && value > 180", [1]), ("att.write && value > 200", []), ("!att", [5]),
      ("sent and not command", [2, 4]), ("status == 2 || command", [4, 5]), ("handle == 0x40", [1, 2, 3, 4]),
      ("uuid == 2A37", [1, 2]), ("uuid == heart-rate-measurement", [1, 2]), ("name contains \"heart\"", [1, 2]),
      ("text ~ /Read Req|Reset/", [3, 5]), ("\"not permitted\"", [4]), ("comment == here", [5]), ("comment", [5]),
      ("latency >= 40ms", [2, 4]), ("latency > 40 ms", []), ("latency >= 40", [2, 4]), ("time > 0.1s", [4, 5]),
      ("time>0.1 s", [4, 5]), ("time > 0", [2, 3, 4, 5]), ("handle==0x40&&value==200", [1]),
      ("(att.read || smp) && received", [3]),
      ("attribute == 9 && att.error", [4]), ("number <= 2", [1, 2]), ("type == \"ATT Send\"", [2, 4]),
      ("hex contains 030c", [5]), ("fault", []),
    ] as [(String, [Int])])
  func accepts(filter: String, expected: [Int]) throws { #expect(try numbers(filter) == expected) }

  @Test(
    "an invalid filter is refused at its column",
    arguments: [
      ("", 1), ("atd.write", 1), ("att &&", 7), ("att && (sent", 13), ("handle", 7), ("handle == ", 11),
      ("handle == x", 11), ("text ~ /(/", 9), ("text ~ /a\\/b(?=c)/", 13), ("/a**/", 4), ("name == \"open", 9),
      ("att ? sent", 5), ("latency > much", 11),
      ("uuid == nothing-known", 9), ("handle contains 4", 17), ("text < 4", 8), ("att sent", 5),
    ] as [(String, Int)])
  func refuses(filter: String, column: Int) {
    do {
      _ = try PacketFilter(filter)
      Issue.record("`\(filter)` is taken")
    } catch {
      #expect(error.column == column, "\(error)")
    }
  }

  @Test(
    "a filter of another language is refused with what to write",
    arguments: [
      ("time > 9", "the time since the first packet needs a unit: 9s, 9ms or 9us"),
      ("time > 9 && att", "the time since the first packet needs a unit: 9s, 9ms or 9us"),
      ("handle = 0x40", "`=` is not valid here: equality is `==`"),
      ("handle === 0x40", "`=` is not valid here: equality is `==`"),
      ("att & sent", "`&` is not valid here: tests are joined with `&&`"),
      ("att | sent", "`|` is not valid here: tests are joined with `||`"),
      ("name == 'open'", "`'` is not valid here: texts have double quotes"),
      ("handle eq 0x40", "write `==` instead of `eq`"), ("text matches \"a\"", "write `~` instead of `matches`"),
      ("handle == \"0x40\"", "`handle` is a number: write 0x40 without quotes"),
      ("handle == \"mine\"", "`handle` is a number; texts are `text`, `name`, `type` and `address`"),
      (
        "value == \"on\"",
        "`value` is a number, that of up to 8 octets; for a text write text contains \"on\", or hex contains 6f6e for its octets"
      ),
      ("value == hex:0102", "`hex:0102` is not a number; for octets of the packet write hex contains 0102"),
    ])
  func advises(filter: String, advice: String) {
    let error = #expect(throws: FilterFault.self) { try PacketFilter(filter) }
    #expect(error?.description == advice)
  }

  @Test("any text is a filter or an error, however it is nested")
  func noise() {
    var random = SplitMix64(seed: 5)
    let parts = [
      "(", ")", "!", "&&", "||", "att", "value", ">", "==", "3", "\"x\"", "/a/", "~", "time", "ü", "0x", " ",
    ]
    for _ in 0..<3000 {
      let text = (0..<(random.next() % 12)).map { _ in parts[Int(random.next() % UInt64(parts.count))] }.joined(
        separator: " ")
      do {
        _ = try PacketFilter(text)
      } catch {
        #expect(error.column >= 1 && error.column <= text.count + 1)
      }
    }
    #expect(throws: FilterFault.self) { try PacketFilter(String(repeating: "(", count: 100_000)) }
  }
}
