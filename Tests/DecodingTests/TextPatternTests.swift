import Testing

@testable import Decoding

@Suite("Regular expressions of filters")
struct TextPatternTests {
  @Test(
    "an expression matches where it should, and nowhere else",
    arguments: [
      ("abc", ["xabcx"], ["ab", ""]), ("", ["", "a"], []), ("Error|Reject", ["an Error", "Reject"], ["error"]),
      ("^a.c$", ["abc", "a.c"], ["xabc", "abcx", "a\nc"]), ("a*", [""], []), ("^a+$", ["a", "aaa"], ["", "ab"]),
      ("^ab?c$", ["ac", "abc"], ["abbc"]), ("^(ab|cd)+$", ["abcd", "ab"], ["abc", ""]),
      ("^(?:ab)+$", ["abab"], ["aba"]),
      ("^a{3}$", ["aaa"], ["aa", "aaaa"]), ("^a{2,}$", ["aa", "aaaa"], ["a"]), ("^a{1,2}$", ["a", "aa"], ["", "aaa"]),
      ("^a{0}b$", ["b"], ["ab"]), ("^(a|){3}$", ["", "aa"], ["aaaa"]), ("^[a-c]+$", ["abc"], ["abd"]),
      ("^[^a-c]+$", ["xyz"], ["xa"]), ("^[]a]$", ["]", "a"], ["b"]), ("^[a-]$", ["-", "a"], ["b"]),
      ("^[\\d_]+$", ["12_"], ["a"]), ("^\\d\\D\\w\\W\\s\\S$", ["1xé- x"], ["12é- x"]),
      ("\\bHandle\\b", ["a Handle:"], ["Handles"]),
      ("a\\Bb", ["ab"], ["a b"]), ("\\x41\\t\\/\\.", ["A\t/."], ["A\t/x"]), ("^.$", ["é", "→"], ["ab"]),
      ("é+$", ["éé"], ["e"]),
      ("a.*?b", ["a--b"], ["a"]), ("^(a*)*$", ["aaaa", ""], ["b"]), ("^((a|b)*|c)*$", ["abcab"], ["d"]),
    ] as [(String, [String], [String])])
  func matches(pattern: String, fitting: [String], others: [String]) throws {
    let automaton = try TextPattern(pattern)
    for text in fitting { #expect(automaton.matches(text), "/\(pattern)/ on \(text)") }
    for text in others { #expect(!automaton.matches(text), "/\(pattern)/ on \(text)") }
  }

  @Test(
    "unsupported syntax is refused at its position",
    arguments: [
      ("a(", 1), ("a)", 1), ("*a", 0), ("a**", 2), ("a*+", 2), ("a{2", 1), ("a{x}", 1), ("a{3,2}", 1), ("a{,2}", 1),
      ("[a", 0),
      ("[z-a]", 2), ("[[a]]", 1), ("(?=a)", 0), ("(?i)a", 0), ("ab\\1", 2), ("\\p{L}", 0), ("\\xZ1", 0), ("a\\", 1),
      ("^*", 1),
      ("a{5000}", 1), ("(a{100}){100}", 8), ("((a{0}){2000}){2000}", 7),
    ] as [(String, Int)])
  func refuses(pattern: String, place: Int) {
    do {
      _ = try TextPattern(pattern)
      Issue.record("/\(pattern)/ is taken")
    } catch {
      #expect(error.place == place, "/\(pattern)/: \(error.description)")
    }
  }

  @Test("an expression that makes other engines backtrack endlessly takes a step for each character")
  func isLinear() throws {
    let text = String(repeating: "a b", count: 20_000)
    for pattern in ["^(([a-zA-Z ]+)*)*\\d$", "^(a|a|b| )*\\d$", "(.*)*x"] {
      #expect(!(try TextPattern(pattern).matches(text)))
    }
  }

  @Test("expressions are bounded in length, depth and size")
  func bounds() {
    for pattern in [
      String(repeating: "a", count: 1001), String(repeating: "(", count: 60) + String(repeating: ")", count: 60),
      String(repeating: "(", count: 900),
    ] {
      #expect(throws: PatternFault.self) { try TextPattern(pattern) }
    }
  }

  @Test("any text is an expression or an error with a position in it", arguments: 0..<50)
  func noise(seed: UInt64) {
    var state = seed &* 6_364_136_223_846_793_005 &+ 1
    func draw(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let signs = Array("ab()[]{}|*+?.^$\\,-0123dwsDWSbxé")
    for _ in 0..<200 {
      let text = String((0..<draw(16)).map { _ in signs[draw(signs.count)] })
      do {
        _ = try TextPattern(text).matches("abba (0123) [] é-")
      } catch {
        #expect((0...text.count).contains(error.place), "\(text)")
      }
    }
  }
}
