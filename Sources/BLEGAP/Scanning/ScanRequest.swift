import BLECore
import BLEHCI

/// How to listen, and to whom.
package struct ScanRequest: Hashable, Sendable {
  /// Whether scan responses are asked for.
  package var isActive: Bool
  /// Which advertisers are reported.
  package var filter: ScanFilter
  /// The PHYs to listen on; legacy commands know LE 1M alone.
  package var phys: PHYSet
  /// Whether the controller reports the same advertisement once only.
  package var filtersDuplicates: Bool
  /// How often listening begins, and for how long, 2.5 ms ... 10.24 s.
  package var interval: Duration
  /// How long is listened each time, at most `interval`.
  package var window: Duration

  /// A request; without a filter every advertiser is reported.
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

/// Which advertisers are wanted: those that fulfil everything that is given, be it with their advertising data or with their scan
/// response.
package struct ScanFilter: Hashable, Sendable {
  /// The address.
  package var address: DeviceAddress?
  /// The whole local name, or the shortened one.
  package var name: String?
  /// A service among those that are advertised.
  package var service: BluetoothUUID?

  /// A filter.
  package init(address: DeviceAddress? = nil, name: String? = nil, service: BluetoothUUID? = nil) {
    self.address = address
    self.name = name
    self.service = service
  }

  /// Whether an advertiser with all of that data is wanted.
  func accepts(_ address: DeviceAddress, _ data: [AdvertisingData]) -> Bool {
    if let wanted = self.address, wanted != address { return false }
    if let name, !data.contains(where: { $0.localName == name }) { return false }
    if let service, !data.contains(where: { $0.services.contains(service) }) { return false }
    return true
  }
}

extension AdvertisingData {
  /// The local name, whole or shortened.
  public var localName: String? {
    for case .localName(let name, _) in structures { return name }
    return nil
  }
}

/// An advertisement or a scan response that was heard.
public struct Advertisement: Hashable, Sendable {
  /// The advertiser.
  public var address: DeviceAddress
  /// The kind of its address.
  public var addressType: AddressType
  /// What kind of advertisement it is.
  public var kind: ExtendedReportType
  /// The octets of its data.
  public var octets: [UInt8]
  /// Whether more data was sent than could be heard.
  public var isTruncated = false
  /// How strongly it was heard, in dBm; 127 when unknown.
  public var rssi: Int8
  /// The advertising set; 0xFF when it names none.
  public var setID: UInt8 = 0xFF
  /// The PHY that it was found on.
  public var primaryPHY = PHY.le1M
  /// The PHY of the data; none for what is all on the primary channels.
  public var secondaryPHY = PHY.none

  /// The data, structure by structure.
  public var data: AdvertisingData { AdvertisingData(parsing: octets) }
  /// Whether it answers a scan request.
  public var isScanResponse: Bool { kind.contains(.scanResponse) }
  /// Whether the advertiser can be connected to.
  public var isConnectable: Bool { kind.contains(.connectable) }

  /// A legacy report (Core 5.4 Vol 4 Part E 7.7.65.2).
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

  /// A part of an extended report (Core 5.4 Vol 4 Part E 7.7.65.13).
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
