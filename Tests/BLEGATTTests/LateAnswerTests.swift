import BLEATT
import BLECore
import BLEGATT
import Testing

/// Answers that come later: from a user, the control API, or a slow behaviour.
@Suite("Late answers")
struct LateAnswerTests {
  private let first = CharacteristicIndex(0)
  private let second = CharacteristicIndex(1)
  private let stored = CharacteristicIndex(2)
  private let ticket = AnswerTicket(7)
  private let other = AnswerTicket(8)

  /// Value handles: 0x0003 and 0x0005 are the application's, 0x0007 is stored; all have the type FFF1.
  private func chart(mtu: Int = 100) throws -> SequenceChart {
    try SequenceChart(
      application: [
        .init(
          id: "a", uuid: .init(0xFFF0),
          characteristics: [
            .asked(.init(0xFFF1), [.read, .write, .writeWithoutResponse]), .asked(.init(0xFFF1), [.read, .write]),
            .stored(.init(0xFFF1), [.read, .write], [1]),
          ])
      ], mtu: mtu)
  }

  @Test("A read waits for its value", arguments: ["0a 0300", "0c 0300 0000"])
  func read(request: String) throws {
    var chart = try chart()
    chart.application.answers[first] = .later(ticket)
    try chart.exchange(request, nil)
    let opcode = try #require([UInt8](hexadecimal: request)?.first)
    #expect(chart.effects.events == [.awaiting(ticket, ATTOpcode(rawValue: opcode), handle: 3)])
    #expect(chart.bearer.tickets == [ticket])
    #expect(chart.answer(ticket, with: .value([5, 6])) == [opcode + 1, 5, 6].hexadecimal)
    #expect(chart.effects.events == [.read(first, [5, 6])])
    #expect(chart.application.reads.count == 1)
    #expect(chart.answer(ticket, with: .value([5, 6])) == nil)
    chart.application.answers[first] = .value([9])
    try chart.exchange("0a 0300", "0b 09")
  }

  @Test(
    "A late error, with any code, is the response",
    arguments: [0x0E, 0x80, 0x9F, 0xE0, 0xFC, 0xFF] as [UInt8])
  func errors(code: UInt8) throws {
    var chart = try chart()
    let error = ATTErrorCode(rawValue: code)
    chart.application.answers[first] = .later(ticket)
    try chart.exchange("0a 0300", nil)
    #expect(chart.answer(ticket, with: .error(error)) == [1, 0x0A, 3, 0, code].hexadecimal)
    chart.application.verdicts[first] = .later(other)
    try chart.exchange("12 0300 05", nil)
    #expect(chart.answer(other, with: .error(error)) == [1, 0x12, 3, 0, code].hexadecimal)
    #expect(chart.effects.events == [.refused(.writeRequest, handle: 3, error)])
  }

  @Test("A read that is accepted without a value has an empty response")
  func acceptedRead() throws {
    var chart = try chart()
    chart.application.answers[first] = .later(ticket)
    try chart.exchange("0a 0300", nil)
    #expect(chart.answer(ticket, with: .accepted) == "010a03000e")
  }

  @Test("A write waits for its result, and the value does not change until then")
  func write() throws {
    var chart = try chart()
    chart.application.verdicts[stored] = .later(ticket)
    try chart.exchange("12 0700 0203", nil)
    #expect(chart.server.database.storedValue(of: stored) == [1])
    #expect(chart.answer(ticket, with: .accepted) == "13")
    #expect(chart.server.database.storedValue(of: stored) == [2, 3])
    #expect(chart.effects.events == [.written(stored, [2, 3])])
    #expect(chart.application.writes.count == 1)
  }

  @Test("A command waits for its result, and blocks nothing")
  func command() throws {
    var chart = try chart()
    chart.application.verdicts[first] = .later(ticket)
    try chart.exchange("52 0300 05", nil)
    #expect(chart.effects.events == [.awaiting(ticket, .writeCommand, handle: 3)])
    try chart.exchange("0a 0700", "0b 01")
    #expect(chart.answer(ticket, with: .accepted) == "")
    #expect(chart.effects.events == [.written(first, [5])])
    chart.application.verdicts[first] = .later(other)
    try chart.exchange("52 0300 05", nil)
    #expect(chart.answer(other, with: .error(.unlikelyError)) == "")
    #expect(chart.effects.events == [.refused(.writeCommand, handle: 3, .unlikelyError)])
  }

