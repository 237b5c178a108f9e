import BLECore
import BLEHCI

/// A link-layer control procedure that one end runs (Core 5.4 Vol 6 Part B 5.1).
enum LinkProcedure: Hashable, Sendable {
  case featureExchange
  case versionExchange
  case connectionUpdate(LinkTimingRange)
  case connectionParameterRequest(LinkTimingRange)
  case dataLength(LinkDataLength)
  case phy(transmit: UInt8, receive: UInt8)
  case channelMap(UInt64)
  case encryption(EncryptionParameters)
  case ping

  /// Whether it changes the link at an instant. Two such procedures must not run together (5.3).
  var changesAtInstant: Bool {
    switch self {
    case .connectionUpdate, .connectionParameterRequest, .phy, .channelMap: true
    case .featureExchange, .versionExchange, .dataLength, .encryption, .ping: false
    }
  }

  var encrypts: Bool { if case .encryption = self { true } else { false } }

  var changesTiming: Bool {
    switch self {
    case .connectionUpdate, .connectionParameterRequest: true
    default: false
    }
  }

  var changesPHY: Bool { if case .phy = self { true } else { false } }
}

// Starting, finishing and failing procedures. Each end runs one of its own at a time (5.2).
extension Air {
  /// Starts a procedure, or queues it behind the earlier ones.
  func start(_ procedure: LinkProcedure, at end: LinkEnd, over link: Link) {
    // Encryption would delay the announcement of a change beyond its instant.
    let waitsForChange = procedure.changesAtInstant || procedure.encrypts
    let mustWait = end.procedure != nil || (waitsForChange && end.side == .central && link.isChanging)
    if mustWait {
      end.waiting.append(procedure)
      return
    }
    end.procedure = procedure
    end.procedureStart = now
    watchProcedure(at: end, over: link)
    switch procedure {
    case .featureExchange:
      let features = localFeatures(of: end)
      send(
        end.side == .central ? .featureRequest(features) : .peripheralFeatureRequest(features), from: end, over: link)
    case .versionExchange:
      // Meanwhile the peer may have asked, and an end sends its version only once (5.1.5).
      guard !end.hasSentVersion else { return finishProcedure(at: end, over: link) { $0 == .versionExchange } }
      end.hasSentVersion = true
      send(.version(localVersion(of: end)), from: end, over: link)
    case .connectionUpdate(let range):
      let instant = instant(for: link)
      var timing = range.chosen
      timing.windowOffset = windowOffset(for: timing, at: instant, from: end, over: link)
      change(.connectionUpdate(timing, instant: instant), from: end, over: link)
    case .connectionParameterRequest(let range): send(.connectionParameterRequest(range), from: end, over: link)
    case .dataLength(let length): send(.lengthRequest(length), from: end, over: link)
    case .phy(let transmit, let receive):
      send(.phyRequest(transmit: transmit, receive: receive), from: end, over: link)
    case .channelMap(let map): change(.channelMap(map, instant: instant(for: link)), from: end, over: link)
    case .encryption(let parameters): startEncryption(parameters, at: end, over: link)
    case .ping: send(.pingRequest, from: end, over: link)
    }
  }

  func send(_ pdu: ControlPDU, from end: LinkEnd, over link: Link) {
    end.control.append(pdu)
    wake(link)
  }

  /// Sends a PDU with which the central announces a change by both ends.
  func change(_ pdu: ControlPDU, from end: LinkEnd, over link: Link) {
    link.isChanging = true
    send(pdu, from: end, over: link)
  }

  /// Returns an instant that the peripheral is certain to learn of in time: six events after the next one that it listens to (5.5).
  func instant(for link: Link) -> Int {
    catchUp(link)
    return link.nextAttended + 6
  }

  /// Returns where the central places the events of a link whose interval changes at this instant.
  private func windowOffset(for timing: LinkTiming, at instant: Int, from end: LinkEnd, over link: Link) -> UInt16 {
    guard timing.intervalUnits != link.timing.intervalUnits, let central = end.controller else { return 0 }
    return central.windowOffset(
      intervalUnits: timing.intervalUnits, from: link.anchor(of: instant), except: link)
  }

