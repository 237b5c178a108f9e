import BLEATT
import BLECore
import BLEGATT
import Testing

/// The MTU, and robustness against any input.
@Suite("MTU and robustness")
struct RobustnessChartTests {
  @Test(
    "The MTU becomes the smaller of both sides'",
    arguments: [
      ("0502", 517, 517), ("b900", 517, 185), ("1700", 517, 23), ("0502", 100, 100), ("1600", 517, 23),
      ("0000", 517, 23),
      ("ffff", 517, 517),
    ])
  func exchange(client: String, receiveMTU: Int, effective: Int) throws {
    var chart = try Tester.chart(receiveMTU: receiveMTU)
    let server = [UInt8(receiveMTU & 0xFF), UInt8(receiveMTU >> 8)].hexadecimal
    try chart.exchange("02" + client, "03" + server)
    #expect(chart.bearer.att.mtu == effective)
    let read = chart.answer([0x0A, 0x16, 0x00])
    #expect(read.count == min(61, effective))
    guard case .mtuExchanged? = chart.effects.events.first else { return }
    Issue.record("a read is no MTU exchange")
  }

  @Test("The MTU can be exchanged at any time, between other procedures, and again")
  func anyTime() throws {
    var chart = try Tester.chart()
    try chart.exchange("16 1600 0000 ff", "17 1600 0000 ff")
    _ = chart.indicate(Tester.indicated, [1])
    try chart.exchange("02 6400", "03 0502")
    #expect(chart.effects.events == [.mtuExchanged(client: 100, effective: 100)])
    try chart.exchange("02 2800", "03 0502")
    #expect(chart.bearer.att.mtu == 40)
    try chart.exchange("18 01", "19")
    #expect(chart.server.database.storedValue(of: Tester.longValue) == [0xFF])
  }

  @Test("A server never receives less than the default MTU")
  func smallServer() throws {
    var chart = try Tester.chart(receiveMTU: 5)
    try chart.exchange("02 0502", "03 1700")
  }

  @Test("An unknown request is not supported", arguments: UInt8.min...UInt8.max)
  func unknownRequests(opcode: UInt8) throws {
    let code = ATTOpcode(rawValue: opcode)
    guard code.kind == .request, !allATTPDUs.contains(where: { $0.opcode == code }) else { return }
    var chart = try Tester.chart()
    try chart.exchange([opcode].hexadecimal, "01" + [opcode].hexadecimal + "0000 06")
    try chart.exchange([opcode, 1, 2, 3].hexadecimal, "01" + [opcode].hexadecimal + "0000 06")
  }

  @Test("An unknown command is ignored", arguments: UInt8.min...UInt8.max)
  func unknownCommands(opcode: UInt8) throws {
    guard ATTOpcode(rawValue: opcode).isCommand else { return }
    var chart = try Tester.chart()
    try chart.exchange([opcode].hexadecimal, nil)
    try chart.exchange([opcode, 0x16, 0x00].hexadecimal, nil)
    try chart.exchange("0a 0c00", "0b 01")
  }

  @Test(
    "PDUs for clients are ignored, and so are empty ones",
    arguments: [
      "", "01 0a 0000 01", "03 1700", "0b 01", "13", "19", "1b 0300 01", "1d 0300 01", "23 0300 0100 01", "1e", "1e 00",
    ])
  func notForServers(pdu: String) throws {
    var chart = try Tester.chart()
    try chart.exchange(pdu, nil)
    #expect(chart.effects.events.isEmpty)
    try chart.exchange("0a 0c00", "0b 01")
  }

  @Test(
    "Requests with missing or extra octets are invalid PDUs, with the request's opcode",
    arguments: [
      "02", "02 17", "02 170000", "04 0100 ff", "04 0100 ffff 00", "06 0100 ffff 00", "06 0100 ff", "08 0100 ffff",
      "08 0100 ffff 03", "08 0100 ffff 03280000", "08 0100 ffff 032800", "10 0100 ffff 00", "10 0100 ffff 00280000",
      "10 0100 ffff fb349b5f8000008000100000002800", "0a", "0a 03", "0a 0300 00", "0c 0300", "0c 0300 00",
      "0c 0300 0000 00", "0e", "12", "12 16", "16 1600", "16 1600 00", "18", "20",
    ])
  func malformed(request: String) throws {
    var chart = try Tester.chart()
    let before = chart.server.database.attributes.map(\.value)
    try chart.exchange(request, "01" + request.prefix(2) + "0000 04")
    #expect(chart.server.database.attributes.map(\.value) == before)
    #expect(chart.bearer.att.mtu == 23)
  }

  @Test("The response is appended to the buffer, and so is an error")
  func appends() throws {
    var chart = try Tester.chart()
    var reply = OctetBuffer()
    for pdu in [[0x0A, 0x0C, 0], [0x0E, 0x0C, 0, 0xFF, 0xFF], [0x08, 1, 0, 0xFF, 0xFF, 0x19, 0x2A]] as [[UInt8]] {
      chart.server.receive(
        pdu.span, on: &chart.bearer, from: &chart.session, application: &chart.application, at: chart.now,
        reply: &reply,
        effects: &chart.effects)
    }
    #expect(reply.copy().hexadecimal == "0b01" + "010effff01" + "0903110064")
  }

  @Test("A response after other octets is as long as one alone")
  func appendsWholeMTU() throws {
    for pdu in [[0x0A, 0x16, 0], [0x0E, 0x16, 0, 0x16, 0], [0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28]] as [[UInt8]] {
      var chart = try Tester.chart()
      let alone = chart.answer(pdu)
      var reply = OctetBuffer()
      reply.append(Array(repeating: 0xEE, count: 50))
      chart.server.receive(
        pdu.span, on: &chart.bearer, from: &chart.session, application: &chart.application, at: chart.now,
        reply: &reply,
        effects: &chart.effects)
      #expect(reply.copy(from: 50) == alone)
    }
  }

  @Test("A database without attributes answers everything")
  func empty() throws {
    var chart = try SequenceChart(application: [])
    try chart.exchange("10 0100 ffff 0028", "01 10 0100 0a")
    try chart.exchange("04 0100 ffff", "01 04 0100 0a")
    try chart.exchange("06 0100 ffff 0028 0f18", "01 06 0100 0a")
    try chart.exchange("08 0100 ffff 0328", "01 08 0100 0a")
    try chart.exchange("0a 0100", "01 0a 0100 01")
    try chart.exchange("02 1700", "03 0502")
  }

  @Test("A database of 65,535 attributes answers up to its last handle")
  func full() throws {
    let characteristics = (0..<32_767).map { _ in CharacteristicDefinition.stored(.init(0xFFF1), [.read], [7]) }
    var chart = try SequenceChart(application: [
      .init(id: "full", uuid: .init(0xFFF0), characteristics: characteristics)
    ])
    try chart.exchange("10 0100 ffff 0028", "11 06 0100 ffff f0ff")
    try chart.exchange("04 ffff ffff", "05 01 ffff f1ff")
    try chart.exchange("06 feff ffff 0328 02 ffff f1ff", "07 feff ffff")
    try chart.exchange("08 ffff ffff f1ff", "09 03 ffff 07")
    try chart.exchange("0a ffff", "0b 07")
  }
}
