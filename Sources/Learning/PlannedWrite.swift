import AccessoryProfile
import BLECore

extension DeviceReader {
  /// A write that the user permits.
  package struct PlannedWrite: Hashable, Sendable {
    /// The type of the characteristic.
    package var uuid: BluetoothUUID
    /// The value to write.
    package var value: [UInt8]
    /// How long to wait for the device's answer.
    package var wait: Duration

    /// Creates a write.
    package init(to uuid: BluetoothUUID, _ value: [UInt8], wait: Duration = .seconds(1)) {
      self.uuid = uuid
      self.value = value
      self.wait = wait
    }
  }
}

extension DeviceReader.PlannedWrite {
  /// Parses one write per line: a characteristic by its name or UUID, then octets as a literal or a text in quotes. A line that begins with
  /// `#` is a comment.
  package static func list(_ text: String) throws(PlannedWriteFault) -> [DeviceReader.PlannedWrite] {
    var writes: [DeviceReader.PlannedWrite] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      guard let uuid = BluetoothUUID(first) ?? AssignedName.uuid(named: first, kind: .characteristic) else {
        throw PlannedWriteFault(
          line: number + 1, reason: "'\(first)' is neither a UUID nor the name of an assigned characteristic")
      }
      let value = words.count > 1 ? words[1] : ""
      let quoted = value.hasPrefix("\"") && value.hasSuffix("\"") && value.count > 1
      guard let octets = quoted ? Array(value.dropFirst().dropLast().utf8) : ProfileValue.octets(ofLiteral: value)
      else {
        throw PlannedWriteFault(
          line: number + 1, reason: "expected octets such as hex:0102, u16:500 or \"text\", not '\(value)'")
      }
      writes.append(DeviceReader.PlannedWrite(to: uuid, octets))
    }
    return writes
  }
}

/// An error in a list of writes.
package struct PlannedWriteFault: Error, Hashable, Sendable {
  /// The line, counted from 1.
  package var line: Int
  /// What is wrong, and what to do about it.
  package var reason: String
}
