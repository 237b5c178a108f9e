import BLECore
import BLEHCI

/// The controllers that heard an advertiser's packet.
struct Audience {
  private(set) var receivers = 0
  /// The strength at the best receiver, in dBm.
  private(set) var strength: Int8?

  mutating func add(receives: Bool, strength: Int8) {
    if receives { receivers += 1 }
    self.strength = max(self.strength ?? .min, strength)
  }
}

// Advertising packets for the observer of the air (Core 5.4 Vol 6 Part B 2.3).
extension Air {
  /// Returns whether a packet reaches a listening controller.
  func isReceived(
    by listener: ControllerID, from sender: ControllerID, payload: Int, _ audience: inout Audience
  ) -> Bool {
    let arrives = propagation.carries(from: sender, to: listener, payload: payload)
    if observer != nil {
      audience.add(receives: arrives, strength: propagation.strength(from: sender, to: listener))
    }
    return arrives
  }

  /// Observes a packet on a primary channel that has been sent.
  func observePrimary(_ index: Int, _ progress: AdvertisingProgress, _ audience: Audience) {
    guard observer != nil else { return }
    let advertisement = progress.advertisement
    observe(
      advertisement.primaryPDU(
        pointer: progress.pointer(fromPrimary: index),
        knowsChannelSelection2: knowsChannelSelection2(advertisement.advertiser)),
      from: advertisement.advertiser, on: progress.primaryChannel(index), advertisement.primaryPHY, nil, audience,
      start: progress.stageStart, until: now)
  }

  /// Observes an advertiser's auxiliary packet that has been sent.
  func observeAuxiliary(_ packet: AuxiliaryPacket, _ progress: AdvertisingProgress, _ audience: Audience) {
    guard observer != nil else { return }
    let advertisement = progress.advertisement
    observe(
      advertisement.auxiliaryPDU(packet, pointer: progress.pointer(from: packet)), from: advertisement.advertiser,
      on: progress.channel(ofAuxiliary: packet.number), advertisement.secondaryPHY, packet.observedKind, audience,
      start: progress.stageStart, until: now)
  }

  /// Observes SCAN_REQ or AUX_SCAN_REQ, sent from now until `end`.
  func observeScanRequest(
    from scanner: ControllerID, _ own: OwnAddress, _ advertisement: Advertisement, on channel: UInt8, arrives: Bool,
    until end: Instant
  ) {
    guard observer != nil else { return }
    var header = AdvertisingPDUHeader()
    header.type = .scanRequest
    header.hasRandomSender = own.type.isRandomOnAir
    header.hasRandomTarget = advertisement.addressType.isRandomOnAir
    observe(
      header.pdu(AddressPairPayload(sender: own.address, target: advertisement.address)), of: scanner,
      to: advertisement, on: channel, arrives: arrives, until: end)
  }

  /// Observes SCAN_RSP, sent until `end`.
  func observeScanResponse(
    _ advertisement: Advertisement, to scanner: ControllerID, on channel: UInt8, arrives: Bool, until end: Instant
  ) {
    guard observer != nil else { return }
    var audience = Audience()
    audience.add(receives: arrives, strength: strength(of: advertisement, at: scanner))
    let pdu = advertisement.scanResponsePDU
    observe(
      pdu, from: advertisement.advertiser, on: channel, .le1M, nil, audience,
      start: end - RadioPHY.le1M.airTime(payload: pdu.count - 2), until: end)
  }

  /// Observes CONNECT_IND, or AUX_CONNECT_REQ and AUX_CONNECT_RSP, which have been sent.
  func observeConnectRequest(
    for link: Link, _ advertisement: Advertisement, on channel: UInt8, arrives: Bool
  ) {
    guard observer != nil else { return }
    let (central, peripheral) = (link.central, link.peripheral)
    let phy = advertisement.isLegacy ? RadioPHY.le1M : advertisement.secondaryPHY
    let response = LinkLayerTime.interFrameSpace + phy.airTime(payload: Advertisement.connectResponseLength)
    observe(
      link.requestPDU(knowsChannelSelection2: advertisement.isLegacy && knowsChannelSelection2(central.controllerID)),
      of: central.controllerID, to: advertisement, on: channel, arrives: arrives,
      until: advertisement.isLegacy ? now : now - response)
    guard !advertisement.isLegacy, arrives else { return }
    var audience = Audience()
    audience.add(
      receives: true, strength: propagation.strength(from: peripheral.controllerID, to: central.controllerID))
    observe(
      advertisement.connectResponsePDU(to: central), from: peripheral.controllerID, on: channel, phy, .exchange,
      audience,
      start: now - phy.airTime(payload: Advertisement.connectResponseLength), until: now)
  }

  // MARK: Packets

  /// Observes a request to an advertiser.
  private func observe(
    _ pdu: [UInt8], of sender: ControllerID, to advertisement: Advertisement, on channel: UInt8, arrives: Bool,
    until end: Instant
  ) {
    let phy = advertisement.isLegacy ? RadioPHY.le1M : advertisement.secondaryPHY
    var audience = Audience()
    audience.add(receives: arrives, strength: propagation.strength(from: sender, to: advertisement.advertiser))
    observe(
      pdu, from: sender, on: channel, phy, advertisement.isLegacy ? nil : .exchange, audience,
      start: end - phy.airTime(payload: pdu.count - 2), until: end)
  }

  private func observe(
    _ pdu: [UInt8], from sender: ControllerID, on channel: UInt8, _ phy: RadioPHY,
    _ auxiliary: AirPacket.AuxiliaryKind?, _ audience: Audience, start: Instant, until end: Instant
  ) {
    observe(
      AirPacket(
        start: start, channel: channel, phy: phy, accessAddress: AccessAddress.advertising.rawValue,
        crcInit: CRC24.advertisingInit, pdu: pdu, direction: .advertising, auxiliary: auxiliary, isEncrypted: false,
        sender: sender, linkNumber: nil, receivers: audience.receivers, strength: audience.strength),
      until: end)
  }

  private func knowsChannelSelection2(_ id: ControllerID) -> Bool {
    controller(id)?.configuration.features.contains(.channelSelectionAlgorithm2) ?? false
  }
}
