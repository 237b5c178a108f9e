import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Testing

/// Known mistakes of attribute servers, one test each, through the whole host.
@Suite("Peer defects: attributes")
struct PeerDefectAttributeTests {
  @Test("A Write Command or Signed Write Command to a bad handle gets no answer", arguments: ["0000", "ee00", "ffff"])
  func commandToBadHandle(_ handle: String) throws {
    let scene = try RawScene()
    try scene.central.exchange("52 \(handle) 01", nil)
    try scene.central.exchange("d2 \(handle) 01 01000000 1122334455667788", nil)
    try scene.central.exchange("0a 1200", "0b 74657874")
  }

  @Test("A prepared write past the end of the value is refused on execution, and the value stays")
  func preparedBeyondValue() throws {
    let scene = try RawScene()
    try scene.central.exchange("16 1200 0500 78", "17 1200 0500 78")
    try scene.central.exchange("18 01", "01 18 1200 07")
    #expect(scene.value(Specimen.text) == Array("text".utf8))
    try scene.central.exchange("18 01", "19")
    #expect(scene.value(Specimen.text) == Array("text".utf8))
  }

  @Test("Prepared parts are applied in order, all of them or none")
  func preparedInOrder() throws {
    let scene = try RawScene()
    for part in ["1200 0000 6161", "1200 0100 62", "1200 0200 63"] {
      try scene.central.exchange("16 \(part)", "17 \(part)")
    }
    try scene.central.exchange("18 01", "19")
    #expect(scene.value(Specimen.text) == Array("abc".utf8))
    for part in ["1200 0000 7a7a7a", "1a00 2900 01"] { try scene.central.exchange("16 \(part)", "17 \(part)") }
    try scene.central.exchange("18 01", "01 18 1a00 07")
    #expect(scene.value(Specimen.text) == Array("abc".utf8) && scene.value(Specimen.long) == [UInt8](1...40))
  }

  @Test("A canceled queue is empty, and a full one refuses parts")
  func preparedQueue() throws {
    let scene = try RawScene()
    try scene.central.exchange("16 1200 0000 78", "17 1200 0000 78")
    try scene.central.exchange("18 00", "19")
    var count = 0
    var answer: String? = "171200000078"
    while answer == "171200000078", count < 4096 {
      try scene.central.send("16 1200 0000 78")
      answer = scene.central.next()
      count += 1
    }
    #expect(answer == "0116120009" && count > 8)
    try scene.central.exchange("18 00", "19")
    #expect(scene.value(Specimen.text) == Array("text".utf8))
  }

  @Test("A queue of prepared writes and its errors belong to one connection")
  func preparedPerConnection() throws {
    let scene = try RawScene(Specimen.configuration(connection: .init(maximumConnections: 2)))
    let other = try RawCentral(on: scene.simulation)
    try other.connect()
    try scene.central.exchange("16 1200 0500 78", "17 1200 0500 78")
    try other.exchange("18 01", "19")
    try other.exchange("16 1200 0000 79", "17 1200 0000 79")
    try scene.central.exchange("18 01", "01 18 1200 07")
    #expect(scene.value(Specimen.text) == Array("text".utf8))
    try other.exchange("18 01", "19")
    #expect(scene.value(Specimen.text) == Array("y".utf8))
  }

  @Test("Reads by type are checked like reads, and return as many entries as fit: three of 7 octets at an MTU of 23")
  func readByType() throws {
    let scene = try RawScene()
    try scene.central.exchange("08 0100 ffff f5ff", "01 08 1d00 05")
    try scene.central.exchange("08 0100 ffff f3ff", "01 08 1700 02")
    try scene.central.exchange(
      "08 1000 ffff 0328", "09 07 1100 0e 1200 f1ff 1300 12 1400 f2ff 1600 20 1700 f3ff")
    try scene.central.exchange("10 0100 ffff 0028", "11 06 0100 0500 0018 0600 0600 0118 1000 1f00 f0ff")
  }

