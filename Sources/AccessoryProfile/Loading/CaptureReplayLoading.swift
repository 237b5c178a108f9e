import BLEATT
import BLECore
import Capture
import Decoding

/// Values out of captures.
extension ProfileLoader {
  /// The values of a characteristic in a capture, at the times at which they were sent, the first of them at once.
  mutating func capturedValues(_ keys: Keys, _ node: SyntaxNode, _ format: ValueFormat) -> ValueSource? {
    for name in ["column", "time", "every"] {
      if let key = keys.key(name) { error(key, "'\(name)' is for CSV files; values of a capture have their own times") }
    }
    guard let wanted = capturedAttribute(node), let captured = values(of: wanted, in: node) else { return nil }
    var (times, values): ([Duration], [ProfileValue]) = ([], [])
    for (nanoseconds, octets) in captured {
      guard isReadable(octets, as: format, node) else { return nil }
      var time = Duration.nanoseconds(max(0, nanoseconds.elapsed(since: captured[0].nanoseconds)))
      guard time <= Self.longestReplayTime else {
        error(node, "the capture's values are more than 100 years apart, so its times are wrong")
        return nil
      }
      // Several can have the time of the packet or of the clock's step; clocks can be set back, too.
      if let last = times.last { time = max(time, last + .microseconds(1)) }
      times.append(time)
      values.append(.octets(octets))
    }
    let last = times.count > 1 ? times[times.count - 1] - times[times.count - 2] : .seconds(1)
    let repeats = keys["repeat"].flatMap { boolean($0) } ?? true
    var recording = ValueSource.Recording(
      times: times, values: values, end: times[times.count - 1] + last, repeats: repeats)
    recording.isCaptured = true
    return .replay(recording)
  }

  /// Later values are not those of a recording: 100 years, as for CSV files.
  private static var longestReplayTime: Duration { .seconds(3_153_600_000) }

  /// Which values of a capture are wanted.
  private struct CapturedAttribute {
    var path: String
    var uuid: BluetoothUUID?
    var handle: UInt16?
    var peer: DeviceAddress?
    var areNotified = true
    var areRead = true

    func wants(_ opcode: ATTOpcode) -> Bool {
      switch opcode {
      case .handleValueNotification, .handleValueIndication, .multipleHandleValueNotification: areNotified
      case .readResponse, .readBlobResponse: areRead
      default: false
      }
    }
  }

  private mutating func capturedAttribute(_ node: SyntaxNode) -> CapturedAttribute? {
    guard let keys = keys(node, Language.capturedValues), let file = keys["capture"], let path = text(file) else {
      return nil
    }
    guard node.source.hasLines else {
      error(node, "only a profile can replay a file")
      return nil
    }
    var wanted = CapturedAttribute(path: besideProfile(path))
    switch (keys["uuid"], keys["handle"]) {
    case (let uuid?, nil):
      wanted.uuid = self.uuid(uuid, .characteristic)
      if wanted.uuid == nil { return nil }
    case (nil, let handle?):
      guard let number = integer(handle, keys.table, "handle") else { return nil }
      wanted.handle = UInt16(truncatingIfNeeded: number)
    default:
      error(node, "expected either 'uuid' or 'handle'")
      return nil
    }
    if let node = keys["peer"], let text = text(node) {
      wanted.peer = DeviceAddress(text)
      if wanted.peer == nil {
        error(node, "expected an address such as C4:12:34:56:78:9A, not '\(text)'")
        return nil
      }
    }
    if let node = keys["values"], let elements = list(node) {
      let words = elements.compactMap { oneOf($0, Language.capturedValues.words(of: "values")) }
      (wanted.areNotified, wanted.areRead) = (words.contains("notified"), words.contains("read"))
    }
    return wanted
  }

  /// Whether octets of a capture are a value of the format.
  private mutating func isReadable(_ octets: [UInt8], as format: ValueFormat, _ node: SyntaxNode) -> Bool {
    if case .hex = format { return true }
    guard format.decode(octets).octets != nil else { return true }
    error(
      node,
      "the capture has the value hex:\(octets.hexadecimal), which this format cannot hold; 'format: hex' holds any")
    return false
  }

  /// The values of the first attribute that fits, each with its time.
  private mutating func values(
    of wanted: CapturedAttribute, in node: SyntaxNode
  ) -> [(nanoseconds: Int64, octets: [UInt8])]? {
    var found: [(nanoseconds: Int64, octets: [UInt8])] = []
    do throws(CaptureReadFailure) {
      var reader = try CaptureFileReader(opening: wanted.path)
      var decoder = PacketDecoder()
      var record = CaptureRecord()
      var attribute: AttributePlace?
      var longReads = LongReads()
      while try reader.next(into: &record) {
        let summary = decoder.receive(record)
        longReads.note(summary, record)
        guard summary.layer == .att, var place = summary.attributeIndex else { continue }
        let opcode = ATTOpcode(rawValue: UInt8(truncatingIfNeeded: summary.opcode))
        guard wanted.wants(opcode), wanted.peer == nil || summary.address == wanted.peer?.bits else { continue }
        for (handle, value) in AttributeValues(summary, record).entries {
          place.handle = handle
          guard attribute.map({ $0 == place }) ?? fits(place, wanted, decoder) else { continue }
          attribute = place
          switch longReads.part(summary, value.count, next: found.count) {
          case .whole: found.append((summary.nanoseconds, value))
          case .continued(let place): found[place].octets += value
          case .stray: break
          }
        }
        guard found.count <= Self.longestReplay else {
          error(node, "the capture has more than \(Self.longestReplay) values of it, the maximum")
          return nil
        }
      }
    } catch {
      self.error(node, "\(error)")
      return nil
    }
    if found.isEmpty {
      let hint =
        wanted.uuid == nil
        ? "" : "; if the capture begins after the discovery, give the 'handle' of the value instead of its 'uuid'"
      error(node, "\(wanted.path) has no values of it\(hint)")
      return nil
    }
    return found
  }

  private func fits(_ place: AttributePlace, _ wanted: CapturedAttribute, _ decoder: PacketDecoder) -> Bool {
    if let handle = wanted.handle { return place.handle == handle }
    return decoder.attributeType(at: place) == wanted.uuid
  }
}
