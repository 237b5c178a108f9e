import BLECore

/// A response on the ANCS Data Source, put together out of the notifications that carry it: it is over when every attribute that was asked
/// for has come (Apple Notification Center Service Specification, "Data Source").
struct SplicedResponse: Sendable {
  /// A longer response is no longer put together.
  static let limit = 16_384

  /// How many attributes were asked for.
  private let wanted: Int
  /// What has come.
  private(set) var octets: [UInt8] = []
  /// How many notifications that were.
  private(set) var parts = 0
  /// The number of the record that the last of them was in.
  private(set) var number = 0

  /// The response to what was written to the control point; nil for what gets none.
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

  /// Whether all has come.
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

  /// Takes in what a notification carries; false when it is too much.
  mutating func append(_ value: [UInt8], number: Int) -> Bool {
    guard octets.count + value.count <= Self.limit else { return false }
    octets += value
    parts += 1
    self.number = number
    return true
  }

  /// Where the attributes begin in a request or response; nil where there are none.
  private static func attributes(in octets: [UInt8]) -> Int? {
    switch octets.first {
    case 0: octets.count >= 5 ? 5 : nil
    case 1: octets.firstIndex(of: 0).map { $0 + 1 }
    default: nil
    }
  }
}

extension PacketDecoder {
  /// Notes requests to the ANCS Control Point, and puts together what the Data Source answers.
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

  /// The response that the Data Source value of the record received last is a part of, where it is not the whole of it.
  func splicedResponse(of summary: PacketSummary) -> SplicedResponse? {
    links.lazy.compactMap(\.response).first { $0.number == summary.number && ($0.parts > 1 || !$0.isWhole) }
  }
}