  func finishProcedure(at end: LinkEnd, over link: Link, where matches: (LinkProcedure) -> Bool) {
    guard let procedure = end.procedure, matches(procedure) else { return }
    end.procedure = nil
    startWaiting(at: end, over: link)
  }

  func startWaiting(at end: LinkEnd, over link: Link) {
    guard end.procedure == nil, !end.waiting.isEmpty else { return }
    start(end.waiting.removeFirst(), at: end, over: link)
  }

  /// Ends a procedure whose first PDU the peer does not support or refuses.
  func failProcedure(_ opcode: UInt8, _ reason: ErrorCode, at end: LinkEnd, over link: Link) {
    switch (end.procedure, opcode) {
    case (.featureExchange, 0x08), (.featureExchange, 0x0E):
      if end.hostWaitsForFeatures {
        end.hostWaitsForFeatures = false
        end.controller?.reportFeatures(of: end, status: reason)
      }
    case (.connectionParameterRequest, 0x0F):
      end.controller?.reportTiming(of: end, link.timing, status: reason)
    case (.phy, 0x16):
      end.controller?.reportPHY(of: end, over: link, status: reason)
    case (.encryption, ControlPDU.encryptionRequestOpcode):
      return failEncryption(reason, at: end, over: link)
    case (.dataLength, 0x14), (.ping, 0x12): break
    default: return
    }
    finishProcedure(at: end, over: link) { _ in true }
  }

  // MARK: Changes at an instant

  /// Schedules a change that the peripheral has received: both ends make it at its instant. If the instant has passed, the peripheral loses
  /// the link (5.1.1, 5.5.1).
  func agree(_ kind: PendingChange.Kind, instant: Int, over link: Link) {
    guard configuration.timing == .immediate || instant >= link.nextCounter else {
      return close(link, at: .peripheral, reason: .instantPassed)
    }
    let change = PendingChange(instant: max(instant, link.nextCounter + 1), kind: kind)
    if configuration.timing == .immediate { apply(change, to: link) } else { link.pending = change }
  }

  func apply(_ change: PendingChange, to link: Link) {
    link.pending = nil
    link.isChanging = false
    switch change.kind {
    case .timing(let timing):
      if configuration.timing == .immediate { catchUp(link) }
      link.nextAnchor = link.nextAnchor + timing.offset
      let isNew = !timing.isSame(as: link.timing)
      link.timing = timing
      for end in [link.central, link.peripheral] {
        // An end that requested the change is told even if nothing changes.
        let asked = end.procedure?.changesTiming ?? false
        if isNew || asked { end.controller?.reportTiming(of: end, timing, status: .success) }
        finishProcedure(at: end, over: link) { $0.changesTiming }
      }
      supervise(link)
    case .phys(let toPeripheral, let toCentral): applyPHYs(toPeripheral, toCentral, to: link)
    case .channelMap(let map):
      link.channelMap = map
      finishProcedure(at: link.central, over: link) { if case .channelMap = $0 { true } else { false } }
    }
    for end in [link.central, link.peripheral] { startWaiting(at: end, over: link) }
  }

  /// Changes the PHYs. The masks have one PHY each; zero leaves a direction as it is.
  func applyPHYs(_ toPeripheral: UInt8, _ toCentral: UInt8, to link: Link) {
    let before = (link.central.transmitPHY, link.peripheral.transmitPHY)
    for (end, mask) in [(link.central, toPeripheral), (link.peripheral, toCentral)] {
      if let phy = RadioPHY.fastest(of: mask) { end.transmitPHY = phy.isCoded ? end.coding : phy }
    }
    let isNew = before != (link.central.transmitPHY, link.peripheral.transmitPHY)
    for end in [link.central, link.peripheral] {
      let asked = end.procedure?.changesPHY ?? false
      if isNew || asked { end.controller?.reportPHY(of: end, over: link, status: .success) }
      finishProcedure(at: end, over: link) { $0.changesPHY }
    }
    let changes = (
      before.0.isCoded != link.central.transmitPHY.isCoded, before.1.isCoded != link.peripheral.transmitPHY.isCoded
    )
    if changes != (false, false) { reportTimesOnCoded(of: link) }
  }
}
