/// What people have remarked on a packet, as files keep it: formats that have comments have no flags, so a flag is a comment of one
/// word, which other programs show, and can look for.
extension CaptureRecord {
  private static let flag = "flagged"

  /// The flag and the comment, as far as there are any.
  package var remarks: [String] { (isFlagged ? [Self.flag] : []) + (comment.map { [$0] } ?? []) }

  /// Takes over what a file has remarked on the packet, of several comments a line for each. A line that is the flag's word alone is
  /// the flag.
  mutating func take(remarks text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let rest = lines.filter { $0 != Self.flag }
    isFlagged = rest.count < lines.count
    comment = rest.isEmpty ? nil : isFlagged ? rest.joined(separator: "\n") : text
  }
}
