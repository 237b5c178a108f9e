import Capture
import Decoding

/// A capture on the screen of a terminal: keys and packets go in, lines come out. It does no input or output.
///
/// Above is the list of packets, below what the selected one says, layer by layer, and its octets; the last line takes the filter and
/// says what there is to say. As long as the last packet is selected, the list follows new ones.
package struct ScreenModel {
  /// What keys act on.
  enum Mode: Equatable { case list, detail, filter, help }

  /// A packet that is kept.
  struct Entry {
    var summary: PacketSummary
    var record: CaptureRecord
  }

  /// More packets than this forget the oldest, a tenth at a time.
  package static let limit = 200_000

  /// What is shown, for the first line.
  let title: String
  /// Makes texts of others harmless for the terminal.
  let sanitize: (String) -> String
  var decoder: PacketDecoder
  var entries: [Entry] = []
  /// Of all packets that ever came.
  private(set) var counters = PacketCounters()
  /// When the packet was from which time is measured; nil for the one before the selected.
  private(set) var mark: Int64?
  /// Those that are shown, as places counted from the first packet that ever came.
  var shown: [Int] = []
  /// How many entries were forgotten.
  var forgotten = 0
  var (rows, columns) = (24, 80)
  var mode = Mode.list
  /// The place in `shown`.
  var selection = 0
  /// The first line of the list and of the detail that is seen.
  var (top, detailTop) = (0, 0)
  var followsEnd = true
  var showsDetail = true
  var filter: PacketFilter?
  var filterText = ""
  var editedText = ""
  var following: Following?
  var followingText = ""
  /// Said on the last line until the next key.
  var notice: String?

  /// A screen without packets.
  package init(
    title: String, decoder: PacketDecoder, filter: String? = nil, follow: String? = nil,
    sanitize: @escaping (String) -> String
  ) throws {
    self.title = title
    self.decoder = decoder
    self.sanitize = sanitize
    if let filter {
      self.filter = try PacketFilter(filter)
      filterText = filter
    }
    if let follow {
      following = try Following(parsing: follow)
      followingText = follow
    }
  }

  /// Says how large the terminal is now.
  package mutating func resize(rows: Int, columns: Int) {
    (self.rows, self.columns) = (max(rows, 4), max(columns, 20))
    keepInView()
  }

  /// Says something on the last line, such as what is wrong with the file.
  package mutating func tell(_ text: String) { notice = text }

  // MARK: Packets

  /// Takes in the next packet.
  package mutating func add(_ record: CaptureRecord) {
    if entries.count >= Self.limit { forgetOldest() }
    let summary = decoder.receive(record)
    counters.count(summary)
    entries.append(Entry(summary: summary, record: record))
    guard isWanted(summary, record) else { return }
    shown.append(forgotten + entries.count - 1)
    if followsEnd { select(shown.count - 1) }
  }

  private mutating func forgetOldest() {
    let count = Self.limit / 10
    entries.removeFirst(count)
    forgotten += count
    let gone = shown.prefix { $0 < forgotten }.count
    shown.removeFirst(gone)
    selection = max(0, selection - gone)
    top = max(0, top - gone)
  }

  private mutating func isWanted(_ summary: PacketSummary, _ record: CaptureRecord) -> Bool {
    // The conversation sees every packet, also those that the filter leaves out.
    let isFollowed = following?.accepts(summary, record, decoder) ?? true
    return isFollowed && filter?.accepts(summary, record, decoder) ?? true
  }

  /// Shows what filter and conversation let through; the selected packet stays selected, or the next one is.
  private mutating func showAgain() {
    let place = selected.map { $0.place } ?? 0
    shown = []
    for (index, entry) in entries.enumerated() where isWanted(entry.summary, entry.record) {
      shown.append(forgotten + index)
    }
    select(followsEnd ? shown.count - 1 : shown.firstIndex { $0 >= place } ?? shown.count - 1)
  }

  var selected: (place: Int, entry: Entry)? {
    shown.indices.contains(selection) ? (shown[selection], entries[shown[selection] - forgotten]) : nil
  }

  /// How long after the marked packet the selected one came, or after the one above it, in nanoseconds.
  var sinceMark: Int64? {
    guard let selected else { return nil }
    let before = selection > 0 ? entries[shown[selection - 1] - forgotten].summary.nanoseconds : nil
    return (mark ?? before).map { selected.entry.summary.nanoseconds - $0 }
  }

  // MARK: Keys

  /// Acts on a key; false when it is the one that ends.
  package mutating func press(_ key: ScreenKey) -> Bool {
    notice = nil
    if key == .control("c") { return false }
    switch mode {
    case .filter: edit(key)
    case .help: mode = .list
    case .list, .detail: return act(key)
    }
    return true
  }

  private mutating func act(_ key: ScreenKey) -> Bool {
    switch key {
    case .character("q"): return false
    case .character("?"): mode = .help
    case .character("/"):
      editedText = filterText
      mode = .filter
    case .character("f"): followSelected()
    case .character("x"): clear()
    case .character("d"):
      showsDetail.toggle()
      mode = .list
      keepInView()
    case .tab, .enter: mode = mode == .list && showsDetail ? .detail : .list
    case .escape, .left: mode = .list
    case .character("r"): goToRequest()
    case .character("m"): mark = mark == nil ? selected?.entry.summary.nanoseconds : nil
    default: move(key)
    }
    return true
  }

  private mutating func move(_ key: ScreenKey) {
    let page = max(1, (mode == .detail ? detailRows : listRows) - 1)
    let step: Int
    switch key {
    case .up, .character("k"): step = -1
    case .down, .character("j"): step = 1
    case .pageUp: step = -page
    case .pageDown, .character(" "): step = page
    case .home, .character("g"): step = -Int(Int32.max)
    case .end, .character("G"): step = Int(Int32.max)
    default: return
    }
    if mode == .detail {
      detailTop = max(0, min(detailTop + step, detail.count - detailRows))
    } else {
      select(selection + step)
      followsEnd = selection == shown.count - 1
    }
  }

  private mutating func select(_ place: Int) {
    selection = max(0, min(place, shown.count - 1))
    detailTop = 0
    keepInView()
  }

  private mutating func keepInView() {
    if selection < top { top = selection }
    if selection >= top + listRows { top = selection - listRows + 1 }
    top = max(0, min(top, shown.count - listRows))
  }

  /// Shows only the conversation of the selected packet, or everything again.
  private mutating func followSelected() {
    if following != nil {
      following = nil
      followingText = ""
      return showAgain()
    }
    guard let summary = selected?.entry.summary, let text = subject(of: summary) else {
      notice = "this packet does not belong to an attribute, a channel or a pairing"
      return
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

  /// Selects what the selected packet answers.
  private mutating func goToRequest() {
    guard let number = selected?.entry.summary.request,
      let place = shown.firstIndex(where: { entries[$0 - forgotten].summary.number == number })
    else {
      notice = "the packet that this one answers is not shown"
      return
    }
    select(place)
    followsEnd = false
  }

  private mutating func clear() {
    (filter, filterText, following, followingText) = (nil, "", nil, "")
    showAgain()
  }

  private mutating func edit(_ key: ScreenKey) {
    switch key {
    case .character(let character): editedText.append(character)
    case .backspace: if !editedText.isEmpty { editedText.removeLast() }
    case .control("u"): editedText = ""
    case .escape: mode = .list
    case .enter:
      do throws(FilterFault) {
        filter = editedText.isEmpty ? nil : try PacketFilter(editedText)
        filterText = editedText
        mode = .list
        showAgain()
      } catch {
        notice = "column \(error.column): \(error)"
      }
    default: break
    }
  }
}
