import AccessoryProfile
import BLECore
import BLEHCI
import BLELink
import BLESMP
import Dispatch
import Glibc
import Synchronization
import Understudy

/// Shows the questions of pairings, and reads the answers from standard input if that is a terminal. When no
/// question is open, a line presses a button.
final class PairingPrompt: Sendable {
  /// A question that waits for a line of input.
  private struct Waiting: Sendable {
    var accessory: Accessory
    var pending: PendingQuestion
  }

  private struct State {
    var waiting: [Waiting] = []
    var line: [UInt8] = []
    /// The buttons that can be pressed.
    var buttons: [KeyButton] = []
    /// Watches standard input while a question waits or there are buttons.
    var source: (any DispatchSourceRead)?
  }

  /// Whether answers can be typed.
  private let isInteractive: Bool
  private let members: [AccessoryGroup.Member]
  private let state = Mutex(State())
  /// The maximum length of a line: no answer is longer than six digits.
  private static let lineLimit = 64

  /// Creates a prompt for these accessories.
  init(members: [AccessoryGroup.Member]) {
    self.members = members
    isInteractive = isatty(STDIN_FILENO) == 1
  }

  /// Returns the lines to show in addition to the event; empty unless it is a question of a pairing.
  func lines(for event: GroupEvent) -> [TerminalText] {
    switch event.event.kind {
    case .question(.asked(let pending)):
      guard case .pairing = pending.question.kind else { return [] }
      return ask(pending, of: event.accessory)
    case .question(.ended(let pending, _)):
      forget(pending)
      return []
    default: return []
    }
  }

  private func ask(_ pending: PendingQuestion, of name: String?) -> [TerminalText] {
    guard case .pairing(let question) = pending.question.kind else { return [] }
    let central = "the central of connection \(pending.question.client.connection.rawValue)"
    let digits = question.digits ?? ""
    let (text, hint): (String, String?) =
      switch question {
      case .display: ("Passkey \(digits): type it on \(central).", nil)
      case .comparison: ("Does \(central) show \(digits)?", "y or n")
      case .passkey: ("Which passkey does \(central) show?", "six digits")
      case .consent: ("Pair with \(central)?", "y or n")
      }
    let line = Terminal.styled(text, .bold)
    guard let hint else { return [line] }
    guard isInteractive, wait(for: pending, of: name) else {
      return [line + "  Answer over HTTP: POST /v1/questions/\(pending.question.ticket.number)/answer"]
    }
    return [line + "  [\(hint)]"]
  }

  // MARK: Buttons

  /// Lets lines of input press these buttons. Returns the lines to show; empty if nothing can be typed.
  func offer(_ buttons: [KeyButton]) -> [TerminalText] {
    guard isInteractive, !buttons.isEmpty else { return [] }
    state.withLock { state in
      state.buttons = buttons
      startReading(&state)
    }
    let list = buttons.map { "\($0.number) \($0.label)" }.joined(separator: ", ")
    return ["  Buttons: \(list). Type a number or a name, and Return."]
  }

  private func press(_ line: String) {
    let word = line.filter { !$0.isWhitespace }
    let buttons = state.withLock(\.buttons)
    guard !word.isEmpty, !buttons.isEmpty else { return }
    guard let button = KeyButton.meant(by: word, among: buttons) else {
      return Terminal.print("  No button is called '\(word)'.")
    }
    Task {
      do throws(ControlError) { try await button.accessory.press(button.name) } catch { Terminal.print("  \(error)") }
    }
  }

  // MARK: Answers

  /// Waits for the answer to a question. Returns whether it can be typed.
  private func wait(for pending: PendingQuestion, of name: String?) -> Bool {
    let member = name.map { name in members.first { $0.name == name } } ?? members.first
    guard let member else { return false }
    state.withLock { state in
      state.waiting.append(Waiting(accessory: member.accessory, pending: pending))
      startReading(&state)
    }
    return true
  }

  private func startReading(_ state: inout State) {
    guard state.source == nil else { return }
    // Discard what was typed before: it is not an answer.
    tcflush(STDIN_FILENO, TCIFLUSH)
    state.line = []
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    source.setEventHandler { [weak self] in self?.read() }
    source.resume()
    state.source = source
  }

  private func forget(_ pending: PendingQuestion) {
    state.withLock { state in
      state.waiting.removeAll { $0.pending.question.ticket == pending.question.ticket }
      if state.waiting.isEmpty, state.buttons.isEmpty { stopReading(&state) }
    }
  }

  private func stopReading(_ state: inout State) {
    state.source?.cancel()
    state.source = nil
  }

  /// Reads what was typed. In the background of a shell, reading would stop the process.
  private func read() {
    guard tcgetpgrp(STDIN_FILENO) == getpgrp() else { return state.withLock { stopReading(&$0) } }
    var octets = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(STDIN_FILENO, &octets, octets.count)
    guard count > 0 else { return state.withLock { stopReading(&$0) } }
    let answers: [(Waiting?, String)] = state.withLock { state in
      var answers: [(Waiting?, String)] = []
      for octet in octets[..<count] {
        if octet != UInt8(ascii: "\n") {
          if state.line.count < Self.lineLimit { state.line.append(octet) }
          continue
        }
        let line = String(decoding: state.line, as: UTF8.self)
        state.line = []
        answers.append((state.waiting.first, line))
      }
      return answers
    }
    for (waiting, line) in answers {
      if let waiting { answer(waiting, line) } else { press(line) }
    }
  }

  private func answer(_ waiting: Waiting, _ line: String) {
    let word = line.filter { !$0.isWhitespace }.lowercased()
    guard let reply = Self.reply(word, to: waiting.pending.question) else {
      return Terminal.print("  That is not an answer: \(Self.wanted(by: waiting.pending.question)).")
    }
    Task {
      do throws(ControlError) {
        try await waiting.accessory.answer(waiting.pending.question.ticket, with: reply)
      } catch {
        Terminal.print("  \(error)")
      }
    }
  }

  private static func reply(_ word: String, to question: Question) -> QuestionReply? {
    if ["n", "no"].contains(word) { return .refuse }
    guard case .pairing(.passkey) = question.kind else { return ["y", "yes"].contains(word) ? .accept : nil }
    return word.utf8.count == 6 && word.allSatisfy { $0.isASCII && $0.isNumber } ? .value(.string(word)) : nil
  }

  private static func wanted(by question: Question) -> String {
    if case .pairing(.passkey) = question.kind { "six digits, or n to refuse" } else { "y or n" }
  }
}
