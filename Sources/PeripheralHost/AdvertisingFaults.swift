import BLEGAP
import Faults

extension FaultAdvertising {
  /// Returns the advertising data as it is sent, at most `limit` octets. `count` is the number of changes so far.
  func applied(to data: [UInt8], count: Int, limit: Int) -> [UInt8] {
    switch self {
    case .data(let octets): Array(octets.prefix(limit))
    case .overLong: overLong(data)
    case .name, .changing, .asDefined: applied(toResponse: data, count: count, limit: limit)
    }
  }

  /// Returns the data of a scan response as it is sent. Only its name can differ.
  func applied(toResponse data: [UInt8], count: Int, limit: Int) -> [UInt8] {
    switch self {
    case .name(let name): renamed(data, limit: limit) { _ in Array(name.utf8) }
    case .changing: renamed(data, limit: limit) { $0.dropLast() + [UInt8(ascii: "0") + UInt8(count % 10)] }
    case .data, .overLong, .asDefined: data
    }
  }

  /// Lets the last structure claim more octets than there are (Core 5.4 Vol 3 Part C 11).
  private func overLong(_ data: [UInt8]) -> [UInt8] {
    var data = data
    var offset = 0
    while offset < data.count, data[offset] > 0 {
      let next = offset + 1 + Int(data[offset])
      if next >= data.count { data[offset] = UInt8(clamping: Int(data[offset]) + 8) }
      offset = next
    }
    return data
  }

  /// Replaces the name in the data (Core Specification Supplement Part A 1.2), cut off to fit.
  private func renamed(_ data: [UInt8], limit: Int, _ change: ([UInt8]) -> [UInt8]) -> [UInt8] {
    var renamed = AdvertisingData(parsing: data)
    let room = limit - renamed.octetCount
    renamed.structures = renamed.structures.map { structure in
      guard structure.type == .completeLocalName || structure.type == .shortenedLocalName else { return structure }
      // The name is raw octets, because the cut may be within a character.
      let name = change(structure.content).prefix(max(0, room + structure.content.count))
      return .raw(structure.type, Array(name))
    }
    return (try? renamed.encoded(limit: limit)) ?? data
  }
}
