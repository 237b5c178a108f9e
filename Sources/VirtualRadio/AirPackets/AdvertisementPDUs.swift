import BLECore
import BLEHCI

/// A packet on the secondary advertising channels, defined by its part of the data.
struct AuxiliaryPacket {
  /// Whether it is part of the answer to a scan request.
  let isScanResponse: Bool
  /// The part of the advertising data or of the scan response data.
  let range: Range<Int>
  let isLast: Bool

  /// The number within the event, counted from 0.
  var number: Int { range.lowerBound / Advertisement.auxiliaryCapacity }

  var observedKind: AirPacket.AuxiliaryKind {
    if range.lowerBound > 0 { return .chain }
    return isScanResponse ? .scanResponse : .advertisement
  }
}

// The PDUs of an advertisement (Core 5.4 Vol 6 Part B 2.3).
extension Advertisement {
  /// The data capacity of one auxiliary packet of a chain. It also fits in one report to a host.
  static let auxiliaryCapacity = 229

  /// Returns the data capacity of AUX_ADV_IND in connectable advertising, which has no chain: the longest payload less the header (Core 5.4
  /// Vol 6 Part B 2.3, 2.3.1.6). The header has AdvA and ADI, and TargetA and TxPower if the set uses them.
  static func connectableCapacity(with properties: AdvertisingEventProperties) -> Int {
    var payload = ExtendedAdvertisingPayload()
    payload.advertiser = .zero
    payload.dataInfo = AdvertisingDataInfo()
    if properties.contains(.directed) { payload.target = .zero }
    if properties.contains(.includeTxPower) { payload.transmitPower = 0 }
    return longestPayload - payload.length
  }

  /// The longest payload of an advertising PDU.
  private static let longestPayload = 255

  /// The payload length of AUX_CONNECT_RSP: the extended header with both addresses.
  static let connectResponseLength = 14

  // MARK: Primary channels

  private var primaryType: AdvertisingPDUType {
    guard isLegacy else { return .extended }
    if isDirected { return .directed }
    if isConnectable { return .connectableScannable }
    return isScannable ? .scannable : .nonConnectable
  }

  private var mode: ExtendedAdvertisingPayload.Mode {
    isConnectable ? .connectable : isScannable ? .scannable : .nonConnectableNonScannable
  }

  private var dataInfo: AdvertisingDataInfo {
    var info = AdvertisingDataInfo()
    info.dataIdentifier = dataIdentifier
    info.sid = sid
    return info
  }

  /// Returns ADV_EXT_IND. Everything else is in the auxiliary packet.
  private func extendedIndication(_ pointer: AuxiliaryPointer) -> ExtendedAdvertisingPayload {
    var payload = ExtendedAdvertisingPayload()
    payload.mode = mode
    payload.dataInfo = dataInfo
    payload.pointer = pointer
    return payload
  }

  /// The payload length of the packet on the primary channels, in octets.
  var primaryLength: Int {
    guard isLegacy else { return extendedIndication(AuxiliaryPointer()).length }
    return isDirected ? 12 : 6 + data.count
  }

  /// Returns the PDU on the primary channels; without a pointer, a legacy PDU.
  func primaryPDU(pointer: AuxiliaryPointer?, knowsChannelSelection2: Bool) -> [UInt8] {
    var header = AdvertisingPDUHeader()
    header.type = primaryType
    if let pointer { return header.pdu(extendedIndication(pointer)) }
    header.knowsChannelSelection2 = isConnectable && knowsChannelSelection2
    header.hasRandomSender = addressType.isRandomOnAir
    header.hasRandomTarget = isDirected && targetType.isRandomOnAir
    guard isDirected else { return header.pdu(AdvertisingPayload(advertiser: address, data: data)) }
    return header.pdu(AddressPairPayload(sender: address, target: target))
  }

  /// SCAN_RSP.
  var scanResponsePDU: [UInt8] {
    var header = AdvertisingPDUHeader()
    header.type = .scanResponse
    header.hasRandomSender = addressType.isRandomOnAir
    return header.pdu(AdvertisingPayload(advertiser: address, data: scanResponse))
  }

  // MARK: Secondary channels

  /// Returns the auxiliary packet with the data from this offset on.
  func auxiliaryPacket(from offset: Int, isScanResponse: Bool) -> AuxiliaryPacket {
    let whole = isScanResponse ? scanResponse.count : isScannable ? 0 : data.count
    if isConnectable {
      let end = min(whole, Self.connectableCapacity(with: properties))
      return AuxiliaryPacket(isScanResponse: false, range: 0..<end, isLast: true)
    }
    let end = min(whole, offset + Self.auxiliaryCapacity)
    return AuxiliaryPacket(isScanResponse: isScanResponse, range: offset..<max(offset, end), isLast: end >= whole)
  }

