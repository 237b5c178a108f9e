import ControlAPI
import Glibc
import Viewing

/// The terminal of a console: a prompt, and a line that can be edited.
final class ConsoleTerminal {
  private let prompt: String
  private var modes = termios()
  private var editor = LineEditor()
  private var parser = KeyParser()
  /// Keys that arrived together with an earlier line.
  private var keys: [ScreenKey] = []

  /// Creates the terminal on standard input and output; nil unless both are terminals.
  init?(prompt: String) {
    guard isatty(STDIN_FILENO) == 1, Terminal.isCapable(STDOUT_FILENO), tcgetattr(STDIN_FILENO, &modes) == 0 else {
      return nil
    }
    self.prompt = prompt
  }

  /// Returns the next line; nil at the end. `complete` returns the possible completions of a text's last word.
  func line(complete: (String) -> [String]) -> String? {
    var raw = modes
    cfmakeraw(&raw)
    // Output is processed as usual.
    raw.c_oflag = modes.c_oflag
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    defer { tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) }
    draw()
    while true {
      while !keys.isEmpty {
        switch editor.press(keys.removeFirst()) {
        case .none: draw()
        case .entered(let line):
          put("\r\n")
          return line
        case .wantsCompletion: offer(complete(editor.beginning))
        case .interrupted:
          put("^C\r\n")
          draw()
        case .ended:
          put("\r\n")
          return nil
        }
      }
      var octets = [UInt8](repeating: 0, count: 256)
      let count = read(STDIN_FILENO, &octets, octets.count)
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        return nil
      }
      keys += parser.keys(in: octets[..<count])
    }
  }

  /// Inserts the common part of all completions. If that adds nothing, lists them.
  private func offer(_ words: [String]) {
    let last = editor.beginning.split(separator: " ", omittingEmptySubsequences: false).last.map { String($0) } ?? ""
    let rest = ConsoleCompletion.common(words).dropFirst(last.count)
    if !rest.isEmpty { editor.insert(String(rest)) }
    if words.count == 1, words[0].last != "=" { editor.insert(" ") }
    if rest.isEmpty, words.count > 1 {
      let shown = words.prefix(64).map { TerminalText($0).rendered }.joined(separator: "  ")
      put("\r\n\(shown)\(words.count > 64 ? "  …" : "")\r\n")
    }
    draw()
  }

  private func draw() {
    let behind = editor.characters.count - editor.cursor
    put("\r\u{1B}[K\(prompt)\(TerminalText(editor.text).rendered)" + (behind > 0 ? "\u{1B}[\(behind)D" : ""))
  }

  private func put(_ text: String) {
    let octets = Array(text.utf8)
    var written = 0
    while written < octets.count {
      let count = octets[written...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count > 0 { written += count } else if count == 0 || errno != EINTR { return }
    }
  }
}
