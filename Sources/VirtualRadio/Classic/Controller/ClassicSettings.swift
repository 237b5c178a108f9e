import BLECore
import BLEHCI

/// What a host has set on the BR/EDR side, with the values after HCI Reset (Core 5.4 Vol 4 Part E 7.3.2).
struct ClassicSettings {
  /// One kind of scan: for inquiries or for pages.
  struct Scan: Hashable {
    var interval: BasebandSlots
    var window = BasebandSlots(rawValue: 0x0012)
    var type = BasebandScanType.standard

    /// Whether it never stops.
    var isContinuous: Bool { window >= interval }
  }

  var scans: ScanEnable = []
  var inquiryScan = Scan(interval: BasebandSlots(rawValue: 0x1000))
  var pageScan = Scan(interval: BasebandSlots(rawValue: 0x0800))
  var accessCodes = [InquiryAccessCode.general]
  var inquiryMode = InquiryMode.standard
  var inquiryPower: Int8 = 0
  var classOfDevice = ClassOfDevice(rawValue: 0)
  var name = [UInt8](repeating: 0, count: 248)
  var extendedResponse = [UInt8](repeating: 0, count: 240)
  var responseNeedsFEC = false
  var pageTimeout = BasebandSlots(rawValue: 0x2000)
  var acceptTimeout = BasebandSlots(rawValue: 0x1F40)
  var authenticates = false
  var simplePairing = false
  var secureConnections = false
  var supportsLE = false
  var policy: LinkPolicySettings = []
  var voice = VoiceSetting(rawValue: 0x0060)
  var synchronousFlowControl = false
  var erroneousDataReporting = false
  var minimumKeySize: UInt8 = 7
  var filters = EventFilters()
  /// The data for pairing out of band that the host read last, by curve.
  var outOfBand192: OutOfBandData?
  var outOfBand256: OutOfBandData?

  /// LMP features, page 1: what the host has declared.
  var hostFeatures: LMPHostFeatures {
    var features: LMPHostFeatures = []
    if simplePairing { features.insert(.secureSimplePairing) }
    if supportsLE { features.insert(.leSupported) }
    if secureConnections { features.insert(.secureConnections) }
    return features
  }

  /// How often the page scan comes (Core 5.4 Vol 2 Part B 8.3.1).
  var repetitionMode: PageScanRepetitionMode {
    if pageScan.isContinuous { return .r0 }
    return pageScan.interval.rawValue <= 0x0800 ? .r1 : .r2
  }
}

/// A commitment and a random number for pairing out of band (Core 5.4 Vol 2 Part H 7.2.2).
struct OutOfBandData: Hashable {
  var commitment: [UInt8]
  var random: [UInt8]
}
