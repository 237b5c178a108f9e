import BLECore
import Capture
import Decoding

/// The lines of a `ScreenModel`.
extension ScreenModel {
  /// All keys and their effects.
  package static let keys: [(key: String, does: String)] = [
    ("↑ ↓ k j", "the previous, the next packet"), ("PgUp PgDn space", "a page"),
    ("Home g", "the first packet"), ("End G", "the last packet, then follow new ones"),
    ("Tab Enter", "go to the fields and octets, and back"), ("d", "hide or show the fields and octets"),
    ("/", "filter; Enter applies it, Escape cancels, Control-U clears it"),
    ("f", "show only the conversation of this packet, or all packets again"),
    ("p", "show levels from info, warning, error, or all"),
    ("v", "change the point of view: peripheral, central, air, all"), ("r", "go to the packet that this one answers"),
    ("c", "comment on this packet"), ("F", "flag or unflag this packet"),
    ("n N", "the next, the previous flagged packet"),
    ("w", "write the shown packets to a file"),
    ("m", "measure Δ from this packet, or again from the one above"),
    ("x", "clear the filter and the conversation"), ("?", "show or hide this page"), ("q Control-C", "quit"),
  ]

  /// All lines, as many as the terminal has.
  package var lines: [ScreenLine] {
    var lines = [headLine]
    if mode == .help {
      lines += helpLines
    } else {
      lines += (top..<top + listRows).map { listLine($0) }
      if showsDetail {
        lines.append(rule)
        let detail = detail
        lines += (detailTop..<detailTop + detailRows).map {
          $0 < detail.count ? detail[$0] : ScreenLine(width: columns)
        }
      }
    }
    lines = Array(lines.prefix(rows - 1))
    while lines.count < rows - 1 { lines.append(ScreenLine(width: columns)) }
    return lines + [lastLine]
  }

  /// The number of lines of the list.
  var listRows: Int { showsDetail ? max(1, (rows - 3) / 2) : rows - 2 }
  /// The number of lines for fields and octets.
  var detailRows: Int { max(0, rows - 3 - listRows) }

  private var headLine: ScreenLine {
    var line = ScreenLine(width: columns)
    line.append(" " + sanitize(title), .inverse)
    let selected = shown.isEmpty ? "" : ", \(selection + 1) selected"
    line.append("  \(shown.count) of \(forgotten + entries.count) packets\(selected)", .inverse)
    if !followingText.isEmpty { line.append("  follows \(sanitize(followingText))", .inverse) }
    if view.known.count > 1, let shownView { line.append("  view: \(shownView.text)", .inverse) }
    if level > .debug { line.append("  from \(level.name)", .inverse) }
    if !filterText.isEmpty { line.append("  filter: \(sanitize(filterText))", .inverse) }
    line.fill(.inverse)
    return line
  }

  private func listLine(_ row: Int) -> ScreenLine {
    var line = ScreenLine(width: columns)
    guard shown.indices.contains(row) else { return line }
    let entry = entries[shown[row] - forgotten]
    let summary = entry.summary
    let isSelected = row == selection
    line.append(PacketWords.padded("\(summary.number)", 7), isSelected ? .inverse : .dim)
    line.append(entry.record.isFlagged ? "⚑" : " ", isSelected ? .inverse : .bold)
    line.append(PacketWords.columns(summary), isSelected ? .inverse : Self.style(summary))
    let text = decoder.text(of: summary, in: entry.record) + PacketWords.remarks(entry.record)
    line.append("  " + sanitize(text), isSelected ? .inverse : .plain)
    if isSelected { line.fill(.inverse) }
    return line
  }

  /// The color of a packet, by its layer.
  package static func style(_ summary: PacketSummary) -> ScreenLine.Style {
    if summary.fault != nil { return .red }
    switch summary.layer {
    case .att: return .cyan
    case .smp, .signalling, .channel,
      _ where summary.layer.isClassic:
      return .green
    case .event, .command, .message: return .dim
    default: return .plain
    }
  }

  private var rule: ScreenLine {
    var line = ScreenLine(width: columns)
    let latency = selected?.entry.summary.latency.map { " after \(PacketWords.span($0)) " } ?? ""
    let request = selected?.entry.summary.request.map { " answers #\($0)\(latency) " } ?? ""
    line.append("──\(request)" + String(repeating: "─", count: columns), mode == .detail ? .bold : .dim)
    return line
  }

  /// The layers of the selected packet with their fields, and then its octets.
  var detail: [ScreenLine] {
    guard let entry = selected?.entry else { return [] }
    var lines: [ScreenLine] = []
    func add(_ text: String, _ indent: Int, _ style: ScreenLine.Style = .plain) {
      var line = ScreenLine(width: columns)
      line.append(String(repeating: " ", count: indent) + sanitize(text), style)
      lines.append(line)
    }
    func add(_ field: DescribedField, _ indent: Int, _ octets: [UInt8]) {
      add(PacketWords.line(of: field, octets), indent)
      for child in field.children { add(child, indent + 2, octets) }
    }
    for layer in decoder.tree(of: entry.summary, in: entry.record) {
      add("\(layer.name) \(layer.title)", 1, .bold)
      for field in layer.fields { add(field, 3, layer.octets) }
    }
    add("Octets", 1, .bold)
    for line in PacketWords.hexLines(entry.record.octets) { add(line, 3, .dim) }
    return lines
  }

  private var helpLines: [ScreenLine] {
    let heads = ScreenModel.keys.map { PacketWords.padded("  " + $0.key, 22) }
    return [ScreenLine(width: columns)]
      + zip(heads, ScreenModel.keys).map { head, key in
        var line = ScreenLine(width: columns)
        line.append(head, .bold)
        line.append(key.does)
        return line
      }
  }

  private var lastLine: ScreenLine {
    var line = ScreenLine(width: columns)
    if let notice {
      line.append(" " + sanitize(notice.text), notice.isFault ? .red : .green)
    } else if let head = mode.prompt {
      line.append(head, .bold)
      // Show the end of a long text, where the cursor is.
      line.append(String(sanitize(editedText).suffix(max(0, columns - head.count - 2))))
      line.append("▏", .bold)
    } else if let searched {
      line.append(" packets wait: the passkey of a pairing is searched for, \(Int(searched * 100)) %", .green)
    } else if let chosen {
      line.append(" choosing packets, \(Int(chosen * 100)) %", .green)
    } else {
      line.append(" ? keys  / filter  f follow  q end", .dim)
      if followsEnd, mode == .list { line.append("  newest", .green) }
      line.append("  \(counters.text)", .dim)
      if let sinceMark { line.append("  Δ \(PacketWords.seconds(sinceMark))", mark == nil ? .dim : .bold) }
    }
    return line
  }
}

extension ScreenModel.Mode {
  /// The prompt before the edited text on the last line; nil if no text is edited.
  fileprivate var prompt: String? {
    switch self {
    case .filter: "/"
    case .file: "write to: "
    case .comment: "comment: "
    case .list, .detail, .help: nil
    }
  }
}
