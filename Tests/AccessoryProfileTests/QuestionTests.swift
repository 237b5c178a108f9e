import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import BLESMP
import Testing

/// Answers that come later: after a delay, or when a person or program has decided.
@Suite("Questions")
struct QuestionTests {
  private let x = CharacteristicIndex(0)

  private func runtime(_ keys: String) throws -> ProfileRuntime { ProfileRuntime(profile: try characteristic(keys)) }

  /// Returns the ticket of a read that is answered later.
  private func ticket(_ answer: ReadAnswer) throws -> AnswerTicket {
    guard case .later(let ticket) = answer else { throw ProfileValueError("answered at once: \(answer)") }
    return ticket
  }

  private func ticket(_ answer: AuthorizationAnswer) throws -> AnswerTicket {
    guard case .ask(let ticket) = answer else { throw ProfileValueError("answered at once: \(answer)") }
    return ticket
  }

  // MARK: After a while

  @Test func aDelayedReadHasTheValueOfItsTime() throws {
    var runtime = try runtime(
      "properties: [read, notify], format: u8, value: { ramp: 1 per 1 s }, on-read: { after: 2 s }")
    let ticket = try ticket(runtime.read(x, for: 1, at: .ms(5000)))
    #expect(runtime.nextDeadline == .ms(7000))
    let done = runtime.run(until: .ms(10_000))
    #expect(done.map(\.at) == [.ms(7000)] && done.map(\.action) == [.answer(ticket, .value([5]))])
    #expect(runtime.openQuestions.isEmpty && runtime.takeQuestionReports().isEmpty)
    // Values that are sent without a request do not wait.
    #expect(runtime.currentValue(of: x, for: 1, at: .ms(8000)) == [8])
  }

  @Test func aDelayedReadCanBeRefused() throws {
    var runtime = try runtime("properties: [read], value: hex:01, on-read: { after: 500 ms, error: 0x81 }")
    let ticket = try ticket(runtime.read(x, for: 1, at: .zero))
    #expect(runtime.run(until: .ms(500)).map(\.action) == [.answer(ticket, .error(ATTErrorCode(rawValue: 0x81)))])
  }

