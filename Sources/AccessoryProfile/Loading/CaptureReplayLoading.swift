import BLEATT
import BLECore
import Capture
import Decoding

/// Values from captures.
extension ProfileLoader {
  /// Loads the values of a characteristic in a capture. They keep their relative times, and the first one applies at once.
  mutating func capturedValues(_ keys: Keys, _ node: SyntaxNode, _ format: ValueFormat) -> ValueSource? {
    for name in ["column", "time", "every"] {
      if let key = keys.key(name) { error(key, "'\(name)' is for CSV files; values of a capture have their own times") }
    }
    guard let wanted = capturedAttribute(node), let captured = values(of: wanted, in: node) else { return nil }
    guard let times = CapturedValues.times(of: captured) else {
      error(node, "the capture's values are more than 100 years apart, so its times are wrong")
      return nil
    }
    for value in captured where !isReadable(value.octets, as: format, node) { return nil }
    let values = captured.map { ProfileValue.octets($0.octets) }
    let last = times.count > 1 ? times[times.count - 1] - times[times.count - 2] : .seconds(1)
    let repeats = keys["repeat"].flatMap { boolean($0) } ?? true
    var recording = ValueSource.Recording(
      times: times, values: values, end: times[times.count - 1] + last, repeats: repeats)
    recording.isCaptured = true
    return .replay(recording)
  }

  /// A file and the values to take from it.
  private struct CapturedAttribute {
    var path: String
    var wanted = CapturedValues.Wanted()
  }

  private mutating func capturedAttribute(_ node: SyntaxNode) -> CapturedAttribute? {
    guard let keys = keys(node, Language.capturedValues), let file = keys["capture"], let path = text(file) else {
      return nil
    }
    guard node.source.hasLines else {
      error(node, "only a profile can replay a file")
      return nil
    }
    var attribute = CapturedAttribute(path: besideProfile(path))
    switch (keys["uuid"], keys["handle"]) {
    case (let uuid?, nil):
      attribute.wanted.uuid = self.uuid(uuid, .characteristic)
      if attribute.wanted.uuid == nil { return nil }
    case (nil, let handle?):
      guard let number = integer(handle, keys.table, "handle") else { return nil }
      attribute.wanted.handle = UInt16(truncatingIfNeeded: number)
    default:
      error(node, "expected either 'uuid' or 'handle'")
      return nil
    }
    if let node = keys["peer"], let text = text(node) {
      attribute.wanted.peer = DeviceAddress(text)
      if attribute.wanted.peer == nil {
        error(node, "expected an address such as C4:12:34:56:78:9A, not '\(text)'")
        return nil
      }
    }
    if let node = keys["values"], let elements = list(node) {
      let words = elements.compactMap { oneOf($0, Language.capturedValues.words(of: "values")) }
      (attribute.wanted.areNotified, attribute.wanted.areRead) = (
        words.contains("notified"), words.contains("read")
      )
    }
    return attribute
  }

  /// Checks that octets of a capture are a value of the format.
  private mutating func isReadable(_ octets: [UInt8], as format: ValueFormat, _ node: SyntaxNode) -> Bool {
    if case .hex = format { return true }
    guard format.decode(octets).octets != nil else { return true }
    error(
      node,
      "the capture has the value hex:\(octets.hexadecimal), which this format cannot hold; 'format: hex' holds any")
    return false
  }

  /// Returns the values of the first matching attribute with their times.
  private mutating func values(of attribute: CapturedAttribute, in node: SyntaxNode) -> [CapturedValues.Value]? {
    var captured = CapturedValues(attribute.wanted)
    do throws(CaptureReadFailure) {
      var reader = try CaptureFileReader(opening: attribute.path)
      var decoder = PacketDecoder()
      var record = CaptureRecord()
      while try reader.next(into: &record) {
        captured.take(decoder.receive(record), record, decoder)
        guard captured.found.count <= Self.longestReplay else {
          error(node, "the capture has more than the maximum of \(Self.longestReplay) values")
          return nil
        }
      }
    } catch {
      self.error(node, "\(error)")
      return nil
    }
    if captured.found.isEmpty {
      let hint =
        attribute.wanted.uuid == nil
        ? "" : "; if the capture begins after the discovery, give the 'handle' of the value instead of its 'uuid'"
      error(node, "\(attribute.path) has no such values\(hint)")
      return nil
    }
    return captured.found
  }
}
