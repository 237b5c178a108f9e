import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESDP
import BLESMP
import PeripheralHost
import Simulation
import UnderstudyTesting

/// Translates the acts of a peer over BR/EDR to commands and PDUs.
extension PeerDriver {
  func perform(_ act: PeerAct, at now: Instant, of stage: SwarmStage) {
    switch act {
    case .inquire: peer.send(HCIInquiry { $0.length = InquiryLength(rawValue: 2) })
    case .askName: peer.send(HCIRemoteNameRequest { $0.address = stage.classicAddress })
    case .connect: page(stage.classicAddress)
    case .disconnect: disconnect()
    case .vanish(let time):
      absentUntil = now + time
      setReachable(false, of: stage)
    case .authenticate:
      if let link = peer.link { peer.send(HCIAuthenticationRequested { $0.connectionHandle = link }) }
    case .encrypt(let isOn): encrypt(isOn)
    case .answer(let answer): peer.conduct.answer = answer.conduct
    case .become(let kind): (peer.conduct.capability, peer.conduct.requirements) = kind.pairing
    case .forgetKey: peer.linkKey = nil
    case .open(let number, let mtu):
      let psm = PSM(rawValue: UInt16(clamping: number))
      guard channel(psm) == nil, let id = peer.open(psm, mtu: mtu) else { return }
      psms[id] = psm
    case .close(let number):
      if let open = channel(PSM(rawValue: UInt16(clamping: number))) { peer.close(open.id) }
    case .query(let query, let number, let octets): ask(query, number, octets, at: now)
    case .derive:
      hasAskedForKeys = true
      // Bonding with Secure Connections, keys of 16 octets, for encryption and identity (Core 5.4 Vol 3 Part H 3.5.1).
      peer.sendFrame([0x01, 3, 0, 0x09, 16, 3, 3], on: .classicSecurityManager)
    case .sdu, .raw, .pdu: sendByHand(act)
    default: performOnValue(act, at: now)
    }
  }

  private func page(_ address: DeviceAddress) {
    guard peer.link == nil, !isPaging else { return }
    takeDerivedKey()
    isPaging = true
    peer.send(
      HCICreateConnection {
        $0.address = address
        $0.allowsRoleSwitch = true
      })
  }

  /// Takes the link key that its central has derived from the keys of LE (Core 5.4 Vol 3 Part H 2.4.2.4).
  private func takeDerivedKey() {
    guard peer.linkKey == nil, let bond = central?.host.stack.bonds.first?.bond, let key = bond.linkKey else { return }
    let strength = bond.linkKeyStrength ?? bond.strength
    peer.linkKey = .init(key, strength.isAuthenticated ? .authenticatedP256 : .unauthenticatedP256)
  }

  private func sendByHand(_ act: PeerAct) {
    hasSentByHand = true
    switch act {
    case .sdu(let number, let octets):
      let psm = PSM(rawValue: UInt16(clamping: number))
      guard let open = channel(psm) else { return }
      if psm == .attributeProtocol { attributes.isByHand = true } else { discovery.isByHand = true }
      send(octets, on: open.id)
    case .raw(let channel, let octets):
      noteByHand(on: channel)
      peer.sendFrame(octets, on: ChannelID(rawValue: channel))
    case .pdu(let octets):
      noteByHand(on: octets.count > 3 ? UInt16(octets[2]) | UInt16(octets[3]) << 8 : 0)
      peer.sendPDU(octets)
    default: break
    }
  }

  /// A frame on a dynamic channel may be an SDU of the bearer or of a discovery.
  private func noteByHand(on channel: UInt16) {
    guard ChannelID(rawValue: channel).isClassicDynamic || channel == 1 else { return }
    (attributes.isByHand, discovery.isByHand) = (true, true)
  }

  private func ask(_ query: PeerAct.Query, _ number: Int, _ octets: Int, at now: Instant) {
    guard let open = channel(.serviceDiscovery), !discovery.isBusy else { return }
    let asked: SDPClient.Query =
      switch query {
      case .search: .search(SearchPattern([.l2cap]), limit: UInt16(clamping: max(1, octets / 4)))
      case .attributes: .attributes(discovery.handles.cycled(number) ?? .server, .all)
      case .browse: .searchAttributes(.publicBrowseRoot, .all)
      }
    var buffer = OctetBuffer()
    discovery.ask(
      asked, octets: UInt16(clamping: octets), on: open.id, mtu: open.sendMTU, at: now, into: &buffer)
    if !buffer.isEmpty { send(buffer.copy(), on: open.id) }
  }

  // MARK: - Values

  private func performOnValue(_ act: PeerAct, at now: Instant) {
    guard let bearer = channel(.attributeProtocol) else { return }
    let database = accessory.simulated.stack.server.database
    func value(_ number: Int) -> UInt16? { database.characteristics.cycled(number)?.value }
    func configuration(_ number: Int) -> UInt16? {
      database.attributes.filter { if case .clientConfiguration = $0.role { true } else { false } }.cycled(number)?
        .handle
    }
    switch act {
    case .exchangeMTU: begin(ExchangeMTURequest(clientMTU: 100).encodedPDU, nil, at: now)
    case .discover:
      if attributes.isIdle { begin(attributes.discover(), nil, at: now) }
    case .read(let number):
      guard let handle = value(number) else { return }
      begin(ReadRequest(handle: handle).encodedPDU, .read(handle), at: now)
    case .write(let number, let octets):
      guard let handle = value(number), octets.count + 3 <= bearer.sendMTU else { return }
      begin(WriteRequest(handle: handle, value: octets).encodedPDU, .write(handle, octets), at: now)
    case .writeCommand(let number, let octets):
      guard let handle = value(number), octets.count + 3 <= bearer.sendMTU else { return }
      sendAttribute([0x52] + handle.littleEndianOctets + octets)
    case .subscribe(let number, let toIndications):
      guard let handle = configuration(number) else { return }
      let octets: [UInt8] = [toIndications ? 2 : 1, 0]
      begin(WriteRequest(handle: handle, value: octets).encodedPDU, .write(handle, octets), at: now)
    case .unsubscribe(let number):
      guard let handle = configuration(number) else { return }
      begin(WriteRequest(handle: handle, value: [0, 0]).encodedPDU, .write(handle, [0, 0]), at: now)
    default: break
    }
  }

  /// Sends a request, unless one is waiting for its answer.
  private func begin(_ pdu: [UInt8], _ operation: GATTOperation?, at now: Instant) {
    guard attributes.isIdle, sendAttribute(pdu) else { return }
    attributes.begin(pdu[0], operation, at: now)
  }

  // MARK: - Keys of LE

  /// Sends its part of the keys when it is its turn (Core 5.4 Vol 3 Part H 3.6.1).
  func continueDerivation(_ packet: [UInt8]) {
    guard hasAskedForKeys, let code = packet.first else { return }
    switch code {
    case 0x02 where packet.count == 7:
      sendsIdentity = packet[5] & 2 != 0
      if packet[6] & 2 == 0 { sendIdentity() }
    case 0x09: sendIdentity()
    case 0x05: hasAskedForKeys = false
    default: break
    }
  }

  private func sendIdentity() {
    hasAskedForKeys = false
    guard sendsIdentity else { return }
    peer.sendFrame([0x08] + [UInt8](repeating: 0xA5, count: 16), on: .classicSecurityManager)
    peer.sendFrame([0x09, 0] + peer.address.littleEndianOctets, on: .classicSecurityManager)
  }
}