  @Test("The number of waiting commands is limited")
  func manyCommands() throws {
    var chart = try chart()
    for number in 0..<100 as Range<UInt64> {
      chart.application.verdicts[first] = .later(AnswerTicket(number))
      try chart.exchange("52 0300 05", nil)
    }
    #expect(chart.bearer.tickets.count == 64)
    #expect(chart.application.cancelledTickets.count == 36)
  }

  @Test("A read of several values waits for each of them, and requests none twice", arguments: ["0e", "20"])
  func readMultiple(opcode: String) throws {
    var chart = try chart()
    chart.application.answers[first] = .later(ticket)
    chart.application.answers[second] = .later(other)
    try chart.exchange(opcode + "0700 0300 0500 0300", nil)
    #expect(chart.effects.events.count == 1)
    #expect(chart.answer(ticket, with: .value([2])) == "")
    #expect(chart.effects.events.count == 1)
    #expect(chart.bearer.tickets == [other])
    let reply = opcode == "0e" ? "0f01020302" : "21" + "010001" + "010002" + "010003" + "010002"
    #expect(chart.answer(other, with: .value([3])) == reply)
    #expect(chart.effects.events.count == 4)
    #expect(chart.application.reads.count == 2)
  }

  @Test("A read by type waits for the values that it lists")
  func readByType() throws {
    var chart = try chart()
    chart.application.answers[first] = .value([4])
    chart.application.answers[second] = .later(other)
    try chart.exchange("08 0100 ffff f1ff", nil)
    #expect(chart.answer(other, with: .value([3])) == "09" + "03" + "030004" + "050003" + "070001")
    #expect(chart.application.reads.count == 2)
    try chart.exchange("06 0100 ffff f1ff 03", nil)
    #expect(chart.answer(other, with: .value([3])) == "0705000500")
  }

  @Test("A late error ends a list, and is the response if it is the first")
  func readByTypeErrors() throws {
    var chart = try chart()
    chart.application.answers[first] = .value([4])
    chart.application.answers[second] = .later(other)
    try chart.exchange("08 0100 ffff f1ff", nil)
    #expect(chart.answer(other, with: .error(.unlikelyError)) == "09" + "03" + "030004")
    try chart.exchange("08 0400 ffff f1ff", nil)
    #expect(chart.answer(other, with: .error(.unlikelyError)) == "010805000e")
  }

  @Test("The parts of a long value are requested one by one")
  func longValue() throws {
    var chart = try chart(mtu: 23)
    let value = (0..<30).map { UInt8($0) }
    chart.application.answers[first] = .later(ticket)
    try chart.exchange("0a 0300", nil)
    #expect(chart.answer(ticket, with: .value(value)) == "0b" + value.prefix(22).hexadecimal)
    try chart.exchange("0c 0300 1600", nil)
    #expect(chart.answer(ticket, with: .value(value)) == "0d" + value[22...].hexadecimal)
  }

  @Test("Prepared writes wait for their results, all or nothing, and each value is checked once")
  func executeWrite() throws {
    var chart = try chart()
    func prepare() throws {
      for handle in ["0700", "0300", "0500"] {
        try chart.exchange("16" + handle + "0000 09", "17" + handle + "0000 09")
      }
    }
    chart.application.verdicts[second] = .later(ticket)
    try prepare()
    try chart.exchange("18 01", nil)
    #expect(chart.server.database.storedValue(of: stored) == [1])
    #expect(chart.answer(ticket, with: .error(.valueNotAllowed)) == "0118050013")
    #expect(chart.server.database.storedValue(of: stored) == [1])
    try chart.exchange("18 01", "19")
    try prepare()
    let writesBefore = chart.application.writes.count
    try chart.exchange("18 01", nil)
    #expect(chart.answer(ticket, with: .accepted) == "19")
    #expect(chart.server.database.storedValue(of: stored) == [9])
    #expect(chart.application.writes.count == writesBefore + 3)
  }

