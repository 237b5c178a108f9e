import BLEATT
import BLECore
import BLESMP
import BLEGATT

/// The answers that clients wait for: those that come after a while, and those that somebody is asked for.
struct QuestionBook: Sendable {
  /// An answer that is still to come.
  struct Entry: Hashable, Sendable {
    var question: Question
    /// What the client gets when the deadline is reached.
    var preset: LateAnswer
    /// Whether somebody is asked; otherwise it only takes a while.
    var isAsked: Bool
  }

  private(set) var entries: [Entry] = []
  /// When the next of them is due.
  private(set) var nextDeadline: Instant?
  private var ended: [(ticket: AnswerTicket, end: QuestionEnd)] = []
  private var reports: [QuestionReport] = []
  private var lastTicket: UInt64 = 0
  private static let memory = 1000

  /// What somebody is asked and has not answered.
  var questions: [Question] { entries.lazy.filter(\.isAsked).map(\.question) }

  /// Keeps what a client waits for, and returns the ticket.
  mutating func add(
    _ kind: Question.Kind, for client: ClientID, until deadline: Instant, preset: LateAnswer, isAsked: Bool
  ) -> AnswerTicket {
    lastTicket += 1
    let question = Question(ticket: AnswerTicket(lastTicket), client: client, kind: kind, deadline: deadline)
    entries.append(Entry(question: question, preset: preset, isAsked: isAsked))
    nextDeadline = .earliest(nextDeadline, deadline)
    if isAsked { report(.asked(question)) }
    return question.ticket
  }

  /// Takes an entry out; nil when there is none.
  mutating func remove(_ ticket: AnswerTicket, _ end: QuestionEnd) -> Entry? {
    guard let place = entries.firstIndex(where: { $0.question.ticket == ticket }) else { return nil }
    let entry = entries.remove(at: place)
    nextDeadline = entries.reduce(nil) { Instant.earliest($0, $1.question.deadline) }
    guard entry.isAsked else { return entry }
    if ended.count >= Self.memory { ended.removeFirst() }
    ended.append((ticket, end))
    report(.ended(entry.question, end))
    return entry
  }

  /// Takes the next entry out that is due, the earliest first.
  mutating func removeDue(at now: Instant) -> Entry? {
    guard let nextDeadline, nextDeadline <= now,
      let entry = entries.first(where: { $0.question.deadline == nextDeadline })
    else { return nil }
    return remove(entry.question.ticket, Self.lapse(of: entry))
  }

  /// How an entry ends that nobody has answered in time.
  private static func lapse(of entry: Entry) -> QuestionEnd {
    switch entry.question.kind {
    case .pairing(.display(_)): .over
    case .pairing: .pairing(.refuse, isLate: true)
    default: .expired(entry.preset)
    }
  }

  /// The question that can be answered by that ticket.
  func question(_ ticket: AnswerTicket) throws(QuestionRefusal) -> Entry {
    if let entry = entries.first(where: { $0.isAsked && $0.question.ticket == ticket }) { return entry }
    guard let past = ended.last(where: { $0.ticket == ticket }) else { throw .unknown(ticket) }
    throw .ended(ticket, past.end)
  }

  /// What has become of questions since the last call; the oldest is forgotten beyond 1,000.
  mutating func takeReports() -> [QuestionReport] {
    guard !reports.isEmpty else { return [] }
    defer { reports = [] }
    return reports
  }

  private mutating func report(_ report: QuestionReport) {
    if reports.count >= Self.memory { reports.removeFirst() }
    reports.append(report)
  }
}
