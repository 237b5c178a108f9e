import BLEATT
import BLECore
import Capture
import Decoding

/// Collects the values of one characteristic out of the packets of a capture.
package struct CapturedValues {
  /// Which values are wanted.
  package struct Wanted {
    /// The type of the value, where it is not named by its handle.
    package var uuid: BluetoothUUID?
    /// Its handle.
    package var handle: UInt16?
    /// Only those of connections with that peer.
    package var peer: DeviceAddress?
    /// Those that were notified or indicated.
    package var areNotified = true
    /// Those that were read.
    package var areRead = true

    /// All values of all attributes that `uuid` or `handle` name.
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

  /// A value and when it was sent, in nanoseconds since 1970-01-01 00:00 UTC.
  package typealias Value = (nanoseconds: Int64, octets: [UInt8])

  /// Later values are not those of a recording, as for CSV files: 100 years.
  private static let longest = Duration.seconds(3_153_600_000)

  /// The values, in the order of their packets.
  package private(set) var found: [Value] = []

  private let wanted: Wanted
  private var attribute: AttributePlace?
  private var longReads = LongReads()

  /// Nothing found yet.
  package init(_ wanted: Wanted) { self.wanted = wanted }

  /// Takes in a packet that was just received.
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

  /// When each value comes, counted from the first and rising; nil when they are further apart than any recording is.
  package static func times(of values: [Value]) -> [Duration]? {
    guard let first = values.first else { return [] }
    var times: [Duration] = []
    for value in values {
      var time = Duration.nanoseconds(max(0, value.nanoseconds.elapsed(since: first.nanoseconds)))
      guard time <= longest else { return nil }
      // Several can have the time of the packet or of the clock's step; clocks can be set back, too.
      if let last = times.last { time = max(time, last + .microseconds(1)) }
      times.append(time)
    }
    return times
  }
}
