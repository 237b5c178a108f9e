import AccessoryProfile
import BLECore
import Capture
import ControlAPI
import Decoding
import Learning
import Understudy
import Viewing

/// Everything that the command line and the profiles make of a capture, starting with its octets.
struct CaptureViews {
  private var decoder = PacketDecoder { _, octets in octets.hexadecimal }
  private var decryptor = LinkDecryptor(keys: [[UInt8](repeating: 7, count: 16)])
  private var statistics = CaptureStatistics()
  private var timeline = ConnectionTimeline()
  private var transcripts = [SidedTranscript(), SidedTranscript(comparingValues: true)]
  private var followed = [
    Following(.handle(3)), Following(.type(BluetoothUUID(0x2A37))), Following(.name("rate")), Following(.channel(0x40)),
    Following(.psm(0x27)), Following(.pairing(nil)), Following(.pairing(1)),
  ]
  private var conversation = ConversationText()
  private var table = ValueTable(Following(.handle(3)))
  private var values = [
    CapturedValues(CapturedValues.Wanted(handle: 3)),
    CapturedValues(CapturedValues.Wanted(uuid: BluetoothUUID(0x2A37))),
  ]
  private let filters: [PacketFilter]
  private var observer = DeviceObserver()
  private var screen: ScreenModel
  private var encoders = CaptureFormat.allCases.map { CaptureEncoder($0) }
  private var written = [[UInt8]](repeating: [], count: CaptureFormat.allCases.count)

  private static let filterTexts = [
    "time > 1s || latency > 30 ms && !hex contains ff", "text ~ /^(([a-zA-Z ]+)*)*\\d$/", "value > 3 && flagged or air",
  ]

  init() throws(Violation) {
    do {
      filters = try Self.filterTexts.map { try PacketFilter($0) }
      screen = try ScreenModel(title: "capture", decoder: PacketDecoder(), flag: "att.write") { $0 }
    } catch {
      throw Violation(description: "\(error)")
    }
    for place in encoders.indices {
      var buffer = OctetBuffer()
      encoders[place].begin(into: &buffer)
      written[place] = buffer.copy()
    }
  }

  /// Reads a file of any format as far as possible, and looks at it in every way.
  static func view(_ octets: [UInt8]) throws(Violation) {
    var views = try CaptureViews()
    var parser = CaptureParser()
    parser.push(octets.span)
    parser.end()
    var record = CaptureRecord()
    while (try? parser.next(into: &record)) == true {
      try require(parser.position <= UInt64(octets.count), "a record ends after the end of the file")
      try views.take(record)
    }
    try views.end()
  }

  /// Takes the next packet.
  mutating func take(_ packet: CaptureRecord) throws(Violation) {
    var record = packet
    decryptor.decrypt(&record)
    let summary = decoder.receive(record)
    for filter in filters { _ = filter.accepts(summary, record, decoder) }
    statistics.count(summary, record)
    timeline.add(summary, record)
    for place in transcripts.indices { transcripts[place].add(summary, record, decoder) }
    for place in followed.indices { _ = followed[place].accepts(summary, record, decoder) }
    for place in values.indices { values[place].take(summary, record, decoder) }
    _ = conversation.line(summary, record, decoder)
    _ = table.rows(summary, record, decoder)
    _ = PacketWords.columns(summary) + PacketWords.remarks(record)
    var json = OctetBuffer()
    decoder.writeJSON(of: summary, in: record, withTree: true, to: &json)
    try require((try? ProfileValue(json: json.copy())) != nil, "the JSON of a packet cannot be read")
    for layer in decoder.tree(of: summary, in: record) {
      for field in layer.fields { try Self.check(field, layer.octets.count) }
      _ = PacketWords.fieldLines(of: layer) + PacketWords.hexLines(layer.octets)
    }
    observer.take(record)
    screen.add(record)
    for place in encoders.indices {
      var buffer = OctetBuffer()
      _ = encoders[place].append(record, into: &buffer)
      written[place] += buffer.copy()
    }
  }

  /// Makes everything that is shown once all packets have come.
  mutating func end() throws(Violation) {
    _ = statistics.lines
    _ = conversation.ends(decoder)
    for connection in timeline.connections {
      _ = connection.headline
      let scale = TimelineScale(connection)
      for mark in scale.marks { try require((0...1).contains(mark.place), "a mark is outside the line") }
      for entry in connection.entries {
        _ = connection.columns(of: entry)
        try require((0...1).contains(scale.place(of: entry.nanoseconds)), "\(entry.text) is outside the line")
      }
    }
    for transcript in transcripts.map(\.chosen) {
      try require(TranscriptDifference(transcript, transcript).isEmpty, "a capture differs from itself")
    }
    for captured in values {
      let times = CapturedValues.times(of: captured.found) ?? []
      try require(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "a value is not later than the one before")
    }
    try learn()
    browse()
    for octets in written { try Self.readAgain(octets) }
  }

  /// Learns the devices. What comes out is a valid profile, or an error that is not about the profile.
  private func learn() throws(Violation) {
    for device in observer.found.prefix(4) {
      guard let learnt = try? device.learnProfile() else { continue }
      _ = device.scenario(for: learnt, accessory: "learnt.yaml")
      let again = try? Profile.load(text: learnt.text)
      try require(again != nil, "what was learnt is no valid profile")
    }
  }

  /// Presses keys of every kind on the screen.
  private mutating func browse() {
    screen.resize(rows: 24, columns: 80)
    for key in "gmjkGf".map({ ScreenKey.character($0) }) + [.tab, .pageDown, .escape, .up]
      + "vrFnNxd?".map({ .character($0) })
    {
      _ = screen.press(key)
      while screen.chosen != nil { screen.work() }
      _ = screen.lines
    }
  }

  /// Checks that what was written can be read.
  private static func readAgain(_ octets: [UInt8]) throws(Violation) {
    guard !octets.isEmpty else { return }
    var parser = CaptureParser()
    parser.push(octets.span)
    parser.end()
    var record = CaptureRecord()
    do throws(CaptureFault) {
      while try parser.next(into: &record) {}
    } catch {
      throw Violation(description: "what is written cannot be read: \(error)")
    }
  }

  private static func check(_ field: DescribedField, _ count: Int) throws(Violation) {
    try require(
      field.range.lowerBound >= 0 && field.range.upperBound <= count, "\(field.name) is outside its octets")
    for child in field.children { try check(child, count) }
  }
}
