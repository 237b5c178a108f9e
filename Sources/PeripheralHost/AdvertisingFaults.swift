import BLEGAP
import Faults

extension FaultAdvertising {
  /// Advertising data as they go out, at most `limit` octets; `count` is how often they have changed.
  func applied(to data: [UInt8], count: Int, limit: Int) -> [UInt8] {
    switch self {
    case .data(let octets): Array(octets.prefix(limit))
    case .overLong: overLong(data)
    case .name, .changing, .asDefined: applied(toResponse: data, count: count, limit: limit)
    }
  }

  /// The data of a scan response, which has only the name in it that may be another.
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

  /// Gives the data another name (Core Specification Supplement Part A 1.2), cut to what fits.
  private func renamed(_ data: [UInt8], limit: Int, _ change: ([UInt8]) -> [UInt8]) -> [UInt8] {
    var renamed = AdvertisingData(parsing: data)
    let room = limit - renamed.octetCount
    renamed.structures = renamed.structures.map { structure in
      guard structure.type == .completeLocalName || structure.type == .shortenedLocalName else { return structure }
      // As octets, because a name may be cut within a character.
      let name = change(structure.content).prefix(max(0, room + structure.content.count))
      return .raw(structure.type, Array(name))
    }
    return (try? renamed.encoded(limit: limit)) ?? data
  }
}
