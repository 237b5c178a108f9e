import BLECore
import BLEHCI

/// Makes whole advertisements of the reports of a scan, and leaves out those that nobody wants.
package struct ReportAssembler: Sendable {
  private let filter: ScanFilter
  /// Advertisements whose data is not complete, the oldest first.
  private var partial: [Advertisement] = []
  /// The latest data of every advertiser, by kind, as far as a filter needs them.
  private var heard: [Advertiser: AdvertisingData] = [:]

  private struct Advertiser: Hashable {
    var address: DeviceAddress
    var type: AddressType
    var isScanResponse: Bool
  }

  /// How many incomplete advertisements are kept: as many as can be on the air at once, and some.
  private static let partialLimit = 64
  /// How many advertisers are remembered for the filter.
  private static let heardLimit = 1024

  package init(filter: ScanFilter) { self.filter = filter }

  /// The advertisement out of a legacy report; nil when it is not wanted.
  package mutating func take(_ report: AdvertisingReport) -> Advertisement? { pass(Advertisement(report)) }

  /// The advertisement that an extended report completes; nil when it does not, or is not wanted.
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
