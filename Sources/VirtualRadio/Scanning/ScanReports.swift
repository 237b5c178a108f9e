import BLECore
import BLEHCI

extension Advertisement {
  /// Core 5.4 Vol 4 Part E 7.7.65.2.
  func legacyReportType(isScanResponse: Bool) -> AdvertisingReportType {
    if isScanResponse { return .scanResponse }
    if isDirected { return .directed }
    if isConnectable { return .connectableScannable }
    return isScannable ? .scannable : .nonConnectable
  }

  /// The report about this advertisement in the extended form, without data (Core 5.4 Vol 4 Part E 7.7.65.13).
  func extendedReport(isScanResponse: Bool, rssi: Int8) -> ExtendedAdvertisingReport {
    var report = ExtendedAdvertisingReport()
    if isConnectable { report.reportType.insert(.connectable) }
    if isScannable { report.reportType.insert(.scannable) }
    if isDirected {
      report.reportType.insert(.directed)
      report.directAddressType = targetType
      report.directAddress = target
    }
    if isScanResponse { report.reportType.insert(.scanResponse) }
    if isLegacy { report.reportType.insert(.legacy) }
    report.addressType = addressType
    report.address = address
    report.primaryPHY = PHY(rawValue: primaryPHY.rawValue)
    report.secondaryPHY = isLegacy ? .none : PHY(rawValue: secondaryPHY.rawValue)
    report.advertisingSID = isLegacy ? 0xFF : sid
    report.txPower = isLegacy ? 127 : transmitPower
    report.rssi = rssi
    return report
  }
}

extension AdvertisingReport {
  static func legacy(
    _ type: AdvertisingReportType, _ advertisement: Advertisement, _ data: [UInt8], rssi: Int8
  ) -> AdvertisingReport {
    var report = AdvertisingReport()
    report.reportType = type
    report.addressType = advertisement.addressType
    report.address = advertisement.address
    report.data = data
    report.rssi = rssi
    return report
  }
}
