import BLECore
import BLEHCI

/// Assembles whole advertisements from the reports of a scan, and drops those that the filter excludes.
package struct ReportAssembler: Sendable {
  private let filter: ScanFilter
  /// Incomplete advertisements, oldest first.
  private var partial: [Advertisement] = []
  /// The latest data of every advertiser, for a filter that needs both advertising data and scan response.
  private var heard: [Advertiser: AdvertisingData] = [:]

  private struct Advertiser: Hashable {
    var address: DeviceAddress
    var type: AddressType
    var isScanResponse: Bool
  }

  /// The maximum number of incomplete advertisements: more than can be on the air at once.
  private static let partialLimit = 64
  /// The maximum number of advertisers whose data is kept for the filter.
  private static let heardLimit = 1024

  package init(filter: ScanFilter) { self.filter = filter }

  /// Returns the advertisement of a legacy report; nil if the filter excludes it.
  package mutating func take(_ report: AdvertisingReport) -> Advertisement? { pass(Advertisement(report)) }

  /// Returns the advertisement that an extended report completes; nil if it is still incomplete or the filter excludes it.
  package mutating func take(_ report: ExtendedAdvertisingReport) -> Advertisement? {
    var whole = Advertisement(report)
    whole.kind.dataStatus = .complete
    if let begun = partial.firstIndex(where: { Self.belong($0, whole) }) {
      whole.octets = partial.remove(at: begun).octets + whole.octets
    }
    let status = report.reportType.dataStatus
    let isOver = whole.octets.count > AdvertisingData.extendedLimit
    guard status == .moreToCome, !isOver else {
      whole.isTruncated = status == .truncated || isOver
      return pass(whole)
    }
    if partial.count >= Self.partialLimit { partial.removeFirst() }
    partial.append(whole)
    return nil
  }

  private static func belong(_ one: Advertisement, _ other: Advertisement) -> Bool {
    one.address == other.address && one.addressType == other.addressType && one.setID == other.setID
      && one.kind == other.kind
  }

  private mutating func pass(_ advertisement: Advertisement) -> Advertisement? {
    guard filter.name != nil || filter.service != nil else {
      return filter.accepts(advertisement.address, []) ? advertisement : nil
    }
    if heard.count >= Self.heardLimit { heard.removeAll(keepingCapacity: true) }
    var advertiser = Advertiser(
      address: advertisement.address, type: advertisement.addressType, isScanResponse: advertisement.isScanResponse)
    let data = advertisement.data
    heard[advertiser] = data
    advertiser.isScanResponse.toggle()
    let known = [data] + (heard[advertiser].map { [$0] } ?? [])
    return filter.accepts(advertisement.address, known) ? advertisement : nil
  }
}
