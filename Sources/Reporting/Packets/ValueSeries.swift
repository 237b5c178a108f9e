import AccessoryProfile
import BLECore
import Capture
import Decoding

/// A number over time: the values of a characteristic, or one field of them.
package struct ValueSeries: Sendable {
  /// The maximum number of points. A longer series keeps its first and its last ones.
  package static let pointLimit = 20_000

  /// The characteristic, with the field: `Heart Rate Measurement.rate`.
  package var name: String
  /// The type of the characteristic.
  package var type: BluetoothUUID
  /// The path of the field in the value; empty if the value is the number.
  package var field: String
  /// The numbers, with their times since the start in nanoseconds.
  package var points: [(nanoseconds: Int64, value: Double)]
}

/// Collects the numbers in notified, indicated, read and written values.
struct SeriesCollector {
  private static let (seriesLimit, depthLimit, elementLimit) = (48, 4, 4)
  /// Read Response, Read Blob Response, Write Request, Write Command, Handle Value Notification and Indication (Core 5.4 Vol 3 Part F 3.4).
  private static let opcodes: Set<UInt16> = [0x0B, 0x12, 0x52, 0x1B, 0x1D, AttributeValues.multipleNotification]

  private struct Key: Hashable {
    var lane: Int
    var name: String
    var type: BluetoothUUID
    var field: String
  }

  private let formats: [BluetoothUUID: ValueFormat]
  private var order: [Key] = []
  private var points: [Key: EndsOfSequence<(nanoseconds: Int64, value: Double)>] = [:]

  init(formats: [BluetoothUUID: ValueFormat]) { self.formats = formats }

  /// Takes the values of a packet that was just received.
  mutating func take(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder, at time: Int64, lane: Int
  ) {
    guard summary.layer == .att, Self.opcodes.contains(summary.opcode), let first = summary.attributeIndex else {
      return
    }
    for (handle, octets) in AttributeValues(summary, record).entries {
      var place = first
      place.handle = handle
      guard let type = decoder.attributeType(at: place), decoder.characteristic(at: place)?.handle == handle else {
        continue
      }
      let format = formats[type] ?? ValueFormat.assigned(to: type)
      guard format != .octets else { continue }
      let name = decoder.attributeName(at: place) ?? type.description
      take(format.decode(octets), Key(lane: lane, name: name, type: type, field: ""), at: time, depth: 0)
    }
  }

  private mutating func take(_ value: ProfileValue, _ key: Key, at time: Int64, depth: Int) {
    func inside(_ name: String) -> Key {
      var key = key
      key.field += key.field.isEmpty ? name : "." + name
      return key
    }
    switch value {
    case .object(let fields) where depth < Self.depthLimit && value.octets == nil:
      for (name, part) in fields.sorted(by: { $0.key < $1.key }) {
        take(part, inside(name), at: time, depth: depth + 1)
      }
    case .array(let elements) where depth < Self.depthLimit && elements.count <= Self.elementLimit:
      for (index, part) in elements.enumerated() { take(part, inside("\(index)"), at: time, depth: depth + 1) }
    default:
      guard let number = value.number, number.isFinite else { return }
      if points[key] == nil {
        guard order.count < Self.seriesLimit else { return }
        order.append(key)
        points[key] = EndsOfSequence(limit: ValueSeries.pointLimit)
      }
      points[key]?.append((time, number))
    }
  }

  /// Returns the series of the first of `lanes` that has any. The other lanes show the same values.
  func series(preferring lanes: [Int]) -> [ValueSeries] {
    guard let lane = lanes.first(where: { lane in order.contains { $0.lane == lane } }) else { return [] }
    return order.filter { $0.lane == lane }.map { key in
      ValueSeries(
        name: key.field.isEmpty ? key.name : "\(key.name).\(key.field)", type: key.type, field: key.field,
        points: points[key]?.elements ?? [])
    }
  }
}
