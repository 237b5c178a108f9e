import BLECore
import Capture

/// Decoded packets as JSON, for `understudy capture --json` and the streams of the control API. Fields are in the order of their names.
extension PacketDecoder {
  /// Appends the record received last as an object: numbers, text and octets, and optionally all fields as `layers`.
  ///
  /// - Parameter event: The name of the event that this is; nil for none.
  package func writeJSON(
    of summary: PacketSummary, in record: CaptureRecord, withTree: Bool, event: String? = nil,
    to json: inout OctetBuffer
  ) {
    json.append("{")
    json.append("access_address", summary.accessAddress)
    if let address = summary.address {
      json.appendKey("address")
      json.appendQuoted { $0.append(DeviceAddress(bits: address)) }
    }
    json.append("attribute", summary.attribute)
    json.append("channel", summary.channel)
    json.append("comment", record.comment)
    json.append("event", event)
    json.append("fault", summary.fault?.rawValue)
    if record.isFlagged { json.append("flagged", true) }
    if record.flags != 0 { json.append("flags", record.flags) }
    json.append("handle", summary.handle)
    json.append("latency", summary.latency)
    json.append("layer", summary.layer.rawValue)
    if withTree { json.append("layers", tree(of: summary, in: record)) { $1.append($0) } }
    json.append("level", summary.level(in: record).name)
    json.append("name", attributeName(of: summary))
    json.append("nanoseconds", summary.nanoseconds)
    json.append("number", summary.number)
    json.append("octets", record.octets[...])
    json.append("opcode", summary.opcode)
    json.append("request", summary.request)
    json.append("sent", summary.isSent)
    json.append("source", summary.source)
    json.append("status", summary.status)
    json.appendKey("text")
    json.appendQuoted { write(summary, in: record, to: &$0) }
    json.append("type", Self.typeText(of: summary))
    json.append("uuid", attributeType(of: summary)?.description)
    if !summary.value.isEmpty { json.append("value", summary.valueOctets(in: record)) }
    json.append("}")
  }
}

extension OctetBuffer {
  fileprivate mutating func append(_ layer: DecodedLayer) {
    append("{")
    append("fields", layer.fields) { $1.append($0) }
    append("name", layer.name)
    append("octets", layer.octets[...])
    appendKey("offset")
    if let offset = layer.offset { append(decimal: Int64(offset)) } else { append("null") }
    append("title", layer.title)
    append("}")
  }

  private mutating func append(_ field: DescribedField) {
    append("{")
    if !field.children.isEmpty { append("fields", field.children) { $1.append($0) } }
    append("meaning", field.meaning)
    append("name", field.name)
    append("range", [field.range.lowerBound, field.range.upperBound]) { $1.append(decimal: Int64($0)) }
    append("value", field.value)
    append("}")
  }

  // MARK: Fields of objects

  fileprivate mutating func append(_ name: String, _ number: (some FixedWidthInteger)?) {
    guard let number else { return }
    appendKey(name)
    append(decimal: Int64(number))
  }

  fileprivate mutating func append(_ name: String, _ text: String?) {
    guard let text else { return }
    appendKey(name)
    append(quoted: text)
  }

  fileprivate mutating func append(_ name: String, _ octets: ArraySlice<UInt8>) {
    appendKey(name)
    append("\"")
    append(hexadecimal: octets)
    append("\"")
  }

  fileprivate mutating func append(_ name: String, _ flag: Bool) {
    appendKey(name)
    append(flag ? "true" : "false")
  }

  /// Appends an array.
  fileprivate mutating func append<Element>(
    _ name: String, _ elements: [Element], _ write: (Element, inout OctetBuffer) -> Void
  ) {
    appendKey(name)
    append("[")
    for (place, element) in elements.enumerated() {
      if place > 0 { append(",") }
      write(element, &self)
    }
    append("]")
  }
}
