import BLEATT
import BLECore
import BLESMP
import BLEGATT

/// The pending answers: those that are only delayed, and those to questions.
struct QuestionBook: Sendable {
  /// A pending answer.
  struct Entry: Hashable, Sendable {
    var question: Question
    /// The answer at the deadline.
    var preset: LateAnswer
    /// Whether a question is asked; otherwise, the answer is only delayed.
    var isAsked: Bool
  }

  private(set) var entries: [Entry] = []
  /// The time at which the next entry is due.
  private(set) var nextDeadline: Instant?
  private var ended: [(ticket: AnswerTicket, end: QuestionEnd)] = []
  private var reports: [QuestionReport] = []
  private var lastTicket: UInt64 = 0
  private static let memory = 1000

  /// The open questions.
  var questions: [Question] { entries.lazy.filter(\.isAsked).map(\.question) }

  /// Adds a pending answer, and returns its ticket.
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

  /// Removes an entry; nil if there is none.
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

  /// Removes the due entry with the earliest deadline; nil if none is due.
  mutating func removeDue(at now: Instant) -> Entry? {
    guard let nextDeadline, nextDeadline <= now,
      let entry = entries.first(where: { $0.question.deadline == nextDeadline })
    else { return nil }
    return remove(entry.question.ticket, Self.lapse(of: entry))
  }

  /// Returns how an entry ends at its deadline.
  private static func lapse(of entry: Entry) -> QuestionEnd {
    switch entry.question.kind {
    case .pairing(.display(_)): .over
    case .pairing: .pairing(.refuse, isLate: true)
    default: .expired(entry.preset)
    }
  }

  /// Returns the open question with a ticket.
  func question(_ ticket: AnswerTicket) throws(QuestionRefusal) -> Entry {
    if let entry = entries.first(where: { $0.isAsked && $0.question.ticket == ticket }) { return entry }
    guard let past = ended.last(where: { $0.ticket == ticket }) else { throw .unknown(ticket) }
    throw .ended(ticket, past.end)
  }

  /// Returns and removes the reports since the last call. At most 1,000 are kept; the oldest are dropped first.
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