  @Test func aDelayedWriteIsDoneWithItsAnswer() throws {
    var runtime = try runtime(
      "properties: [read, write, notify], value: hex:00, on-write: [ { when: { length: 1 }, after: 2 s, do: { notify: x } }, { otherwise: { error: 0x80 }, after: 1 s } ]"
    )
    let first = try #require(runtime.write([7], to: x, for: 1, at: .zero).ticket)
    let second = try #require(runtime.write([7, 8], to: x, for: 2, at: .zero).ticket)
    #expect(runtime.presentValue(of: x, at: .ms(1500)) == [0])
    let done = runtime.run(until: .ms(3000))
    #expect(done.map(\.at) == [.ms(1000), .ms(2000), .ms(2000)])
    #expect(
      done.map(\.action) == [
        .answer(second, .error(ATTErrorCode(rawValue: 0x80))), .answer(first, .accepted), .notify(x),
      ])
    #expect(runtime.presentValue(of: x, at: .ms(3000)) == [7])
  }

  @Test func whoIsGoneGetsNoAnswer() throws {
    var runtime = try runtime("properties: [read], value: hex:01, on-read: { after: 2 s }")
    let ticket = try ticket(runtime.read(x, for: 1, at: .zero))
    runtime.cancelled(ticket, because: .clientLeft)
    #expect(runtime.nextDeadline == nil && runtime.takeQuestionReports().isEmpty)
  }

  // MARK: Pairing

  @Test func aPairingAsksForItsPasskey() throws {
    var runtime = try runtime("properties: [read], value: hex:01")
    runtime.ask(.passkey, of: 4, at: .ms(100))
    let question = try #require(runtime.openQuestions.first)
    #expect(question.kind == .pairing(.passkey) && question.client == 4 && question.deadline == .ms(25_100))
    for reply in [QuestionReply.accept, .value(.int(1_000_000)), .value(.int(-1)), .value(.string("12345"))] {
      #expect(throws: QuestionRefusal.self) { try runtime.answer(question.ticket, with: reply, at: .ms(200)) }
    }
    #expect(try runtime.answer(question.ticket, with: .value(.string("001234")), at: .ms(200)) == [])
    let end = QuestionEnd.pairing(.passkey(1234), isLate: false)
    #expect(runtime.takeQuestionReports() == [.asked(question), .ended(question, end)])
    #expect(throws: QuestionRefusal.ended(question.ticket, end)) {
      try runtime.answer(question.ticket, with: .refuse, at: .ms(300))
    }
  }

  @Test func aPairingThatNobodyDecidesIsRefusedBeforeItTimesOut() throws {
    var runtime = try runtime("properties: [read], value: hex:01")
    runtime.ask(.comparison(1), of: 1, at: .zero)
    runtime.ask(.consent, of: 2, at: .zero)
    runtime.ask(.display(2), of: 3, at: .zero)
    #expect(runtime.run(until: .ms(25_000)).isEmpty)
    let ends = runtime.takeQuestionReports().compactMap { if case .ended(_, let end) = $0 { end } else { nil } }
    #expect(ends == [.pairing(.refuse, isLate: true), .pairing(.refuse, isLate: true), .over])
  }

  @Test func aShownPasskeyCanOnlyBeRefused() throws {
    var runtime = try runtime("properties: [read], value: hex:01")
    runtime.ask(.display(7), of: 1, at: .zero)
    let ticket = try #require(runtime.openQuestions.first?.ticket)
    #expect(throws: QuestionRefusal.self) { try runtime.answer(ticket, with: .accept, at: .zero) }
    _ = try runtime.answer(ticket, with: .refuse, at: .zero)
    guard case .ended(_, let end) = runtime.takeQuestionReports().last else { throw ProfileValueError("no report") }
    #expect(end == .pairing(.refuse, isLate: false))
  }

  @Test func aQuestionEndsWithItsPairing() throws {
    var runtime = try runtime("properties: [read], value: hex:01")
    runtime.ask(.comparison(7), of: 1, at: .zero)
    runtime.ask(.comparison(8), of: 2, at: .zero)
    runtime.endPairingQuestion(of: 1)
    #expect(runtime.openQuestions.map(\.client) == [2])
    // This client comes after another has taken its number.
    runtime.ask(.consent, of: 2, at: .zero)
    #expect(runtime.openQuestions.map(\.kind) == [.pairing(.consent)])
    runtime.clientLeft(2, at: .zero)
    let ends = runtime.takeQuestionReports().compactMap { if case .ended(_, let end) = $0 { end } else { nil } }
    #expect(ends == [.over, .over, .clientLeft])
  }

  // MARK: Asked

  @Test func aReadIsAnsweredByWhoIsAsked() throws {
    var runtime = try runtime(
      "properties: [read], format: u16, value: 1, on-read: { ask: true, within: 3 s, else: 0x85 }")
    let ticket = try ticket(runtime.read(x, for: 4, at: .ms(100)))
    let question = Question(ticket: ticket, client: 4, kind: .read(x), deadline: .ms(3100))
    #expect(runtime.openQuestions == [question])
    #expect(runtime.takeQuestionReports() == [.asked(question)])
    #expect(throws: QuestionRefusal.self) { try runtime.answer(ticket, with: .accept, at: .ms(200)) }
    #expect(throws: QuestionRefusal.self) { try runtime.answer(ticket, with: .refuse, at: .ms(200)) }
    #expect(throws: QuestionRefusal.unsuitable("70000 is not within 0...65535")) {
      try runtime.answer(ticket, with: .value(.int(70_000)), at: .ms(200))
    }
    let answer = LateAnswer.value([2, 1])
    #expect(try runtime.answer(ticket, with: .value(.int(258)), at: .ms(200)) == [.answer(ticket, answer)])
    #expect(runtime.takeQuestionReports() == [.ended(question, .answered(answer))])
    #expect(runtime.openQuestions.isEmpty && runtime.nextDeadline == nil)
    #expect(throws: QuestionRefusal.ended(ticket, .answered(answer))) {
      try runtime.answer(ticket, with: .value(.int(1)), at: .ms(300))
    }
    #expect(throws: QuestionRefusal.unknown(AnswerTicket(99))) {
      try runtime.answer(AnswerTicket(99), with: .accept, at: .ms(300))
    }
  }

  @Test(arguments: [("", 25_000, 0x0E), (", within: 3 s, else: 0x85", 3000, 0x85)] as [(String, Int64, UInt8)])
  func whatNobodyAnswersIsRefused(keys: String, limit: Int64, error: UInt8) throws {
    var runtime = try runtime("properties: [read], value: hex:01, on-read: { ask: true\(keys) }")
    let ticket = try ticket(runtime.read(x, for: 1, at: .zero))
    #expect(runtime.run(until: .ms(limit - 1)).isEmpty)
    let answer = LateAnswer.error(ATTErrorCode(rawValue: error))
    #expect(runtime.run(until: .ms(limit)).map(\.action) == [.answer(ticket, answer)])
    guard case .ended(_, let end)? = runtime.takeQuestionReports().last else { return #expect(Bool(false)) }
    #expect(end == .expired(answer))
  }

  @Test func aWriteIsDecided() throws {
    var runtime = try runtime(
      "properties: [read, write], value: hex:00, on-write: [ { when: { first: 1 }, ask: true, else: 0x82, do: log } ]")
    let first = try #require(runtime.write([1, 2], to: x, for: 1, at: .zero).ticket)
    #expect(runtime.write([2], to: x, for: 1, at: .zero) == .accepted)
    #expect(runtime.openQuestions.map(\.kind) == [.write(x, [1, 2])])
    #expect(throws: QuestionRefusal.self) { try runtime.answer(first, with: .value(.octets([1])), at: .zero) }
    #expect(try runtime.answer(first, with: .accept, at: .ms(10)) == [.answer(first, .accepted)])
    #expect(runtime.presentValue(of: x, at: .ms(10)) == [1, 2] && runtime.takeJournal().map(\.value) == [[1, 2]])
    for (reply, code) in [(QuestionReply.refuse, 0x82), (.error(.valueNotAllowed), 0x13)] as [(QuestionReply, UInt8)] {
      let ticket = try #require(runtime.write([1, 3], to: x, for: 1, at: .ms(20)).ticket)
      let error = LateAnswer.error(ATTErrorCode(rawValue: code))
      #expect(try runtime.answer(ticket, with: reply, at: .ms(20)) == [.answer(ticket, error)])
    }
    #expect(runtime.presentValue(of: x, at: .ms(30)) == [1, 2])
  }

  @Test(arguments: [
    (AnswerTicket.Cancellation.clientLeft, QuestionEnd.clientLeft), (.timeout, .abandoned), (.notAwaited, .abandoned),
  ])
  func aQuestionEndsWithItsClient(_ reason: AnswerTicket.Cancellation, _ end: QuestionEnd) throws {
    var runtime = try runtime("properties: [read], value: hex:01, on-read: { ask: true }")
    let ticket = try ticket(runtime.read(x, for: 1, at: .zero))
    let question = try #require(runtime.openQuestions.first)
    runtime.cancelled(ticket, because: reason)
    #expect(runtime.takeQuestionReports() == [.asked(question), .ended(question, end)])
    #expect(throws: QuestionRefusal.ended(ticket, end)) { try runtime.answer(ticket, with: .value(.null), at: .zero) }
  }

  // MARK: Authorization

  private static let services = """
    services:
      - id: safe
        uuid: FFF0
        authorization: { state: ask, within: 5 s, error: 0x85 }
        characteristics:
          - { id: door, uuid: FFF1, properties: [read, write, notify], value: hex:00 }
          - { id: light, uuid: FFF2, properties: [read], value: hex:01, authorization: granted }
      - uuid: FFF4
        characteristics:
          - { id: alone, uuid: FFF3, properties: [read], value: hex:02, authorization: ask }
          - { id: free, uuid: FFF5, properties: [read], value: hex:03 }
    """

  @Test func aCharacteristicHasItsOwnAuthorization() throws {
    let profile = try profile(Self.services)
    let definitions = profile.services.flatMap(\.characteristics)
    #expect(definitions.map { $0.permissions.read?.needsAuthorization } == [true, true, true, false])
    #expect(definitions.map { $0.configurationPermissions.write?.needsAuthorization } == [true, true, true, false])
    var runtime = ProfileRuntime(profile: profile)
    #expect(runtime.authorize(.read, of: CharacteristicIndex(1), for: 1, at: .zero) == .granted)
    try runtime.setAuthorization(.denied, of: .characteristic("light"), at: .zero)
    #expect(
      runtime.authorize(.read, of: CharacteristicIndex(1), for: 1, at: .zero) == .error(.insufficientAuthorization))
    #expect(
      throws: ProfileValueError("there is no characteristic 'door' that needs authorization (known: alone, light)")
    ) {
      try runtime.setAuthorization(.denied, of: .characteristic("door"), at: .zero)
    }
  }

  @Test func whoIsAllowedIsNotAskedForAgain() throws {
    var runtime = ProfileRuntime(profile: try profile(Self.services))
    let (door, alone) = (CharacteristicIndex(0), CharacteristicIndex(2))
    let first = try ticket(runtime.authorize(.write, of: door, for: 1, at: .zero))
    let command = try ticket(runtime.authorize(.write, of: door, for: 1, at: .zero))
    #expect(runtime.openQuestions.map(\.kind) == [.authorization(.write, door), .authorization(.write, door)])
    #expect(
      try runtime.answer(first, with: .accept, at: .ms(1)) == [.answer(first, .accepted), .answer(command, .accepted)])
    #expect(runtime.authorize(.read, of: door, for: 1, at: .ms(2)) == .granted)
    let other = try ticket(runtime.authorize(.read, of: door, for: 2, at: .ms(2)))
    _ = try ticket(runtime.authorize(.read, of: alone, for: 1, at: .ms(2)))
    #expect(
      try runtime.answer(other, with: .refuse, at: .ms(3)) == [
        .answer(other, .error(ATTErrorCode(rawValue: 0x85)))
      ])
    // It applies as long as the client is connected.
    runtime.clientLeft(1, at: .ms(4))
    _ = try ticket(runtime.authorize(.read, of: door, for: 1, at: .ms(5)))
    #expect(runtime.run(until: .ms(5005)).count == 1)
  }

  @Test func aDecisionForEverybodyAnswersWhatIsOpen() throws {
    var runtime = ProfileRuntime(profile: try profile(Self.services))
    let door = CharacteristicIndex(0)
    let first = try ticket(runtime.authorize(.read, of: door, for: 1, at: .zero))
    #expect(try runtime.setAuthorization(.granted, of: .service("safe"), at: .ms(1)) == [.answer(first, .accepted)])
    #expect(runtime.authorize(.read, of: door, for: 2, at: .ms(2)) == .granted)
    try runtime.setAuthorization(.ask, of: .service("safe"), at: .ms(3))
    let second = try ticket(runtime.authorize(.read, of: door, for: 1, at: .ms(4)))
    #expect(
      try runtime.setAuthorization(.denied, of: .service("safe"), at: .ms(5)) == [
        .answer(second, .error(ATTErrorCode(rawValue: 0x85)))
      ])
  }
}
