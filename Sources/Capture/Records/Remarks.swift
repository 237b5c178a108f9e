/// People's remarks on a packet, as stored in files. Formats with comments have no flags, so a flag is stored as a comment of one word,
/// which other programs display and can search for.
extension CaptureRecord {
  private static let flag = "flagged"

  /// The flag and the comment, if any.
  package var remarks: [String] { (isFlagged ? [Self.flag] : []) + (comment.map { [$0] } ?? []) }

  /// Sets the flag and the comment from a file's remarks on the packet, a line for each of several comments. A line with only the flag's
  /// word is the flag.
  mutating func take(remarks text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let rest = lines.filter { $0 != Self.flag }
    isFlagged = rest.count < lines.count
    comment = rest.isEmpty ? nil : isFlagged ? rest.joined(separator: "\n") : text
  }
}
