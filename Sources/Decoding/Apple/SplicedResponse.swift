import BLECore

/// A response on the ANCS Data Source, assembled from the notifications that carry it. It is complete when every requested attribute has
/// arrived (Apple Notification Center Service Specification, "Data Source").
struct SplicedResponse: Sendable {
  /// Longer responses are not assembled.
  static let limit = 16_384

  /// The number of requested attributes.
  private let wanted: Int
  /// The octets received so far.
  private(set) var octets: [UInt8] = []
  /// The number of notifications received.
  private(set) var parts = 0
  /// The number of the record with the latest notification.
  private(set) var number = 0

  /// Creates the response to a value written to the control point; nil if it gets no response.
  init?(to request: [UInt8]) {
    guard let start = Self.attributes(in: request) else { return nil }
    guard request[0] == 0 else {
      wanted = request.count - start
      return
    }
    var (place, count) = (start, 0)
    while place < request.count {
      place += NotificationFields.attributesWithLength.contains(request[place]) ? 3 : 1
      count += 1
    }
    wanted = count
  }

  /// Whether the response is complete.
  var isWhole: Bool {
    guard var place = Self.attributes(in: octets) else { return false }
    var count = 0
    while count < wanted, place + 3 <= octets.count {
      place += 3 + Int(octets[place + 1]) + Int(octets[place + 2]) << 8
      if place > octets.count { return false }
      count += 1
    }
    return count >= wanted
  }

  /// Appends the value of a notification; false if the response is too long.
  mutating func append(_ value: [UInt8], number: Int) -> Bool {
    guard octets.count + value.count <= Self.limit else { return false }
    octets += value
    parts += 1
    self.number = number
    return true
  }

  /// Returns the position of the first attribute in a request or response; nil if it has none.
  private static func attributes(in octets: [UInt8]) -> Int? {
    switch octets.first {
    case 0: octets.count >= 5 ? 5 : nil
    case 1: octets.firstIndex(of: 0).map { $0 + 1 }
    default: nil
    }
  }
}

extension PacketDecoder {
  /// Tracks requests to the ANCS Control Point, and assembles the Data Source's responses.
  mutating func splice(_ pdu: Span<UInt8>, on place: Int, _ summary: PacketSummary) {
    guard let attribute = summary.attributeIndex, tables[attribute.table].hasDataSource, !summary.value.isEmpty,
      let entry = tables[attribute.table].entries[attribute.handle], entry.role == .value, entry.uuid.short == nil
    else { return }
    let value = pdu.array(from: summary.value.lowerBound, atMost: summary.value.count)
    switch (summary.opcode, entry.uuid) {
    case (0x12, NotificationFields.controlPoint): links[place].response = SplicedResponse(to: value)
    case (0x1B, NotificationFields.dataSource):
      if links[place].response?.isWhole == true && links[place].response?.parts ?? 0 > 0
        || links[place].response?.append(value, number: count) == false
      {
        links[place].response = nil
      }
    default: break
    }
  }

  /// Returns the response that contains the Data Source value of the latest record, if that is only a part of it.
  func splicedResponse(of summary: PacketSummary) -> SplicedResponse? {
    for place in links.indices {
      if let response = links[place].response, response.number == summary.number,
        response.parts > 1 || !response.isWhole
      {
        return response
      }
    }
    return nil
  }
}
