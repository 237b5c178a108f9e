import Capture

/// Flags on packets, which help to find them again, and comments.
extension ScreenModel {
  /// Flags or unflags the selected packet. Its place does not change, even if the filter selects by flags.
  mutating func flagSelected() {
    guard let place = selected?.place else { return tell("there is no packet to flag") }
    entries[place - forgotten].record.isFlagged.toggle()
  }

  /// Starts editing the comment of the selected packet.
  mutating func askForComment() {
    guard let (place, entry) = selected else { return tell("there is no packet to comment on") }
    editedPlace = place
    ask(.comment, entry.record.comment ?? "")
  }

  /// Stores the edited comment. An empty one removes the comment.
  mutating func takeComment() {
    mode = .list
    guard editedPlace >= forgotten else { return tell("the packet is no longer kept") }
    entries[editedPlace - forgotten].record.comment = editedText.isEmpty ? nil : editedText
  }

  /// Selects the next or previous flagged packet among those shown.
  mutating func goToFlagged(isForward: Bool) {
    func isFlagged(_ place: Int) -> Bool { entries[shown[place] - forgotten].record.isFlagged }
    let found =
      isForward
      ? shown.indices.dropFirst(selection + 1).first(where: isFlagged)
      : shown.indices.prefix(selection).last(where: isFlagged)
    guard let found else { return tell("no packet \(isForward ? "below" : "above") is flagged: F flags one") }
    go(to: found)
  }
}
