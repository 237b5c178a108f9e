import BLECore
import BLEHCI

/// A packet on the secondary advertising channels: which part of the data it carries.
struct AuxiliaryPacket {
  /// Whether it belongs to the answer to scan requests.
  let isScanResponse: Bool
  /// The part of the advertising data or of the scan response data.
  let range: Range<Int>
  let isLast: Bool

  /// Counted from 0 within the event.
  var number: Int { range.lowerBound / Advertisement.auxiliaryCapacity }

  var observedKind: AirPacket.AuxiliaryKind {
    if range.lowerBound > 0 { return .chain }
    return isScanResponse ? .scanResponse : .advertisement
  }
}

// The PDUs of an advertisement (Core 5.4 Vol 6 Part B 2.3).
extension Advertisement {
  /// How much data one auxiliary packet of a chain carries: what also fits into one report to a host.
  static let auxiliaryCapacity = 229

  /// How much data AUX_ADV_IND of connectable advertising carries, which has no chain: what its header leaves of the longest
  /// payload (Core 5.4 Vol 6 Part B 2.3, 2.3.1.6). The header has AdvA and ADI, and where the set wants them TargetA and TxPower.
  static func connectableCapacity(with properties: AdvertisingEventProperties) -> Int {
    var payload = ExtendedAdvertisingPayload()
    payload.advertiser = .zero
    payload.dataInfo = AdvertisingDataInfo()
    if properties.contains(.directed) { payload.target = .zero }
    if properties.contains(.includeTxPower) { payload.transmitPower = 0 }
    return longestPayload - payload.length
  }

  /// The payload of an advertising PDU, at the most.
  private static let longestPayload = 255

  /// AUX_CONNECT_RSP: the extended header with both addresses.
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

  /// ADV_EXT_IND: what is more is in the auxiliary packet.
  private func extendedIndication(_ pointer: AuxiliaryPointer) -> ExtendedAdvertisingPayload {
    var payload = ExtendedAdvertisingPayload()
    payload.mode = mode
    payload.dataInfo = dataInfo
    payload.pointer = pointer
    return payload
  }

  /// The payload of the packet on the primary channels, in octets.
  var primaryLength: Int {
    guard isLegacy else { return extendedIndication(AuxiliaryPointer()).length }
    return isDirected ? 12 : 6 + data.count
  }

  /// The PDU on the primary channels; without a pointer a legacy one.
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

  /// The auxiliary packet with the data from that offset on.
  func auxiliaryPacket(from offset: Int, isScanResponse: Bool) -> AuxiliaryPacket {
    let whole = isScanResponse ? scanResponse.count : isScannable ? 0 : data.count
    if isConnectable {
      let end = min(whole, Self.connectableCapacity(with: properties))
      return AuxiliaryPacket(isScanResponse: false, range: 0..<end, isLast: true)
    }
    let end = min(whole, offset + Self.auxiliaryCapacity)
    return AuxiliaryPacket(isScanResponse: isScanResponse, range: offset..<max(offset, end), isLast: end >= whole)
  }

  /// All of an auxiliary packet but its data. The first names the advertiser; those of its chain only the data's set.
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

  /// The payload of an auxiliary packet, in octets.
  func auxiliaryLength(_ packet: AuxiliaryPacket) -> Int {
    auxiliaryPayload(packet, packet.isLast ? nil : AuxiliaryPointer()).length + packet.range.count
  }

  /// AUX_ADV_IND, AUX_CHAIN_IND or AUX_SCAN_RSP.
  func auxiliaryPDU(_ packet: AuxiliaryPacket, pointer: AuxiliaryPointer?) -> [UInt8] {
    var payload = auxiliaryPayload(packet, pointer)
    payload.data = Array((packet.isScanResponse ? scanResponse : data)[packet.range])
    var header = AdvertisingPDUHeader()
    header.type = .extended
    header.hasRandomSender = payload.advertiser != nil && addressType.isRandomOnAir
    header.hasRandomTarget = payload.target != nil && targetType.isRandomOnAir
    return header.pdu(payload)
  }

  /// AUX_CONNECT_RSP.
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
  /// The channel index of an auxiliary packet; those of a chain hop.
  func channel(ofAuxiliary number: Int) -> UInt8 { UInt8((auxiliaryChannel + number * 11) % 37) }

  /// The channel index of the packet on the primary channel at that place of `channels`.
  func primaryChannel(_ index: Int) -> UInt8 { UInt8(37 + channels[index]) }

  /// AuxPtr of ADV_EXT_IND, which all packets on the primary channels have; nil for legacy advertising.
  func pointer(fromPrimary index: Int) -> AuxiliaryPointer? {
    guard !advertisement.isLegacy else { return nil }
    let following = channels.count - 1 - index
    let duration = advertisement.primaryPHY.airTime(payload: advertisement.primaryLength)
    let offset =
      duration * (following + 1) + LinkLayerTime.primarySpace * following + LinkLayerTime.auxiliaryFrameSpace
    return AuxiliaryPointer(channel: channel(ofAuxiliary: 0), after: offset, phy: advertisement.secondaryPHY)
  }

  /// AuxPtr to the next packet of a chain; nil in its last.
  func pointer(from packet: AuxiliaryPacket) -> AuxiliaryPointer? {
    guard !packet.isLast else { return nil }
    let duration = advertisement.secondaryPHY.airTime(payload: advertisement.auxiliaryLength(packet))
    return AuxiliaryPointer(
      channel: channel(ofAuxiliary: packet.number + 1), after: duration + LinkLayerTime.auxiliaryFrameSpace,
      phy: advertisement.secondaryPHY)
  }
}

extension Link {
  /// CONNECT_IND or AUX_CONNECT_REQ.
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
