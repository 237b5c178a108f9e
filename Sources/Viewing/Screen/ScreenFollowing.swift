import Decoding

/// Conversations, and points of view on them.
extension ScreenModel {
  /// The selected points of view.
  enum ViewChoice: Equatable {
    /// The preferred point of view for a conversation; otherwise all.
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
    case .channel, .l2cap,
      _ where summary.layer.isClassic:
      return summary.channel.map { "channel:" + PacketWords.hex(UInt64($0), 4) }
    case .smp: return "pairing"
    default: return nil
    }
  }

  // MARK: Points of view

  /// The only point of view that is shown; nil if all are shown.
  var shownView: Viewpoint? {
    switch viewChoice {
    case .all: nil
    case .only(let viewpoint): viewpoint
    case .automatic: narrowsByItself ? view.preferred : nil
    }
  }

  /// Whether to choose a point of view automatically: a numbered pairing already has one, and a filter by `hci` or `air` chooses one.
  private var narrowsByItself: Bool {
    switch following?.subject {
    case nil, .pairing(_?): false
    default: !(filter?.choosesView ?? false)
    }
  }

  /// Returns whether a packet is visible from the selected point of view.
  func isSeen(_ summary: PacketSummary) -> Bool {
    switch viewChoice {
    case .all: true
    case .only(let wanted): view.viewpoint(of: summary).map { $0 == wanted } ?? true
    case .automatic: !narrowsByItself || view.isChosen(summary)
    }
  }

  /// Switches to the next point of view, or to all after the last one.
  mutating func showNextView() {
    let known = view.known
    guard known.count > 1 else { return tell("all packets have the same point of view") }
    let place = shownView.flatMap { known.firstIndex(of: $0) }
    let next = place.map { $0 + 1 } ?? 0
    viewChoice = next < known.count ? .only(known[next]) : .all
    showAgain()
  }
}
