import Capture
import Decoding

/// A capture on the screen of a terminal: keys and packets go in, lines come out. It does no input or output.
///
/// The upper part is the list of packets. The lower part shows the selected packet, layer by layer, and its octets.
/// The last line is for the filter and messages. While the last packet is selected, the list follows new ones.
package struct ScreenModel {
  /// The part of the screen that keys act on.
  enum Mode: Equatable { case list, detail, filter, file, comment, help }

  /// A packet that is kept.
  struct Entry {
    var summary: PacketSummary
    var record: CaptureRecord
  }

  /// The maximum number of packets. Beyond it, the screen forgets the oldest tenth.
  package static let limit = 200_000
  /// The number of packets to check in one turn when the shown packets change.
  static let turn = 2_000

  /// The title on the first line.
  let title: String
  /// Makes text from packets harmless for the terminal.
  let sanitize: (String) -> String
  var decoder: PacketDecoder
  var entries: [Entry] = []
  /// The counters of all packets since the beginning.
  private(set) var counters = PacketCounters()
  /// The time of the marked packet, from which time is measured; nil to measure from the packet above the selected one.
  private(set) var mark: Int64?
  /// The places of the shown packets, counted from the first packet of the capture.
  var shown: [Int] = []
  /// The number of entries that were forgotten.
  var forgotten = 0
  /// A change of the shown packets in progress: the next place to check, and the place to select.
  private var choosing: (next: Int, wanted: Int)?
  var (rows, columns) = (24, 80)
  var mode = Mode.list
  /// The index in `shown` of the selected packet.
  var selection = 0
  /// The first visible lines of the list and of the detail.
  var (top, detailTop) = (0, 0)
  var followsEnd = true
  var showsDetail = true
  var filter: PacketFilter?
  /// The lowest level that is shown.
  var level = PacketLevel.debug
  var filterText = ""
  var editedText = ""
  /// The place of the packet whose comment is edited. Another packet may be selected meanwhile.
  var editedPlace = 0
  var following: Following?
  var followingText = ""
  /// The selected points of view.
  var viewChoice = ViewChoice.automatic
  /// The points of view in the capture.
  var view = PointOfView()
  /// The filter that flags packets when they arrive.
  private let flagging: PacketFilter?
  /// The file to write.
  var saving: Saving?
  /// The message on the last line until the next key.
  var notice: Notice?
  /// The progress of the search for a passkey, from 0 to 1, while packets wait for it.
  package var searched: Double?

  /// A message on the last line.
  struct Notice {
    var text: String
    var isFault: Bool
  }

  /// Creates a screen without packets.
  package init(
    title: String, decoder: PacketDecoder, filter: String? = nil, level: PacketLevel? = nil, follow: String? = nil,
    flag: String? = nil,
    sanitize: @escaping (String) -> String
  ) throws {
    self.title = title
    self.decoder = decoder
    self.sanitize = sanitize
    self.level = level ?? .debug
    flagging = try flag.map { try PacketFilter($0) }
    if let filter {
      self.filter = try PacketFilter(filter)
      filterText = filter
    }
    if let follow {
      following = try Following(parsing: follow)
      followingText = follow
    }
  }

  /// Sets the size of the terminal.
  package mutating func resize(rows: Int, columns: Int) {
    (self.rows, self.columns) = (max(rows, 4), max(columns, 20))
    keepInView()
  }

  /// Shows a message on the last line, such as an error of the file.
  package mutating func tell(_ text: String, isFault: Bool = true) { notice = Notice(text: text, isFault: isFault) }

  // MARK: Packets

  /// Adds the next packet. Its text is created only when it is visible.
  package mutating func add(_ record: CaptureRecord) {
    if entries.count >= Self.limit { forgetOldest() }
    let summary = decoder.receive(record)
    counters.count(summary)
    view.receive(summary, record)
    var entry = Entry(summary: summary, record: record)
    if let flagging, flagging.accepts(summary, record, decoder) { entry.record.isFlagged = true }
    entries.append(entry)
    // If earlier packets are still being checked, the new one waits for its turn.
    guard choosing == nil, isWanted(entry) else { return }
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
    choosing = choosing.map { (max($0.next, forgotten), $0.wanted) }
  }

  private mutating func isWanted(_ entry: Entry) -> Bool {
    // The conversation must see every packet, including those that the filter leaves out.
    let isFollowed = following?.accepts(entry.summary, entry.record, decoder) ?? true
    return isFollowed && isSeen(entry.summary) && entry.summary.level(in: entry.record) >= level
      && filter?.accepts(entry.summary, entry.record, decoder) ?? true
  }

  /// Applies filter, conversation and point of view again. The selected packet stays selected; if it is hidden, the next one is selected.
  mutating func showAgain() {
    choosing = (forgotten, choosing?.wanted ?? selected.map { $0.place } ?? 0)
    shown = []
    select(0)
    work()
  }

  /// The progress of the change of shown packets, from 0 to 1; nil if there is none.
  package var chosen: Double? {
    choosing.map { Double($0.next - forgotten) / Double(max(1, entries.count)) }
  }

  /// Continues the change of shown packets for one short turn, so that keys are handled soon.
  package mutating func work() {
    guard let (next, wanted) = choosing else { return }
    let end = min(next + Self.turn, forgotten + entries.count)
    for place in next..<end where isWanted(entries[place - forgotten]) {
      // Among the packets up to the wanted one, the last is selected until one after it is found.
      if let last = shown.last, last < wanted, !followsEnd { selection = shown.count }
      shown.append(place)
    }
    choosing = end < forgotten + entries.count ? (end, wanted) : nil
    select(followsEnd ? shown.count - 1 : selection)
  }

  var selected: (place: Int, entry: Entry)? {
    shown.indices.contains(selection) ? (shown[selection], entries[shown[selection] - forgotten]) : nil
  }

  /// The time in nanoseconds from the marked packet, or from the packet above, to the selected packet.
  var sinceMark: Int64? {
    guard let selected else { return nil }
    let before = selection > 0 ? entries[shown[selection - 1] - forgotten].summary.nanoseconds : nil
    return (mark ?? before).map { selected.entry.summary.nanoseconds.elapsed(since: $0) }
  }

  // MARK: Keys

  /// Handles a key. Returns false for the keys that quit.
  package mutating func press(_ key: ScreenKey) -> Bool {
    notice = nil
    if key == .control("c") { return false }
    switch mode {
    case .filter, .file, .comment: edit(key)
    case .help: mode = .list
    case .list, .detail: return act(key)
    }
    return true
  }

  private mutating func act(_ key: ScreenKey) -> Bool {
    switch key {
    case .character("q"): return false
    case .character("?"): mode = .help
    case .character("/"): ask(.filter, filterText)
    case .character("w"): ask(.file, "")
    case .character("f"): followSelected()
    case .character("v"): showNextView()
    case .character("p"): showNextLevel()
    case .character("F"): flagSelected()
    case .character("c"): askForComment()
    case .character("n"): goToFlagged(isForward: true)
    case .character("N"): goToFlagged(isForward: false)
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
      go(to: selection + step)
      followsEnd = selection == shown.count - 1
    }
  }

  /// Selects a place at the user's request. The list then stops following new packets.
  mutating func go(to place: Int) {
    select(place)
    followsEnd = false
    // From now on, this packet stays selected when the shown packets change.
    if let selected { choosing?.wanted = selected.place }
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

  /// Selects the packet that the selected one answers.
  private mutating func goToRequest() {
    guard let number = selected?.entry.summary.request,
      let place = shown.firstIndex(where: { entries[$0 - forgotten].summary.number == number })
    else { return tell("the packet that this one answers is not shown") }
    go(to: place)
  }

  /// Hides one more level, or shows all after the highest one.
  private mutating func showNextLevel() {
    level = PacketLevel(rawValue: level.rawValue + 1) ?? .debug
    showAgain()
  }

  private mutating func clear() {
    level = .debug
    (filter, filterText, following, followingText, viewChoice) = (nil, "", nil, "", .automatic)
    showAgain()
  }

  // MARK: The edited line

  mutating func ask(_ mode: Mode, _ text: String) {
    editedText = text
    self.mode = mode
  }

  private mutating func edit(_ key: ScreenKey) {
    switch key {
    case .character(let character): editedText.append(character)
    case .backspace: if !editedText.isEmpty { editedText.removeLast() }
    case .control("u"): editedText = ""
    case .escape: mode = .list
    case .enter:
      switch mode {
      case .file: save()
      case .comment: takeComment()
      default: takeFilter()
      }
    default: break
    }
  }

  private mutating func takeFilter() {
    do throws(FilterFault) {
      filter = editedText.isEmpty ? nil : try PacketFilter(editedText)
      filterText = editedText
      mode = .list
      showAgain()
    } catch {
      tell("column \(error.column): \(error)")
    }
  }
}
