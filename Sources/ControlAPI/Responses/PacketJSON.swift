import AccessoryProfile
import BLECore
import Capture
import Decoding

/// Decoded packets as JSON, for `understudy capture --json` and the streams of the control API.
extension PacketDecoder {
  /// Returns the record received last for JSON: numbers, text and octets, and optionally all fields as `layers`.
  package func json(
    of summary: PacketSummary, in record: CaptureRecord, withTree: Bool
  ) -> [String: ProfileValue] {
    var object: [String: ProfileValue] = [
      "number": .int(Int64(summary.number)), "nanoseconds": .int(summary.nanoseconds),
      "source": .int(Int64(summary.source)), "layer": .string(summary.layer.rawValue),
      "type": .string(Self.typeText(of: summary)), "sent": .bool(summary.isSent),
      "opcode": .int(Int64(summary.opcode)), "text": .string(text(of: summary, in: record)),
      "octets": .string(record.octets.hexadecimal),
      "level": .string(summary.level(in: record).name),
    ]
    object["handle"] = summary.handle.map { .int(Int64($0)) }
    object["access_address"] = summary.accessAddress.map { .int(Int64($0)) }
    object["address"] = summary.address.map { .string(DeviceAddress(bits: $0).description) }
    object["status"] = summary.status.map { .int(Int64($0)) }
    object["channel"] = summary.channel.map { .int(Int64($0)) }
    object["attribute"] = summary.attribute.map { .int(Int64($0)) }
    object["name"] = attributeName(of: summary).map { .string($0) }
    object["uuid"] = attributeType(of: summary).map { .string($0.description) }
    object["request"] = summary.request.map { .int(Int64($0)) }
    object["latency"] = summary.latency.map { .int($0) }
    object["fault"] = summary.fault.map { .string("\($0)") }
    if record.flags != 0 { object["flags"] = .int(Int64(record.flags)) }
    object["comment"] = record.comment.map { .string($0) }
    if record.isFlagged { object["flagged"] = .bool(true) }
    if !summary.value.isEmpty { object["value"] = .string(summary.valueOctets(in: record).hexadecimal) }
    if withTree { object["layers"] = .array(tree(of: summary, in: record).map { Self.json($0) }) }
    return object
  }

  private static func json(_ layer: DecodedLayer) -> ProfileValue {
    .object([
      "name": .string(layer.name), "title": .string(layer.title), "octets": .string(layer.octets.hexadecimal),
      "offset": layer.offset.map { .int(Int64($0)) } ?? .null, "fields": .array(layer.fields.map { json($0) }),
    ])
  }

  private static func json(_ field: DescribedField) -> ProfileValue {
    var object: [String: ProfileValue] = [
      "name": .string(field.name), "value": .string(field.value),
      "range": .array([.int(Int64(field.range.lowerBound)), .int(Int64(field.range.upperBound))]),
    ]
    object["meaning"] = field.meaning.map { .string($0) }
    if !field.children.isEmpty { object["fields"] = .array(field.children.map { json($0) }) }
    return .object(object)
  }
}
