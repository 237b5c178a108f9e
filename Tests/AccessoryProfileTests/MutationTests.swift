import AccessoryProfile
import BLECore
import Testing

@Suite("Mutations")
struct MutationTests {
  private static let fragments = [
    "{", "}", "[", "]", ": ", "- ", "\n", "  ", "\"", "'", "&a ", "*a", "|", ">", "#", "\t", "0x", "hex:", "~",
    "!!int ", "%",
    "---\n", "...\n", "é", "\u{1F44D}", "\u{85}", "999999999999999999999", "-1", "name: x\n", "value: ", "<<: *a", "? ",
  ]

  /// Random changes of every shipped profile give a profile, or diagnostics with positions inside the file.
  @Test(arguments: ShippedProfiles.list, 0..<4)
  func neverCrashAndPlacesAreInTheFile(_ entry: ShippedEntry, _ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let original = Array(try #require(ShippedProfiles.text(at: entry.path)).unicodeScalars)
    for _ in 0..<25 {
      var scalars = original
      for _ in 0..<Int.random(in: 1...6, using: &random) { Self.mutate(&scalars, using: &random) }
      let text = String(String.UnicodeScalarView(scalars))
      do throws(ProfileError) {
        let profile = try Profile.load(text: text)
        #expect(profile.warnings.allSatisfy { Self.isInside(text, $0) })
        var runtime = ProfileRuntime(profile: profile)
        for behavior in profile.behaviors { runtime.subscribe(behavior.id, notified: 1, indicated: 1, at: .zero) }
        for _ in 0..<20 { _ = runtime.run(until: runtime.nextDeadline ?? .zero) }
      } catch {
        #expect(error.diagnostics.contains { $0.severity == .error })
        #expect(error.diagnostics.allSatisfy { Self.isInside(text, $0) }, "\(error)")
      }
    }
  }

  private static func isInside(_ text: String, _ diagnostic: Diagnostic) -> Bool {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard (1...lines.count).contains(diagnostic.line) else { return false }
    return (1...(lines[diagnostic.line - 1].unicodeScalars.count + 1)).contains(diagnostic.column)
  }

  private static func mutate(_ scalars: inout [Unicode.Scalar], using random: inout SplitMix64) {
    let place = Int.random(in: 0..<scalars.count, using: &random)
    let length = min(Int.random(in: 1...12, using: &random), scalars.count - place)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: scalars.removeSubrange(place..<(place + length))
    case 1:
      scalars.insert(
        contentsOf: scalars[place..<(place + length)], at: Int.random(in: 0..<scalars.count, using: &random))
    case 2: scalars.insert(contentsOf: (fragments.randomElement(using: &random) ?? "").unicodeScalars, at: place)
    case 3: scalars[place] = Unicode.Scalar(UInt8.random(in: 32..<127, using: &random))
    default: scalars.swapAt(place, Int.random(in: 0..<scalars.count, using: &random))
    }
    if scalars.isEmpty { scalars = [" "] }
  }
}
