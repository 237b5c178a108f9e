import BLECore
import BLEHCI

/// The type of a PDU on the advertising channels (Core 5.4 Vol 6 Part B 2.3), four bits.
struct AdvertisingPDUType: OpenCode {
  var rawValue: UInt8

  /// ADV_IND.
  static let connectableScannable = AdvertisingPDUType(rawValue: 0x0)
  /// ADV_DIRECT_IND.
  static let directed = AdvertisingPDUType(rawValue: 0x1)
  /// ADV_NONCONN_IND.
  static let nonConnectable = AdvertisingPDUType(rawValue: 0x2)
  /// SCAN_REQ, AUX_SCAN_REQ.
  static let scanRequest = AdvertisingPDUType(rawValue: 0x3)
  /// SCAN_RSP.
  static let scanResponse = AdvertisingPDUType(rawValue: 0x4)
  /// CONNECT_IND, AUX_CONNECT_REQ.
  static let connectRequest = AdvertisingPDUType(rawValue: 0x5)
  /// ADV_SCAN_IND.
  static let scannable = AdvertisingPDUType(rawValue: 0x6)
  /// ADV_EXT_IND, AUX_ADV_IND, AUX_SCAN_RSP, AUX_CHAIN_IND.
  static let extended = AdvertisingPDUType(rawValue: 0x7)
  /// AUX_CONNECT_RSP.
  static let connectResponse = AdvertisingPDUType(rawValue: 0x8)
}

/// The header of a PDU on the advertising channels (Core 5.4 Vol 6 Part B 2.3).
struct AdvertisingPDUHeader: OctetLayout, Hashable {
  var type = AdvertisingPDUType.connectableScannable
  /// ChSel: whether the sender supports channel selection algorithm #2.
  var knowsChannelSelection2 = false
  /// TxAdd: whether the sender's address is random.
  var hasRandomSender = false
  /// RxAdd: whether the target's address is random.
  var hasRandomTarget = false
  var length: UInt8 = 0

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    var first = type.rawValue & 0xF
    if knowsChannelSelection2 { first |= 1 << 5 }
    if hasRandomSender { first |= 1 << 6 }
    if hasRandomTarget { first |= 1 << 7 }
    try fields.integer("PDU Type, ChSel, TxAdd, RxAdd", &first)
    type = AdvertisingPDUType(rawValue: first & 0xF)
    knowsChannelSelection2 = first & 1 << 5 != 0
    hasRandomSender = first & 1 << 6 != 0
    hasRandomTarget = first & 1 << 7 != 0
    try fields.integer("Length", &length)
  }

  /// Returns the header followed by its payload.
  func pdu(_ payload: some OctetLayout) -> [UInt8] {
    let octets = payload.encoded
    var header = self
    header.length = UInt8(clamping: octets.count)
    return header.encoded + octets
  }
}

/// ADV_IND, ADV_NONCONN_IND, ADV_SCAN_IND, SCAN_RSP (Core 5.4 Vol 6 Part B 2.3.1.1, 2.3.1.3, 2.3.1.4, 2.3.2.2).
struct AdvertisingPayload: OctetLayout, Hashable {
  var advertiser = DeviceAddress.zero
  var data: [UInt8] = []

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("AdvA", &advertiser)
    try fields.remainder("AdvData", &data)
  }
}

/// ADV_DIRECT_IND, SCAN_REQ, AUX_SCAN_REQ (Core 5.4 Vol 6 Part B 2.3.1.2, 2.3.2.1).
struct AddressPairPayload: OctetLayout, Hashable {
  var sender = DeviceAddress.zero
  var target = DeviceAddress.zero

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("AdvA or ScanA", &sender)
    try fields.address("TargetA or AdvA", &target)
  }
}

/// CONNECT_IND, AUX_CONNECT_REQ (Core 5.4 Vol 6 Part B 2.3.3.1).
struct ConnectRequestPayload: OctetLayout, Hashable {
  var initiator = DeviceAddress.zero
  var advertiser = DeviceAddress.zero
  var accessAddress = AccessAddress(rawValue: 0)
  var crcInit: UInt32 = 0
  var timing = LinkTiming()
  var channelMap = ChannelMap()
  var hopIncrement: UInt8 = 0
  var clockAccuracy = ClockAccuracy.ppm500

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("InitA", &initiator)
    try fields.address("AdvA", &advertiser)
    try fields.code("AA", &accessAddress)
    try fields.integer24("CRCInit", &crcInit)
    try fields.nested(&timing)
    try fields.nested(&channelMap)
    var last = hopIncrement & 0x1F | clockAccuracy.rawValue << 5
    try fields.integer("Hop, SCA", &last)
    hopIncrement = last & 0x1F
    clockAccuracy = ClockAccuracy(rawValue: last >> 5)
  }
}
