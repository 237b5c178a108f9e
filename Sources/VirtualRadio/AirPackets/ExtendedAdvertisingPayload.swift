import BLECore

/// The Common Extended Advertising Payload Format (Core 5.4 Vol 6 Part B 2.3.4), with the fields that these controllers send.
struct ExtendedAdvertisingPayload: OctetLayout, Hashable {
  /// AdvMode: whether the advertiser is connectable or scannable.
  enum Mode: UInt8 {
    case nonConnectableNonScannable = 0
    case connectable = 1
    case scannable = 2
    case reserved = 3
  }

  var mode = Mode.nonConnectableNonScannable
  /// AdvA.
  var advertiser: DeviceAddress?
  /// TargetA.
  var target: DeviceAddress?
  /// AdvDataInfo.
  var dataInfo: AdvertisingDataInfo?
  /// AuxPtr.
  var pointer: AuxiliaryPointer?
  /// In dBm.
  var transmitPower: Int8?
  var data: [UInt8] = []

  /// The length of the payload in octets.
  var length: Int { 1 + headerLength + data.count }

  private var headerLength: Int {
    let fields =
      (advertiser == nil ? 0 : 6) + (target == nil ? 0 : 6) + (dataInfo == nil ? 0 : 2) + (pointer == nil ? 0 : 3)
      + (transmitPower == nil ? 0 : 1)
    return fields == 0 ? 0 : 1 + fields
  }

  /// The extended header flags (2.3.4.2).
  private struct Flags: OptionSet {
    var rawValue: UInt8
    static let advertiser = Flags(rawValue: 1 << 0)
    static let target = Flags(rawValue: 1 << 1)
    static let dataInfo = Flags(rawValue: 1 << 3)
    static let pointer = Flags(rawValue: 1 << 4)
    static let transmitPower = Flags(rawValue: 1 << 6)
  }

  private var flags: Flags {
    var flags: Flags = []
    if advertiser != nil { flags.insert(.advertiser) }
    if target != nil { flags.insert(.target) }
    if dataInfo != nil { flags.insert(.dataInfo) }
    if pointer != nil { flags.insert(.pointer) }
    if transmitPower != nil { flags.insert(.transmitPower) }
    return flags
  }

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    var first = UInt8(headerLength) | mode.rawValue << 6
    try fields.integer("Extended Header Length, AdvMode", &first)
    mode = Mode(rawValue: first >> 6) ?? .reserved
    if first & 0x3F != 0 { try visitHeader(&fields) }
    try fields.remainder("AdvData", &data)
  }

  private mutating func visitHeader<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    var present = flags
    try fields.flags("Extended Header Flags", &present)
    if present.contains(.advertiser) {
      var address = advertiser ?? .zero
      try fields.address("AdvA", &address)
      advertiser = address
    }
    if present.contains(.target) {
      var address = target ?? .zero
      try fields.address("TargetA", &address)
      target = address
    }
    if present.contains(.dataInfo) {
      var info = dataInfo ?? AdvertisingDataInfo()
      try fields.nested(&info)
      dataInfo = info
    }
    if present.contains(.pointer) {
      var auxiliary = pointer ?? AuxiliaryPointer()
      try fields.nested(&auxiliary)
      pointer = auxiliary
    }
    if present.contains(.transmitPower) {
      var power = transmitPower ?? 0
      try fields.integer("TxPower", &power)
      transmitPower = power
    }
  }
}

/// AdvDataInfo: identifies the set and its data (Core 5.4 Vol 6 Part B 2.3.4.4).
struct AdvertisingDataInfo: OctetLayout, Hashable {
  /// The Advertising DID, 12 bits.
  var dataIdentifier: UInt16 = 0
  /// The Advertising SID, four bits.
  var sid: UInt8 = 0

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    var whole = dataIdentifier & 0xFFF | UInt16(sid) << 12
    try fields.integer("DID, SID", &whole)
    dataIdentifier = whole & 0xFFF
    sid = UInt8(whole >> 12)
  }
}

/// AuxPtr: the channel, time and PHY of the auxiliary packet (Core 5.4 Vol 6 Part B 2.3.4.5).
struct AuxiliaryPointer: OctetLayout, Hashable {
  /// The channel index of the auxiliary packet.
  var channel: UInt8 = 0
  /// The time from the start of the packet with the pointer to the start of the auxiliary packet, in units of 30 µs, 13 bits. The auxiliary
  /// packet starts within the unit that starts at that time.
  var offsetUnits: UInt16 = 0
  var phy = RadioPHY.le1M

  /// The unit of the offset. The other defined unit, 300 µs, is for offsets above 245.7 ms.
  static let offsetUnit = Duration.microseconds(30)

  init() {}

  init(channel: UInt8, after offset: Duration, phy: RadioPHY) {
    self.channel = channel
    let units = offset.inNanoseconds / Self.offsetUnit.inNanoseconds
    offsetUnits = UInt16(clamping: min(units, 0x1FFF))
    self.phy = phy
  }

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    var whole = UInt32(channel & 0x3F) | UInt32(offsetUnits & 0x1FFF) << 8 | UInt32(phy.rawValue - 1) << 21
    try fields.integer24("Channel Index, CA, Offset Units, AUX Offset, AUX PHY", &whole)
    channel = UInt8(whole & 0x3F)
    offsetUnits = UInt16(whole >> 8 & 0x1FFF)
    phy = RadioPHY(rawValue: UInt8(whole >> 21) + 1) ?? .le1M
  }
}