  /// Returns an auxiliary packet without its data. The first packet names the advertiser; chained packets name only the set and its data.
  private func auxiliaryPayload(_ packet: AuxiliaryPacket, _ pointer: AuxiliaryPointer?) -> ExtendedAdvertisingPayload {
    var payload = ExtendedAdvertisingPayload()
    payload.dataInfo = dataInfo
    payload.pointer = pointer
    guard packet.range.lowerBound == 0 else { return payload }
    if addressType != .anonymous { payload.advertiser = address }
    if isDirected, !packet.isScanResponse { payload.target = target }
    if transmitPower != 127 { payload.transmitPower = transmitPower }
    if !packet.isScanResponse { payload.mode = mode }
    return payload
  }

  /// Returns the payload length of an auxiliary packet, in octets.
  func auxiliaryLength(_ packet: AuxiliaryPacket) -> Int {
    auxiliaryPayload(packet, packet.isLast ? nil : AuxiliaryPointer()).length + packet.range.count
  }

  /// Returns AUX_ADV_IND, AUX_CHAIN_IND or AUX_SCAN_RSP.
  func auxiliaryPDU(_ packet: AuxiliaryPacket, pointer: AuxiliaryPointer?) -> [UInt8] {
    var payload = auxiliaryPayload(packet, pointer)
    payload.data = Array((packet.isScanResponse ? scanResponse : data)[packet.range])
    var header = AdvertisingPDUHeader()
    header.type = .extended
    header.hasRandomSender = payload.advertiser != nil && addressType.isRandomOnAir
    header.hasRandomTarget = payload.target != nil && targetType.isRandomOnAir
    return header.pdu(payload)
  }

  /// Returns AUX_CONNECT_RSP.
  func connectResponsePDU(to initiator: LinkEnd) -> [UInt8] {
    var header = AdvertisingPDUHeader()
    header.type = .connectResponse
    header.hasRandomSender = addressType.isRandomOnAir
    header.hasRandomTarget = initiator.own.type.isRandomOnAir
    var payload = ExtendedAdvertisingPayload()
    payload.advertiser = address
    payload.target = initiator.own.address
    return header.pdu(payload)
  }
}

extension AdvertisingProgress {
  /// Returns the channel index of an auxiliary packet. The packets of a chain hop.
  func channel(ofAuxiliary number: Int) -> UInt8 { UInt8((auxiliaryChannel + number * 11) % 37) }

  /// Returns the channel index of the primary-channel packet at this index of `channels`.
  func primaryChannel(_ index: Int) -> UInt8 { UInt8(37 + channels[index]) }

  /// Returns the AuxPtr of ADV_EXT_IND on a primary channel; nil for legacy advertising.
  func pointer(fromPrimary index: Int) -> AuxiliaryPointer? {
    guard !advertisement.isLegacy else { return nil }
    let following = channels.count - 1 - index
    let duration = advertisement.primaryPHY.airTime(payload: advertisement.primaryLength)
    let offset =
      duration * (following + 1) + LinkLayerTime.primarySpace * following + LinkLayerTime.auxiliaryFrameSpace
    return AuxiliaryPointer(channel: channel(ofAuxiliary: 0), after: offset, phy: advertisement.secondaryPHY)
  }

  /// Returns the AuxPtr to the next packet of a chain; nil in the last packet.
  func pointer(from packet: AuxiliaryPacket) -> AuxiliaryPointer? {
    guard !packet.isLast else { return nil }
    let duration = advertisement.secondaryPHY.airTime(payload: advertisement.auxiliaryLength(packet))
    return AuxiliaryPointer(
      channel: channel(ofAuxiliary: packet.number + 1), after: duration + LinkLayerTime.auxiliaryFrameSpace,
      phy: advertisement.secondaryPHY)
  }
}

extension Link {
  /// Returns CONNECT_IND or AUX_CONNECT_REQ.
  func requestPDU(knowsChannelSelection2: Bool) -> [UInt8] {
    var header = AdvertisingPDUHeader()
    header.type = .connectRequest
    header.knowsChannelSelection2 = knowsChannelSelection2
    header.hasRandomSender = central.own.type.isRandomOnAir
    header.hasRandomTarget = peripheral.own.type.isRandomOnAir
    return header.pdu(
      ConnectRequestPayload(
        initiator: central.own.address, advertiser: peripheral.own.address, accessAddress: access.address,
        crcInit: access.crcInit, timing: timing, channelMap: ChannelMap(bits: channelMap),
        hopIncrement: access.hopIncrement, clockAccuracy: .ppm50))
  }
}

extension AddressType {
  /// TxAdd and RxAdd.
  var isRandomOnAir: Bool { self == .random || self == .randomIdentity }
}