  /// The queue belongs to the client, and Execute Write takes its contents when it arrives (Core 5.4 Vol 3 Part F 3.4.6.3).
  @Test("A waiting Execute Write writes its parts, whatever another bearer executes, cancels or prepares")
  func executeBesideAnotherBearer() throws {
    var chart = try chart()
    chart.application.verdicts[first] = .later(ticket)
    try chart.exchange("16 0700 0000 09", "17 0700 0000 09")
    try chart.exchange("16 0300 0000 09", "17 0300 0000 09")
    try chart.exchange("18 01", nil)
    let waiting = chart.bearer
    chart.bearer = ServerBearer(ATTBearer(receiveMTU: 100, sendMTU: 100), id: BearerID(rawValue: 0x40))
    try chart.exchange("18 00", "19")
    try chart.exchange("18 01", "19")
    try chart.exchange("16 0700 0000 05", "17 0700 0000 05")
    let other = chart.bearer
    chart.bearer = waiting
    #expect(chart.answer(ticket, with: .accepted) == "19")
    #expect(chart.server.database.storedValue(of: stored) == [9])
    chart.bearer = other
    try chart.exchange("18 01", "19")
    #expect(chart.server.database.storedValue(of: stored) == [5])
  }

  @Test("A waiting Execute Write writes nothing to attributes that are removed meanwhile")
  func executeAfterRemoval() throws {
    var chart = try chart()
    chart.application.verdicts[second] = .later(ticket)
    try chart.exchange("16 0700 0000 09", "17 0700 0000 09")
    try chart.exchange("16 0500 0000 09", "17 0500 0000 09")
    try chart.exchange("18 01", nil)
    _ = try chart.edit(.remove("a"))
    #expect(chart.answer(ticket, with: .accepted)?.hasPrefix("0118") == true)
  }

  @Test("Early requests are answered in order, when it is their turn")
  func earlyRequests() throws {
    var chart = try chart()
    chart.application.answers[first] = .later(ticket)
    chart.application.answers[second] = .later(other)
    try chart.exchange("0a 0300", nil)
    try chart.exchange("0a 0700", nil)
    #expect(chart.effects.events == [.earlyRequest(.readRequest, isKept: true)])
    try chart.exchange("0a 0500", nil)
    try chart.exchange("0a 0800", nil)
    #expect(chart.answerEarly() == nil)
    #expect(chart.answer(ticket, with: .value([2])) == "0b02")
    #expect(chart.answerEarly() == "0b01")
    #expect(chart.answerEarly() == "")
    #expect(chart.bearer.tickets == [other])
    #expect(chart.answerEarly() == nil)
    #expect(chart.answer(other, with: .value([3])) == "0b03")
    #expect(chart.answerEarly() == "010a080001")
    #expect(chart.answerEarly() == nil)
  }

  @Test("The number of early requests is limited")
  func manyEarlyRequests() throws {
    var chart = try chart()
    chart.application.answers[first] = .later(ticket)
    try chart.exchange("0a 0300", nil)
    for number in 0..<20 {
      try chart.exchange("0a 0700", nil)
      #expect(chart.effects.events == [.earlyRequest(.readRequest, isKept: number < ATTBearer.earlyRequestLimit)])
    }
  }

  @Test("Commands, confirmations and notifications continue while a request waits")
  func meanwhile() throws {
    var chart = try Tester.chart()
    chart.application.verdicts[Tester.controlPoint] = .later(ticket)
    _ = chart.indicate(Tester.indicated, [1])
    try chart.exchange("12 0e00 01", nil)
    try chart.exchange("52 1c00 05", nil)
    #expect(chart.server.database.storedValue(of: Tester.commanded) == [5])
    try chart.exchange("1e", nil)
    #expect(chart.effects.events == [.confirmed(0x19)])
    var buffer = OctetBuffer()
    chart.server.notification(of: Tester.measurement, value: [1], on: &chart.bearer, to: &chart.session, into: &buffer)
    #expect(buffer.copy().hexadecimal == "1b090001")
    #expect(chart.answer(ticket, with: .accepted) == "13")
  }

