import Testing
import Viewing

@Suite("An edited line") struct LineEditorTests {
  private func typed(_ octets: String, into editor: inout LineEditor) -> [LineEditor.Outcome] {
    var parser = KeyParser()
    return parser.keys(in: octets.utf8).map { editor.press($0) }.filter { $0 != .none }
  }

  @Test(
    "Keys change the line",
    arguments: [
      ("abc", "abc|"), ("abc\u{1B}[D\u{1B}[Dx", "ax|bc"), ("abc\u{7F}", "ab|"), ("abc\u{1}\u{1B}[Cx", "ax|bc"),
      ("one two\u{17}", "one |"), ("one two \u{17}", "one |"), ("abc\u{15}", "|"), ("abc\u{1B}[D\u{15}", "|c"),
      ("abc\u{1B}[H\u{B}", "|"), ("abc\u{1}\u{4}", "|bc"), ("äö\u{1B}[Dü", "äü|ö"), ("\u{7F}\u{1B}[D\u{1B}[C", "|"),
      ("abc\u{3}d", "d|"),
    ])
  func keys(octets: String, expected: String) {
    var editor = LineEditor()
    _ = typed(octets, into: &editor)
    var shown = editor.characters
    shown.insert("|", at: editor.cursor)
    #expect(String(shown) == expected)
  }

  @Test("The arrow keys recall earlier lines, and restore the typed one")
  func history() {
    var editor = LineEditor()
    #expect(typed("one\rtwo\r\r", into: &editor) == [.entered("one"), .entered("two"), .entered("")])
    _ = typed("three\u{1B}[A", into: &editor)
    #expect(editor.text == "two")
    _ = typed("\u{1B}[A\u{1B}[A", into: &editor)
    #expect(editor.text == "one")
    _ = typed("\u{1B}[B\u{1B}[B\u{1B}[B", into: &editor)
    #expect(editor.text == "three" && editor.beginning == "three")
    #expect(typed("\t", into: &editor) == [.wantsCompletion])
  }

  @Test("Control-D ends only an empty line, and Control-C clears it")
  func ends() {
    var editor = LineEditor()
    #expect(typed("a\u{4}", into: &editor) == [])
    #expect(typed("\u{3}\u{4}", into: &editor) == [.interrupted, .ended])
  }
}
