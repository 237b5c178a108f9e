import Capture

/// Flags on packets, to find them again, and comments.
extension ScreenModel {
  /// Flags the selected packet, or takes its flag away. It stays where it is also when the filter asks for flags.
  mutating func flagSelected() {
    guard let place = selected?.place else { return tell("there is no packet to flag") }
    entries[place - forgotten].record.isFlagged.toggle()
  }

  /// Lets the comment on the selected packet be typed, beginning with what it is.
  mutating func askForComment() {
    guard let (place, entry) = selected else { return tell("there is no packet to comment on") }
    editedPlace = place
    ask(.comment, entry.record.comment ?? "")
  }

  /// Takes the comment that was typed; an empty one takes it away.
  mutating func takeComment() {
    mode = .list
    guard editedPlace >= forgotten else { return tell("the packet is not kept any longer") }
    entries[editedPlace - forgotten].record.comment = editedText.isEmpty ? nil : editedText
  }

  /// Selects the next of the flagged packets that are shown, or the one before.
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
