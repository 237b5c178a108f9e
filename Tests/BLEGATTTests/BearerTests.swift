import BLEATT
import BLECore
import BLEGATT
import Testing

/// The state of a bearer, and that of its session (Core 5.4 Vol 3 Part F 3.2.8, 3.3.2, 3.3.3).
@Suite("Bearers of a session")
struct BearerTests {
  /// Answers a request over a second bearer, beside the chart's.
  private func answer(_ pdu: [UInt8], on bearer: inout ServerBearer, of chart: inout SequenceChart) -> String {
    var reply = OctetBuffer()
    chart.effects = ServerEffects(reportsAccess: true)
    chart.server.receive(
      pdu.span, on: &bearer, from: &chart.session, application: &chart.application, at: chart.now, reply: &reply,
      effects: &chart.effects)
    return reply.copy().hexadecimal
  }

  @Test("Each bearer has its own MTU, and both share one session")
  func sharedSession() throws {
    var chart = try Tester.chart()
    var second = ServerBearer()
    second.att.setMTU(client: 64, server: 64)
    try chart.exchange("0a 1600", "0b" + (0..<22).map { UInt8($0) }.hexadecimal)
    #expect(
      answer([0x0A, 0x16, 0], on: &second, of: &chart) == "0b" + (0..<60).map { UInt8($0) }.hexadecimal)
    #expect(answer([0x12, 0x1A, 0, 2, 0], on: &second, of: &chart) == "13")
    try chart.exchange("0a 1a00", "0b 0200")
    try chart.exchange("16 1600 0000 07", "17 1600 0000 07")
    #expect(answer([0x18, 1], on: &second, of: &chart) == "19")
    #expect(chart.server.database.storedValue(of: Tester.longValue) == [7])
  }

  @Test("A waiting request blocks only its own bearer")
  func requestsPerBearer() throws {
    var chart = try SequenceChart(
      application: [
        .init(id: "a", uuid: .init(0xFFF0), characteristics: [.asked(.init(0xFFF1), [.read])])
      ])
    var second = ServerBearer()
    chart.application.answers[CharacteristicIndex(0)] = .later(AnswerTicket(1))
    try chart.exchange("0a 0300", nil)
    chart.application.answers[CharacteristicIndex(0)] = .value([9])
    #expect(answer([0x0A, 3, 0], on: &second, of: &chart) == "0b09")
    #expect(chart.bearer.tickets == [AnswerTicket(1)] && second.tickets.isEmpty)
    #expect(chart.answer(AnswerTicket(1), with: .value([8])) == "0b08")
  }

  @Test("Each bearer may have an unconfirmed indication, and either sends the next waiting one")
  func indicationsPerBearer() throws {
    var chart = try Tester.chart()
    var second = ServerBearer()
    try chart.exchange("12 1a00 0200", "13")
    #expect(chart.indicate(Tester.indicated, [1])?.value == [1])
    #expect(chart.indicate(Tester.indicated, [2]) == nil)
    let waiting = chart.server.nextIndication(on: &second, for: &chart.session, at: chart.now)
    #expect(waiting?.value == [2])
    #expect(chart.indicate(Tester.indicated, [3]) == nil)
    #expect(answer([0x1E], on: &second, of: &chart) == "")
    #expect(chart.effects.nextIndication?.value == [3])
  }

  @Test("Service Changed that was lost with its bearer is sent again over another one")
  func lostServiceChanged() throws {
    var chart = try RobustCachingTests.chart()
    try chart.exchange("12 0400 0200", "13")
    #expect(try chart.edit(.add(RobustCachingTests.extra))?.handle == 3)
    var second = ServerBearer()
    let early = chart.server.nextIndication(on: &second, for: &chart.session, at: chart.now)
    #expect(early == nil)
    chart.server.close(
      &chart.bearer, of: &chart.session, application: &chart.application, events: &chart.effects.events)
    let again = chart.server.nextIndication(on: &second, for: &chart.session, at: chart.now)
    #expect(again?.value.hexadecimal == "0f000f00")
  }

  /// Core 5.4 Vol 3 Part F 3.3.3.
  @Test("A bearer that has timed out receives and sends nothing, and the others continue")
  func timedOut() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 1a00 0300", "13")
    #expect(chart.indicate(Tester.indicated, [1]) != nil)
    chart.now += .seconds(30)
    let isOver = chart.bearer.att.checkIndication(at: chart.now)
    #expect(isOver)
    for request in ["0a 0c00", "12 0e00 05", "52 1c00 05", "1e", "16 1600 0000 07"] {
      try chart.exchange(request, nil)
      #expect(chart.effects.events.isEmpty && chart.effects.nextIndication == nil)
    }
    #expect(chart.application.writes.isEmpty)
    #expect(chart.indicate(Tester.indicated, [2]) == nil)
    #expect(chart.notify(Tester.indicated, [2]).isEmpty)
    var second = ServerBearer()
    #expect(answer([0x0A, 0x0C, 0], on: &second, of: &chart) == "0b01")
    #expect(chart.server.nextIndication(on: &second, for: &chart.session, at: chart.now)?.value == [2])
  }

  /// Core 5.4 Vol 3 Part F 3.3.3.
  @Test("A request that is not answered in time also ends its bearer")
  func unansweredRequest() throws {
    var chart = try SequenceChart(
      application: [
        .init(id: "a", uuid: .init(0xFFF0), characteristics: [.asked(.init(0xFFF1), [.read])])
      ])
    chart.application.answers[CharacteristicIndex(0)] = .later(AnswerTicket(1))
    try chart.exchange("0a 0300", nil)
    chart.pass(.seconds(25))
    chart.pass(.seconds(5))
    #expect(chart.effects.events == [.cancelled(AnswerTicket(1))])
    chart.application.answers[CharacteristicIndex(0)] = .value([9])
    try chart.exchange("0a 0300", nil)
  }
}
