import AccessoryProfile

/// Lines of a file, with one line marked.
package struct Excerpt: Hashable, Sendable {
  /// The maximum number of characters of a line.
  private static let lineLimit = 400

  /// The file, as the user named it.
  package var file: String
  /// The number of the first line, counted from 1.
  package var first: Int
  /// The lines.
  package var lines: [String]
  /// The number of the marked line.
  package var marked: Int

  /// Takes the lines around line `marked` of a text; nil if there is no such line.
  package init?(of text: String, file: String, marked: Int, around: Int = 4) {
    var all = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    if all.last?.isEmpty ?? false { all.removeLast() }
    guard marked >= 1, marked <= all.count else { return nil }
    first = max(1, marked - around)
    lines = all[first - 1..<min(all.count, marked + around)].map { String($0.prefix(Self.lineLimit)) }
    (self.file, self.marked) = (file, marked)
  }

  /// Takes the lines around the declaration of a characteristic in a profile; nil if the profile's text does not have it.
  package init?(declaring id: String, in profile: Profile) {
    let (text, file) = (profile.source.text, profile.file)
    guard !text.isEmpty,
      let examined = try? ExaminedProfile.load(text: text, file: file, settings: profile.source.settings),
      let node = examined.characteristics[id], node.source.name == file
    else { return nil }
    self.init(of: text, file: file, marked: node.line)
  }
}
