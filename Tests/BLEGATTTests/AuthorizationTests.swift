import BLEATT
import BLECore
import BLEGATT
import Testing

/// Authorization by the application (Core 5.4 Vol 3 Part C 10.5, Part F 4).
@Suite("Authorization")
struct AuthorizationTests {
  private let value = CharacteristicIndex(0)
  private let secret = CharacteristicIndex(1)
  private let ticket = AnswerTicket(1)

  /// 0x0003 needs authorization; 0x0005 also an encrypted link.
  private func chart() throws -> SequenceChart {
    let authorized = AccessRequirement(needsAuthorization: true)
    let encrypted = AccessRequirement(protection: .encrypted, needsAuthorization: true)
    return try SequenceChart(application: [
      .init(
        id: "a", uuid: .init(0xFFF0),
        characteristics: [
          .stored(.init(0xFFF1), [.read, .write], [1], permissions: .init(read: authorized, write: authorized)),
          .stored(.init(0xFFF2), [.read, .write], [1], permissions: .init(read: encrypted, write: encrypted)),
        ])
    ])
  }

  @Test(
    "The application permits or refuses",
    arguments: ["0a 0300", "0c 0300 0000", "0e 0300 0300", "08 0100 ffff f1ff", "12 0300 05", "16 0300 0000 05"])
  func answers(request: String) throws {
    var chart = try chart()
    try chart.exchange(request, "01" + request.prefix(2) + "0300 08")
    #expect(chart.application.asked == [value])
    chart.application.authorizations[value] = .granted
    let pdu = try #require([UInt8](hexadecimal: request))
    #expect(chart.answer(pdu).first == pdu[0] + 1)
  }

  @Test("A user is asked, and permits, refuses, or gives another error", arguments: [nil, 0x08, 0x80] as [UInt8?])
  func asks(code: UInt8?) throws {
    var chart = try chart()
    chart.application.authorizations[value] = .ask(ticket)
    let answer = code.map { LateAnswer.error(ATTErrorCode(rawValue: $0)) } ?? .accepted
    try chart.exchange("0a 0300", nil)
    #expect(chart.answer(ticket, with: answer) == (code.map { [1, 0x0A, 3, 0, $0] } ?? [0x0B, 1]).hexadecimal)
    try chart.exchange("12 0300 05", nil)
    #expect(chart.answer(ticket, with: answer) == (code.map { [1, 0x12, 3, 0, $0] } ?? [0x13]).hexadecimal)
    try chart.exchange("52 0300 06", nil)
    #expect(chart.effects.events.isEmpty == false)
    #expect(chart.answer(ticket, with: answer) == "")
    #expect(chart.server.database.storedValue(of: value) == (code == nil ? [6] : [1]))
  }

  @Test("Authorization and result may both come later")
  func both() throws {
    var chart = try chart()
    chart.application.authorizations[value] = .ask(ticket)
    chart.application.verdicts[value] = .later(AnswerTicket(2))
    try chart.exchange("12 0300 05", nil)
    #expect(chart.answer(ticket, with: .accepted) == "")
    #expect(chart.answer(AnswerTicket(2), with: .accepted) == "13")
    #expect(chart.application.asked == [value])
    #expect(chart.application.writes.count == 1)
  }

  @Test("The user is not asked as long as the link's security is insufficient")
  func linkFirst() throws {
    var chart = try chart()
    chart.application.authorizations[secret] = .granted
    try chart.exchange("0a 0500", "01 0a 0500 05")
    #expect(chart.application.asked.isEmpty)
    chart.session.security = LinkSecurity(protection: .encrypted, keySize: 16)
    try chart.exchange("0a 0500", "0b 01")
    #expect(chart.application.asked == [secret])
  }

  @Test("Prepared writes are authorized again when they are executed, each characteristic once")
  func prepared() throws {
    var chart = try chart()
    chart.application.authorizations[value] = .granted
    try chart.exchange("16 0300 0000 05", "17 0300 0000 05")
    try chart.exchange("16 0300 0100 06", "17 0300 0100 06")
    chart.application.authorizations[value] = .ask(ticket)
    chart.application.asked = []
    try chart.exchange("18 01", nil)
    #expect(chart.answer(ticket, with: .accepted) == "19")
    #expect(chart.application.asked == [value])
    #expect(chart.server.database.storedValue(of: value) == [5, 6])
  }
}
