import AccessoryProfile
import BLECore
import Testing

@testable import Linting

@Suite("Lint: hostile profiles")
struct HostileTests {
  /// A randomly changed profile gives findings inside its text, or the errors of `check`. Fixes leave a valid profile.
  @Test(arguments: ShippedProfiles.list, 0..<2)
  func findingsAreInTheTextAndFixesAreValid(_ entry: ShippedEntry, _ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed) + 77)
    let lines = try #require(ShippedProfiles.text(of: entry)).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map { String($0) }
    for _ in 0..<12 {
      let text = Self.mutated(lines, using: &random)
      do throws(ProfileError) {
        let findings = try Linter().lint(text: text, file: "x.yaml").findings
        #expect(findings.allSatisfy { Self.isInside(text, $0) }, "\(findings.map(\.text))")
        let fixed = try ProfileFixer(Linter()).fix(text: text, file: "x.yaml")
        #expect((try? Profile.load(text: fixed.text)) != nil)
        #expect((fixed.text == text) == fixed.changes.isEmpty)
      } catch {
        #expect(error.diagnostics.contains { $0.severity == .error })
      }
    }
  }

  private static func isInside(_ text: String, _ finding: LintFinding) -> Bool {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard (1...lines.count).contains(finding.line) else { return false }
    return (1...(lines[finding.line - 1].unicodeScalars.count + 1)).contains(finding.column)
  }

  /// Extreme values for the rules' arithmetic.
  private static let values = [
    "20 ms", "10.24 s", "7.5 ms", "4 s", "1 ms", "32 s", "0", "1", "512", "65535", "23", "517", "none", "private",
    "present",
    "absent", "[]", "{}", "extended", "legacy", "notify", "indicate", "hex:", "180F", "true", "false", "~",
  ]

  /// Returns the text after random changes: a line removed or doubled, two lines swapped, or another value.
  private static func mutated(_ lines: [String], using random: inout SplitMix64) -> String {
    var lines = lines
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let place = Int.random(in: 0..<lines.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where lines.count > 1: lines.remove(at: place)
      case 1: lines.insert(lines[place], at: place)
      case 2: lines.swapAt(place, Int.random(in: 0..<lines.count, using: &random))
      default:
        guard let colon = lines[place].lastIndex(of: ":") else { continue }
        let end = lines[place].hasSuffix("}") ? " }" : lines[place].hasSuffix("]") ? " ]" : ""
        lines[place] = "\(lines[place][...colon]) \(values.randomElement(using: &random) ?? "")\(end)"
      }
    }
    return lines.joined(separator: "\n")
  }
}