  /// Core 5.4 Vol 3 Part F 3.3.3.
  @Test("A warning comes after 25 s, and after 30 s the ticket is void")
  func timeout() throws {
    var chart = try chart()
    chart.application.answers[first] = .later(ticket)
    let start = chart.now
    try chart.exchange("0a 0300", nil)
    try chart.exchange("0a 0700", nil)
    #expect(chart.bearer.att.deadline == start + .seconds(25))
    chart.pass(.seconds(24))
    #expect(chart.effects.events.isEmpty)
    chart.pass(.seconds(1))
    #expect(chart.effects.events == [.running(outOfTime: ticket)])
    #expect(chart.bearer.att.deadline == start + .seconds(30))
    chart.pass(.seconds(4))
    #expect(chart.effects.events.isEmpty)
    chart.pass(.seconds(1))
    #expect(chart.effects.events == [.cancelled(ticket)])
    #expect(chart.application.cancelledTickets == [ticket])
    #expect(chart.bearer.att.deadline == nil)
    #expect(chart.answer(ticket, with: .value([1])) == nil)
    #expect(chart.answerEarly() == nil)
    #expect(chart.bearer.att.hasTimedOut)
  }

  @Test("A request that waits several times has 30 s in total")
  func timeoutOfSeveral() throws {
    var chart = try chart()
    chart.application.answers[first] = .later(ticket)
    chart.application.answers[second] = .later(other)
    try chart.exchange("0e 0300 0500", nil)
    chart.pass(.seconds(20))
    #expect(chart.answer(ticket, with: .value([2])) == "")
    chart.pass(.seconds(10))
    #expect(chart.effects.events == [.cancelled(other)])
  }

  @Test("A disconnection cancels the client's tickets")
  func disconnect() throws {
    var chart = try chart()
    chart.application.answers[second] = .later(other)
    chart.application.verdicts[first] = .later(ticket)
    try chart.exchange("52 0300 05", nil)
    try chart.exchange("0a 0500", nil)
    var events: [ServerEvent] = []
    chart.server.close(
      &chart.bearer, of: &chart.session, application: &chart.application, events: &events)
    #expect(events == [.cancelled(ticket), .cancelled(other)])
    #expect(chart.application.cancelledTickets == [ticket, other])
    #expect(chart.answer(ticket, with: .accepted) == nil)
  }

  @Test("An answer for an attribute that was removed meanwhile is Invalid Handle")
  func removed() throws {
    var chart = try chart()
    chart.application.answers[first] = .later(ticket)
    try chart.exchange("0a 0300", nil)
    _ = try chart.edit(.remove("a"))
    #expect(chart.answer(ticket, with: .value([1])) == "010a030001")
  }

  /// Core 5.4 Vol 3 Part F 3.4.6.3.
  @Test("Alternating writes to one attribute are checked one by one, and once each, even if one is delayed")
  func writesInTurns() throws {
    var chart = try chart()
    for part in ["0700 0000 0a", "0300 0000 0b", "0700 0100 0c"] { try chart.exchange("16" + part, "17" + part) }
    chart.application.verdicts[first] = .later(ticket)
    try chart.exchange("18 01", nil)
    #expect(chart.server.database.storedValue(of: stored) == [1])
    #expect(chart.answer(ticket, with: .accepted) == "19")
    #expect(chart.application.writes.map(\.value) == [[0x0A], [0x0B], [0x0A, 0x0C]])
    #expect(chart.server.database.storedValue(of: stored) == [0x0A, 0x0C])
  }

  @Test("When a later write is refused, the earlier ones of the same attribute are reverted")
  func writesInTurnsAllOrNothing() throws {
    var chart = try chart()
    for part in ["0700 0000 0a", "0300 0000 0b", "0700 0500 0c"] { try chart.exchange("16" + part, "17" + part) }
    try chart.exchange("18 01", "01 18 0700 07")
    #expect(chart.server.database.storedValue(of: stored) == [1])
    #expect(chart.application.writes.isEmpty)
  }

  @Test("The effects of a long write are not waited for")
  func groundOfLongWrite() throws {
    var chart = try chart()
    chart.application.answers[first] = .later(ticket)
    try chart.exchange("16 0300 0000 09", "17 0300 0000 09")
    try chart.exchange("18 01", "19")
    #expect(chart.application.cancelledTickets == [ticket])
    #expect(chart.application.writes.map(\.value) == [[9]])
  }

  @Test("Values that the server sends by itself do not wait")
  func serverInitiated() throws {
    var chart = try chart()
    chart.application.answers[first] = .later(ticket)
    #expect(
      chart.valueToSend(first) == nil)
    #expect(chart.application.cancelledTickets == [ticket])
  }
}
