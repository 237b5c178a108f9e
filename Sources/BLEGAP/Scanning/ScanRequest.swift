import BLECore
import BLEHCI

/// How to scan, and for which advertisers.
package struct ScanRequest: Hashable, Sendable {
  /// Whether to request scan responses.
  package var isActive: Bool
  /// The advertisers to report.
  package var filter: ScanFilter
  /// The PHYs to scan on. Legacy commands support only LE 1M.
  package var phys: PHYSet
  /// Whether the controller reports each advertisement only once.
  package var filtersDuplicates: Bool
  /// The time between the starts of two scan windows, 2.5 ms ... 10.24 s.
  package var interval: Duration
  /// The length of a scan window, at most `interval`.
  package var window: Duration

  /// Creates a request. Without a filter every advertiser is reported.
  package init(
    isActive: Bool = true, filter: ScanFilter = ScanFilter(), phys: PHYSet = .le1M, filtersDuplicates: Bool = false,
    interval: Duration = .milliseconds(10), window: Duration = .milliseconds(10)
  ) {
    self.isActive = isActive
    self.filter = filter
    self.phys = phys
    self.filtersDuplicates = filtersDuplicates
    self.interval = interval
    self.window = window
  }

  package var type: ScanType { isActive ? .active : .passive }
}

/// The advertisers to report: those that match all given properties, either in their advertising data or in their scan response.
package struct ScanFilter: Hashable, Sendable {
  /// The address.
  package var address: DeviceAddress?
  /// The local name, complete or shortened.
  package var name: String?
  /// A service that the advertiser lists.
  package var service: BluetoothUUID?

  /// Creates a filter.
  package init(address: DeviceAddress? = nil, name: String? = nil, service: BluetoothUUID? = nil) {
    self.address = address
    self.name = name
    self.service = service
  }

  /// Returns whether an advertiser with all of this data matches.
  func accepts(_ address: DeviceAddress, _ data: [AdvertisingData]) -> Bool {
    if let wanted = self.address, wanted != address { return false }
    if let name, !data.contains(where: { $0.localName == name }) { return false }
    if let service, !data.contains(where: { $0.services.contains(service) }) { return false }
    return true
  }
}

extension AdvertisingData {
  /// The local name, complete or shortened.
  public var localName: String? {
    for case .localName(let name, _) in structures { return name }
    return nil
  }
}

/// A received advertisement or scan response.
public struct Advertisement: Hashable, Sendable {
  /// The advertiser's address.
  public var address: DeviceAddress
  /// The type of the address.
  public var addressType: AddressType
  /// The properties of the advertisement.
  public var kind: ExtendedReportType
  /// The octets of the data.
  public var octets: [UInt8]
  /// Whether part of the data was not received.
  public var isTruncated = false
  /// The signal strength in dBm; 127 if unknown.
  public var rssi: Int8
  /// The Advertising SID; 0xFF if the report has none.
  public var setID: UInt8 = 0xFF
  /// The PHY of the primary channel.
  public var primaryPHY = PHY.le1M
  /// The PHY of the data on the secondary channel; `none` if all data was on the primary channels.
  public var secondaryPHY = PHY.none

  /// The data, structure by structure.
  public var data: AdvertisingData { AdvertisingData(parsing: octets) }
  /// Whether this is the answer to a scan request.
  public var isScanResponse: Bool { kind.contains(.scanResponse) }
  /// Whether the advertiser is connectable.
  public var isConnectable: Bool { kind.contains(.connectable) }

  /// Creates the advertisement of a legacy report (Core 5.4 Vol 4 Part E 7.7.65.2).
  init(_ report: AdvertisingReport) {
    address = report.address
    addressType = report.addressType
    octets = report.data
    rssi = report.rssi
    switch report.reportType {
    case .connectableScannable: kind = [.legacy, .connectable, .scannable]
    case .directed: kind = [.legacy, .connectable, .directed]
    case .scannable: kind = [.legacy, .scannable]
    case .scanResponse: kind = [.legacy, .scanResponse]
    default: kind = [.legacy]
    }
  }

  /// Creates the part of an advertisement that an extended report contains (Core 5.4 Vol 4 Part E 7.7.65.13).
  init(_ report: ExtendedAdvertisingReport) {
    address = report.address
    addressType = report.addressType
    kind = report.reportType
    octets = report.data
    rssi = report.rssi
    setID = report.advertisingSID
    primaryPHY = report.primaryPHY
    secondaryPHY = report.secondaryPHY
  }
}
