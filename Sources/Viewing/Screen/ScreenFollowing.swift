import Decoding

/// Conversations, and the points of view from which they are shown.
extension ScreenModel {
  /// Which points of view are shown.
  enum ViewChoice: Equatable {
    /// Of a conversation the best one, else all.
    case automatic
    case all
    case only(Viewpoint)
  }

  /// Shows only the conversation of the selected packet, or everything again.
  mutating func followSelected() {
    if following != nil {
      (following, followingText, viewChoice) = (nil, "", .automatic)
      return showAgain()
    }
    guard let summary = selected?.entry.summary, let text = subject(of: summary) else {
      return tell("this packet does not belong to an attribute, a channel or a pairing")
    }
    followingText = text
    following = try? Following(parsing: text)
    showAgain()
  }

  private func subject(of summary: PacketSummary) -> String? {
    switch summary.layer {
    case .att:
      guard let place = summary.attributeIndex else { return nil }
      return PacketWords.hex(UInt64((decoder.characteristic(at: place) ?? place).handle), 4)
    case .channel, .l2cap: return summary.channel.map { "channel:" + PacketWords.hex(UInt64($0), 4) }
    case .smp: return "pairing"
    default: return nil
    }
  }

  // MARK: Points of view

  /// The one point of view that is shown; nil where all are.
  var shownView: Viewpoint? {
    switch viewChoice {
    case .all: nil
    case .only(let viewpoint): viewpoint
    case .automatic: narrowsByItself ? view.preferred : nil
    }
  }

  /// A numbered pairing is of one point of view already, and a filter by `hci` or `air` chooses one.
  private var narrowsByItself: Bool {
    switch following?.subject {
    case nil, .pairing(_?): false
    default: !(filter?.choosesView ?? false)
    }
  }

  /// Whether a packet is seen from where the screen looks.
  func isSeen(_ summary: PacketSummary) -> Bool {
    switch viewChoice {
    case .all: true
    case .only(let wanted): view.viewpoint(of: summary).map { $0 == wanted } ?? true
    case .automatic: !narrowsByItself || view.isChosen(summary)
    }
  }

  /// Shows the next point of view of those that there are, and after the last one all.
  mutating func showNextView() {
    let known = view.known
    guard known.count > 1 else { return tell("all packets are seen from one place") }
    let place = shownView.flatMap { known.firstIndex(of: $0) }
    let next = place.map { $0 + 1 } ?? 0
    viewChoice = next < known.count ? .only(known[next]) : .all
    showAgain()
  }
}
