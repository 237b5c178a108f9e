import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import Simulation
import UnderstudyTesting

/// Translates the acts of a central to requests to its host.
extension CentralDriver {
  func perform(_ act: CentralAct, at now: Instant, of stage: SwarmStage) throws {
    if case .connect = act { return try seek() }
    if case .page = act {
      try host.perform(.page(InquiredDevice(stage.classicAddress)))
      return stage.exchange()
    }
    if case .vanish(let time) = act {
      absentUntil = now + time
      return stage.setReachable(host, false)
    }
    if case .forgetBonds = act {
      for bond in host.stack.bonds { try host.perform(.removeBond(bond.peer)) }
      return
    }
    if case .comeBack = act { return try comeBack(on: stage) }
    guard let link else { return }
    switch act {
    case .disconnect: try host.perform(.disconnect(link, reason: .remoteUserTerminatedConnection))
    case .exchangeMTU: _ = try host.begin(.exchangeMTU, on: link)
    // Half of the centrals discover as BlueZ does, the others as Android does.
    case .discover: _ = try host.begin(number.isMultiple(of: 2) ? .discoverAll : .discoverByKind, on: link)
    case .pair, .pairAnew:
      if typing == nil {
        host.user =
          kind.typesPasskeys ? .accepts(passkey: accessory.profile.security.pairing.fixedPasskey) : .accepts()
      }
      try host.perform(act == .pair ? .pair(link) : .pairAnew(link))
    case .openBearers(let count): try host.perform(.openBearers(link, count: count))
    case .rawOver(let number, let octets):
      hasSentByHand = true
      let bearers = host.stack.enhancedBearers(of: link)
      guard let bearer = bearers.cycled(number) else { return }
      bearersByHand.insert(BearerID(rawValue: bearer.id.rawValue))
      host.offerSDU(octets, on: ChannelID(rawValue: bearer.id.rawValue), of: link)
    case .raw(let channel, let octets):
      hasSentByHand = true
      if ChannelID(rawValue: channel) == .attributeProtocol { bearersByHand.insert(.fixed) }
      try host.perform(.sendFrame(link, ChannelID(rawValue: channel), octets))
    case .open, .send, .close: try performOnChannel(act, on: link)
    case .replaySigned(let number, let octets): try replaySigned(octets, to: number, on: link)
    case .records: try askForRecords(at: now, on: link)
    default: try performOnValue(act, at: now, on: link)
    }
    stage.exchange()
  }

  private func seek() throws {
    guard link == nil, !isSeeking else { return }
    if host.stack.isConnecting { try host.perform(.cancelConnecting) }
    isSeeking = true
    try host.perform(.scan(ScanRequest(phys: [.le1M, .leCoded])))
  }

  /// Sends a signed write with the counter of the last signature.
  private func replaySigned(_ octets: [UInt8], to number: Int, on link: ConnectionHandle) throws {
    guard let handle = value(number), let key = host.stack.bonds.compactMap(\.bond.ownSigning).first, key.counter > 0
    else { return }
    let part = GATTClient.signedPart(of: handle, octets)
    // The accessory may have refused the earlier write before it checked the signature. Then the counter is not used yet.
    let known = accessory.simulated.stack.bonds.compactMap(\.bond.peerSigning).filter { $0.key == key.key }
    if known.contains(where: { $0.counter >= key.counter }) { replayed.insert(octets) }
    try host.perform(
      .sendFrame(
        link, .attributeProtocol, part + DataSignature.sign(part, key: key.key, counter: key.counter - 1)))
  }

  private func performOnChannel(_ act: CentralAct, on link: ConnectionHandle) throws {
    switch act {
    case .open(let number):
      let offered = accessory.simulated.stack.publishedChannels.map(\.psm).filter { $0 != .enhancedAttributeProtocol }
      guard let psm = offered.cycled(number) else { return }
      try host.requestChannel(psm, on: link)
    case .send(let number, let count):
      guard let channel = channels.cycled(number) else { return }
      host.offerSDU([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: count), on: channel, of: link)
    case .close(let number):
      guard let channel = channels.cycled(number) else { return }
      try host.perform(.closeChannel(link, channel))
    default: break
    }
  }

  /// The accessory's actual database. Centrals use its handles as if they had discovered them before.
  var database: AttributeDatabase { accessory.simulated.stack.server.database }

  private func performOnValue(_ act: CentralAct, at now: Instant, on link: ConnectionHandle) throws {
    var bearer: BearerID?
    let operation: GATTOperation? =
      switch act {
      case .read(let number): value(number).map { .read($0) }
      case .write(let number, let octets): value(number).map { .write($0, octets) }
      case .writeCommand(let number, let octets): value(number).map { .writeWithoutResponse($0, octets) }
      case .writeSigned(let number, let octets): value(number).map { .writeSigned($0, octets) }
      case .subscribe(let number, let toIndications):
        configuration(number).map { .write($0, [toIndications ? 2 : 1, 0]) }
      case .unsubscribe(let number): configuration(number).map { .write($0, [0, 0]) }
      case .readConfiguration(let number): configuration(number).map { .read($0) }
      case .writeOver(_, let number, let octets): value(number).map { .write($0, octets) }
      default: nil
      }
    guard let operation else { return }
    if case .writeOver(let number, _, _) = act { bearer = bearers(of: link).cycled(number) }
    try begin(operation, at: now, on: link, over: bearer)
  }

  /// Starts an operation, and records it for the judges.
  func begin(_ operation: GATTOperation, at now: Instant, on link: ConnectionHandle, over bearer: BearerID? = nil)
    throws
  {
    asked[try host.begin(operation, on: link, over: bearer)] = Asked(operation: operation, bearer: bearer, at: now)
  }

  /// Returns the bearers of a link, the fixed one first.
  private func bearers(of link: ConnectionHandle) -> [BearerID] {
    let channels = host.stack.linkStates.first { $0.handle == link }?.channels ?? []
    return [.fixed]
      + channels.filter { $0.psm == .enhancedAttributeProtocol }.map { BearerID(rawValue: $0.id.rawValue) }
  }

  private func value(_ number: Int) -> UInt16? { database.characteristics.cycled(number)?.value }

  private func configuration(_ number: Int) -> UInt16? {
    database.attributes.filter { if case .clientConfiguration = $0.role { true } else { false } }.cycled(number)?.handle
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the element with this number, modulo the count; nil if there are none.
  func cycled(_ number: Int) -> Element? { isEmpty ? nil : self[startIndex + number % count] }
}
