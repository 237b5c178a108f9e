import BLEATT
import BLECore
import Capture
import Decoding

/// Collects the values of one characteristic from the packets of a capture.
package struct CapturedValues {
  /// The values to collect.
  package struct Wanted {
    /// The UUID of the characteristic, unless it is specified by its handle.
    package var uuid: BluetoothUUID?
    /// The handle of the value.
    package var handle: UInt16?
    /// The peer whose connections are included; nil for all.
    package var peer: DeviceAddress?
    /// Whether notified and indicated values are included.
    package var areNotified = true
    /// Whether read values are included.
    package var areRead = true

    /// Selects all values of the first attribute with this UUID or handle.
    package init(uuid: BluetoothUUID? = nil, handle: UInt16? = nil) {
      self.uuid = uuid
      self.handle = handle
    }

    fileprivate func wants(_ opcode: ATTOpcode) -> Bool {
      switch opcode {
      case .handleValueNotification, .handleValueIndication, .multipleHandleValueNotification: areNotified
      case .readResponse, .readBlobResponse: areRead
      default: false
      }
    }
  }

  /// A value and the time at which it was sent, in nanoseconds since 1970-01-01 00:00 UTC.
  package typealias Value = (nanoseconds: Int64, octets: [UInt8])

  /// The longest recording, as for CSV files: 100 years.
  private static let longest = Duration.seconds(3_153_600_000)

  /// The values, in the order of their packets.
  package private(set) var found: [Value] = []

  private let wanted: Wanted
  private var attribute: AttributePlace?
  private var longReads = LongReads()

  /// Creates an empty collection.
  package init(_ wanted: Wanted) { self.wanted = wanted }

  /// Processes a packet that the decoder has just received.
  package mutating func take(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) {
    guard summary.layer == .att, var place = summary.attributeIndex else { return }
    longReads.note(summary, record)
    let opcode = ATTOpcode(rawValue: UInt8(truncatingIfNeeded: summary.opcode))
    guard wanted.wants(opcode), wanted.peer == nil || summary.address == wanted.peer?.bits else { return }
    for (handle, value) in AttributeValues(summary, record).entries {
      place.handle = handle
      guard attribute.map({ $0 == place }) ?? fits(place, decoder) else { continue }
      attribute = place
      switch longReads.part(summary, value.count, next: found.count) {
      case .whole: found.append((summary.nanoseconds, value))
      case .continued(let number): found[number].octets += value
      case .stray: break
      }
    }
  }

  private func fits(_ place: AttributePlace, _ decoder: borrowing PacketDecoder) -> Bool {
    if let handle = wanted.handle { return place.handle == handle }
    return decoder.attributeType(at: place) == wanted.uuid
  }

  /// Returns the times of values relative to the first one, in ascending order; nil if they are further apart than the longest recording.
  package static func times(of values: [Value]) -> [Duration]? {
    guard let first = values.first else { return [] }
    var times: [Duration] = []
    for value in values {
      var time = Duration.nanoseconds(max(0, value.nanoseconds.elapsed(since: first.nanoseconds)))
      guard time <= longest else { return nil }
      // Several values can have the same time, from one packet or within the clock's resolution, and clocks can be set back.
      if let last = times.last { time = max(time, last + .microseconds(1)) }
      times.append(time)
    }
    return times
  }
}