  @Test("Read Multiple checks every handle and fills one PDU, and the variable one includes lengths")
  func readMultiple() throws {
    let scene = try RawScene()
    for opcode in ["0e", "20"] {
      try scene.central.exchange("\(opcode) 1200 1d00 1b00", "01 \(opcode) 1d00 05")
      try scene.central.exchange("\(opcode) 1200 1b00 1700", "01 \(opcode) 1700 02")
    }
    let long = [UInt8](1...40)
    try scene.central.exchange("0e 1200 1a00", "0f 74657874" + long.prefix(18).hexadecimal)
    try scene.central.exchange("20 1200 1b00", "21 0400 74657874 0400 6c6f6e67")
    try scene.central.exchange("20 1200 1a00", "21 0400 74657874 2800" + long.prefix(14).hexadecimal)
  }

  @Test("Two requests at once are answered in order, even if the first value comes late")
  func pipelined() throws {
    let scene = try RawScene()
    let ticket = AnswerTicket(7)
    scene.accessory.stack.application.ticket = ticket
    try scene.central.send("0a 1400")
    try scene.central.exchange("0a 1200", nil)
    try scene.accessory.perform(.answer(ticket, .value([9])))
    #expect(scene.central.next() == "0b09")
    #expect(scene.central.next() == "0b74657874")
  }

  @Test("Requests during another one are kept, and excess ones are reported")
  func earlyRequests() throws {
    let scene = try RawScene()
    let ticket = AnswerTicket(8)
    scene.accessory.stack.application.ticket = ticket
    try scene.central.send("0a 1400")
    for _ in 0..<20 { try scene.central.send("0a 1b00") }
    #expect(scene.central.next() == nil)
    try scene.accessory.perform(.answer(ticket, .value([9])))
    #expect(scene.central.next() == "0b09")
    var answers = 0
    while let answer = scene.central.next() {
      #expect(answer == "0b6c6f6e67")
      answers += 1
    }
    let dropped = scene.accessory.events.count { event in
      if case .server(_, .earlyRequest(.readRequest, isKept: false)) = event { true } else { false }
    }
    #expect(answers >= 16 && answers + dropped == 20)
    try scene.central.exchange("0a 1200", "0b 74657874")
  }

  @Test("A value for authenticated links is refused on other links, and an authenticated link suffices")
  func authenticated() throws {
    let scene = try RawScene()
    try scene.central.exchange("0a 1d00", "01 0a 1d00 05")
    let requirement = AccessRequirement(protection: .authenticated)
    #expect(requirement.shortfall(on: LinkSecurity(protection: .encrypted, keySize: 16)) == .authentication)
    #expect(requirement.shortfall(on: LinkSecurity(protection: .authenticated, keySize: 16)) == nil)
  }

  @Test("A second central never replaces the first, and each has its own subscriptions and MTU")
  func secondCentral() throws {
    let scene = try RawScene(Specimen.configuration(connection: .init(maximumConnections: 2)))
    let other = try RawCentral(on: scene.simulation)
    try scene.central.exchange("12 1500 0100", "13")
    try scene.central.exchange("02 6400", "03 0502")
    try other.connect()
    #expect(scene.central.link != nil && scene.accessory.stack.linkStates.count == 2)
    try other.exchange("0a 1500", "0b 0000")
    try scene.central.exchange("0a 1500", "0b 0100")
    try other.exchange("0a 1a00", "0b" + [UInt8](1...22).hexadecimal)
    try scene.central.exchange("0a 1a00", "0b" + [UInt8](1...40).hexadecimal)
    try scene.accessory.perform(.notify(Specimen.measurement))
    #expect(scene.central.next() == "1b140001" && other.next() == nil)
  }

  @Test("Every request gets an answer, and an Error Response names its opcode and handle")
  func everyRequest() throws {
    let scene = try RawScene()
    // All opcodes that are not commands, responses or confirmations, including unassigned ones.
    let requests = (0x02...0x3F as ClosedRange<UInt8>).filter { ATTOpcode(rawValue: $0).kind == .request }
    #expect(requests.count >= 13)
    for opcode in requests {
      for rest in ["", "ee", "ee00", "ee00 ee00 ee00"] {
        let request = [opcode].hexadecimal + rest
        try scene.central.send(request)
        let answer = try #require(scene.central.next(), "\(request)")
        if answer.hasPrefix("01") { #expect(answer.dropFirst(2).hasPrefix([opcode].hexadecimal), "\(request)") }
      }
    }
    try scene.central.exchange("0a ee00", "01 0a ee00 01")
    #expect(scene.central.ends == [])
  }
}
