import ArgumentParser
import Capture
import Decoding

extension CaptureRecord {
  /// Returns the record, flagged if a filter accepts it.
  func flagged(
    by filter: PacketFilter, _ summary: PacketSummary, _ decoder: borrowing PacketDecoder
  ) -> CaptureRecord {
    guard filter.accepts(summary, self, decoder) else { return self }
    var record = self
    record.isFlagged = true
    return record
  }
}

/// A comment for the packets that a filter accepts.
struct CommentRule {
  private let filter: PacketFilter
  private let text: String

  /// Parses `FILTER=TEXT`. The first equals sign that is not part of a comparison separates them.
  init(parsing option: String) throws {
    let characters = Array(option)
    let signs: Set<Character> = ["=", "<", ">", "!"]
    let place = characters.indices.first { place in
      characters[place] == "=" && !(place > 0 && signs.contains(characters[place - 1]))
        && !(place + 1 < characters.count && characters[place + 1] == "=")
    }
    guard let place, place > 0, place + 1 < characters.count,
      let filter = try CaptureReading.filter(String(characters[..<place]), option: "--comment")
    else { throw ValidationError("--comment takes FILTER=TEXT, such as 'att.error=Why is this refused?'") }
    self.filter = filter
    text = String(characters[(place + 1)...])
  }

  /// Returns the record with the comment added after existing ones, if the filter accepts it.
  func applied(
    to record: CaptureRecord, _ summary: PacketSummary, _ decoder: borrowing PacketDecoder
  ) -> CaptureRecord {
    guard filter.accepts(summary, record, decoder) else { return record }
    var record = record
    record.comment = record.comment.map { $0 + "\n" + text } ?? text
    return record
  }
}
