import BLECore

/// The pseudo-header before a packet in LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR.
struct AirPseudoHeader: OctetLayout, Hashable {
  /// The valid fields of the header, and the type of the packet.
  struct Flags: OptionSet, Hashable {
    var rawValue: UInt16
    static let dewhitened = Flags(rawValue: 1 << 0)
    static let hasSignalPower = Flags(rawValue: 1 << 1)
    static let decrypted = Flags(rawValue: 1 << 3)
    static let hasReferenceAccessAddress = Flags(rawValue: 1 << 4)
    static let hasAccessAddressOffenses = Flags(rawValue: 1 << 5)
    static let crcChecked = Flags(rawValue: 1 << 10)
    static let crcValid = Flags(rawValue: 1 << 11)
    static let micChecked = Flags(rawValue: 1 << 12)
    static let micValid = Flags(rawValue: 1 << 13)

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Creates the PDU type in bits 7 to 9; for auxiliary packets also their kind, in bits 12 and 13.
    init(_ kind: CapturedAirPacket.Kind?) {
      let (type, auxiliary): (UInt16, UInt16) =
        switch kind {
        case nil, .advertising: (0, 0)
        case .auxiliaryAdvertising: (1, 0)
        case .auxiliaryChain: (1, 1)
        case .auxiliaryScanResponse: (1, 3)
        case .toPeripheral: (2, 0)
        case .toCentral: (3, 0)
        }
      rawValue = type << 7 | auxiliary << 12
    }

    /// Creates the PHY in bits 14 and 15, with 0 for LE 1M.
    init(_ phy: PHY) { rawValue = UInt16(max(phy.rawValue, 1) - 1) << 14 }

    /// Creates the result of checking the CRC.
    init(isCRCValid: Bool?) {
      self = isCRCValid.map { $0 ? [.crcChecked, .crcValid] : .crcChecked } ?? []
    }
  }

  var rfChannel: UInt8 = 0
  /// In dBm.
  var signalPower: Int8 = 0
  /// In dBm.
  var noisePower: Int8 = 0
  var accessAddressOffenses: UInt8 = 0
  var referenceAccessAddress: UInt32 = 0
  var flags: Flags = []

  init() {}

  init(_ reception: AirReception) {
    rfChannel = reception.rfChannel ?? 0
    referenceAccessAddress = reception.accessAddress
    flags = [.dewhitened, .hasReferenceAccessAddress, .hasAccessAddressOffenses]
    flags.formUnion(Flags(isCRCValid: reception.isCRCValid))
    flags.formUnion(Flags(reception.kind))
    flags.formUnion(Flags(PHY(rawValue: reception.phy)))
    if let strength = reception.signalStrength {
      signalPower = strength
      flags.insert(.hasSignalPower)
    }
    if reception.isDecrypted { flags.formUnion([.decrypted, .micChecked, .micValid]) }
  }

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("RF Channel", &rfChannel)
    try fields.integer("Signal Power", &signalPower)
    try fields.integer("Noise Power", &noisePower)
    try fields.integer("Access Address Offenses", &accessAddressOffenses)
    try fields.integer("Reference Access Address", &referenceAccessAddress)
    try fields.flags("Flags", &flags)
  }
}

extension CapturedAirPacket {
  /// The reception data of the packet.
  var reception: AirReception {
    var reception = AirReception(accessAddress: accessAddress, kind: kind)
    reception.rfChannel = rfChannel
    reception.phy = phy.rawValue
    reception.isCodedWithS2 = isCodedWithS2
    reception.signalStrength = signalStrength
    reception.crc = crc
    reception.isCRCValid = true
    reception.isDecrypted = isDecrypted
    return reception
  }

  /// Appends the packet as stored in a capture file.
  func encode(into buffer: inout OctetBuffer) { reception.encode(pdu, into: &buffer) }
}

extension AirReception {
  /// Appends a packet with this PDU as stored in a capture file.
  func encode(_ pdu: [UInt8], into buffer: inout OctetBuffer) {
    AirPseudoHeader(self).encode(into: &buffer)
    buffer.append(littleEndian: accessAddress)
    // The coding indicator (Core 5.4 Vol 6 Part B 2.2.3).
    if phy == PHY.leCoded.rawValue { buffer.append(isCodedWithS2 ? 1 : 0) }
    buffer.append(pdu)
    for shift in [0, 8, 16] { buffer.append(UInt8(truncatingIfNeeded: crc >> UInt32(shift))) }
  }
}

extension CaptureRecord {
  /// Creates a record of a packet on the air.
  package init(_ packet: CapturedAirPacket) {
    self.init(.air(packet.reception), nanoseconds: packet.nanoseconds, octets: packet.pdu, comment: packet.comment)
  }
}
