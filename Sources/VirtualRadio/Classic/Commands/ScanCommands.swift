import BLECore
import BLEHCI

// Scans for inquiries and pages (Core 5.4 Vol 4 Part E 7.3.17-7.3.22, 7.3.47-7.3.52).
extension CommandTable {
  static let scanSettings: [CommandEntry] = [
    classic(HCIReadScanEnable.self) { classic, _ in
      HCIReadScanEnable.ReturnParameters { $0.scans = classic.settings.scans }
    },
    classicPlain(HCIWriteScanEnable.self) { classic, command throws(Refusal) in
      try classic.require(command.scans.rawValue <= 3)
      classic.settings.scans = command.scans
      classic.air.classicScansChanged()
    },
    classic(HCIReadInquiryScanActivity.self) { classic, _ in
      HCIReadInquiryScanActivity.ReturnParameters {
        $0.interval = classic.settings.inquiryScan.interval
        $0.window = classic.settings.inquiryScan.window
      }
    },
    classicPlain(HCIWriteInquiryScanActivity.self) { classic, command throws(Refusal) in
      try requireActivity(command.interval, command.window, classic)
      classic.settings.inquiryScan.interval = command.interval
      classic.settings.inquiryScan.window = command.window
    },
    classic(HCIReadPageScanActivity.self) { classic, _ in
      HCIReadPageScanActivity.ReturnParameters {
        $0.interval = classic.settings.pageScan.interval
        $0.window = classic.settings.pageScan.window
      }
    },
    classicPlain(HCIWritePageScanActivity.self) { classic, command throws(Refusal) in
      try requireActivity(command.interval, command.window, classic)
      classic.settings.pageScan.interval = command.interval
      classic.settings.pageScan.window = command.window
    },
    classic(HCIReadInquiryScanType.self) { classic, _ in
      HCIReadInquiryScanType.ReturnParameters { $0.type = classic.settings.inquiryScan.type }
    },
    classicPlain(HCIWriteInquiryScanType.self) { classic, command throws(Refusal) in
      try requireType(command.type, .interlacedInquiryScan, classic)
      classic.settings.inquiryScan.type = command.type
    },
    classic(HCIReadPageScanType.self) { classic, _ in
      HCIReadPageScanType.ReturnParameters { $0.type = classic.settings.pageScan.type }
    },
    classicPlain(HCIWritePageScanType.self) { classic, command throws(Refusal) in
      try requireType(command.type, .interlacedPageScan, classic)
      classic.settings.pageScan.type = command.type
    },
  ]

  /// Checks the ranges of Core 5.4 Vol 4 Part E 7.3.20. Only even intervals are valid.
  private static func requireActivity(
    _ interval: BasebandSlots, _ window: BasebandSlots, _ classic: ClassicController
  ) throws(Refusal) {
    try classic.require((0x0012...0x1000).contains(interval.rawValue) && interval.rawValue % 2 == 0)
    try classic.require((0x0011...0x1000).contains(window.rawValue) && window <= interval)
  }

  private static func requireType(
    _ type: BasebandScanType, _ feature: LMPFeatures, _ classic: ClassicController
  ) throws(Refusal) {
    try classic.require(type.rawValue <= 1)
    let isSupported = type == .standard || classic.configuration.features.contains(feature)
    try classic.require(isSupported, .unsupportedFeatureOrParameterValue)
  }
}
