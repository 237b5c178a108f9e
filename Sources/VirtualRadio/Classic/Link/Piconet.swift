import BLECore
import BLEHCI

/// The slots of a central, which its links share.
struct Piconet {
  /// One packet of the central with the answer.
  struct Exchange {
    var link: LinkID
    /// The end that was the central when it began.
    var central: ClassicPlace
    var fromCentral: ClassicPayload?
    var fromPeripheral: ClassicPayload?
  }

  var exchange: Exchange?
  /// The link of the last exchange. The next one begins with the link after it.
  var last: LinkID?
  /// The time of the valid timeline entry, if any, and its epoch.
  var scheduled: Instant?
  var epoch: UInt32 = 0
}

// Exchanges of packets between a central and its peripherals, in turn (Core 5.4 Vol 2 Part B 4.4, 8.6).
extension Air {
  /// Whether both ends are certain to hear everything.
  func isSteady(_ link: ClassicLink) -> Bool {
    guard link.isComplete else { return false }
    let (first, second) = (link.first.controllerID, link.second.controllerID)
    if configuration.timing == .immediate { return canExchange(link) }
    return propagation.isClean(from: first, to: second) && propagation.isClean(from: second, to: first)
  }

  private func canExchange(_ link: ClassicLink) -> Bool {
    let (first, second) = (link.first.controllerID, link.second.controllerID)
    return propagation.canCarry(from: first, to: second) && propagation.canCarry(from: second, to: first)
  }

  func wake(_ link: ClassicLink) {
    guard classicLinks[link.id] === link else { return }
    if configuration.timing == .immediate {
      if !classicLinksWithWork.contains(link.id) { classicLinksWithWork.append(link.id) }
    } else if let central = link[link.central].classic {
      schedulePiconet(of: central)
    }
  }

  private func schedulePiconet(of central: ClassicController) {
    guard central.piconet.exchange == nil else { return }
    let next = central.links.compactMap { link, place in link.central == place ? readyTime(link) : nil }.min()
    guard let next, central.piconet.scheduled != next else { return }
    central.piconet.scheduled = next
    central.piconet.epoch = central.controller.nextEpoch()
    timeline.schedule(.classic(.slot(central.id, central.piconet.epoch)), at: next)
  }

  /// Returns when the central next sends on a link; nil if there is nothing to send and everything arrives.
  private func readyTime(_ link: ClassicLink) -> Instant? {
    guard link.isComplete,
      propagation.canCarry(from: link[link.central].controllerID, to: link[link.central.other].controllerID)
    else { return nil }
    let (central, peripheral) = (link[link.central], link[link.central.other])
    let poll = link.lastExchange + LinkManagerTime.poll
    var ready: Instant
    if central.hasWork && !central.isStalled {
      ready = now
    } else if peripheral.hasWork && !peripheral.isStalled && link.peripheralHasSent {
      ready = now
    } else if link.hasWork || !isSteady(link) {
      // A link that sleeps is polled at its anchor points.
      ready = poll >= now ? poll : link.sniff == nil ? nextPoll(of: link) : now
    } else {
      return nil
    }
    if let sniff = link.sniff { ready = listening(sniff.parameters, since: sniff.base, last: link.lastExchange, ready) }
    return slotStart(notBefore: ready, of: central)
  }

  /// An idle link is polled at regular times, which are not played.
  private func nextPoll(of link: ClassicLink) -> Instant {
    let period = LinkManagerTime.poll.inNanoseconds
    let behind = (now - link.lastExchange).inNanoseconds
    return link.lastExchange + .nanoseconds((behind + period - 1) / period * period)
  }

  /// Returns the first time from `ready` on at which the peripheral listens in Sniff Mode (Core 5.4 Vol 2 Part B 8.7).
  private func listening(_ sniff: SniffParameters, since base: Instant, last: Instant, _ ready: Instant) -> Instant {
    if ready <= last + LinkManagerTime.frame * sniff.timeout { return ready }
    let period = max(sniff.interval.duration.inNanoseconds, 1)
    let since = max(0, (ready - base).inNanoseconds)
    let window = (LinkManagerTime.frame * sniff.attempt).inNanoseconds
    let anchor = base + .nanoseconds(since / period * period)
    return since % period < window ? max(ready, base) : anchor + .nanoseconds(period)
  }

  /// Returns the next slot in which a central may begin to send.
  private func slotStart(notBefore instant: Instant, of central: ClassicEnd) -> Instant {
    let frame = LinkManagerTime.frame.inNanoseconds
    let phase = Int64((central.classic?.clock ?? 0) % 4) * 312_500
    let rest = (((instant.nanoseconds - phase) % frame) + frame) % frame
    return rest == 0 ? instant : instant + .nanoseconds(frame - rest)
  }

  /// Ends the exchange that takes place now, and begins the next one.
  func slotIsDue(of id: ControllerID, epoch: UInt32) {
    guard let central = controller(id)?.classic, central.piconet.epoch == epoch else { return }
    central.piconet.scheduled = nil
    if let exchange = central.piconet.exchange {
      central.piconet.exchange = nil
      if let link = classicLinks[exchange.link] { finish(exchange, over: link) }
    }
    beginExchange(of: central)
  }

  private func beginExchange(of central: ClassicController) {
    guard central.piconet.exchange == nil else { return }
    let ready = central.links.compactMap { link, place -> ClassicLink? in
      guard link.central == place, let time = readyTime(link) else { return nil }
      return time <= now ? link : nil
    }.sorted { $0.id < $1.id }
    let last = central.piconet.last
    guard let link = ready.first(where: { candidate in last.map { candidate.id > $0 } ?? true }) ?? ready.first else {
      return schedulePiconet(of: central)
    }
    central.piconet.last = link.id
    let common = link.commonFeatures
    let exchange = Piconet.Exchange(
      link: link.id, central: link.central, fromCentral: link[link.central].nextPayload(common: common),
      fromPeripheral: link[link.central.other].nextPayload(common: common))
    central.piconet.exchange = exchange
    let slots = (exchange.fromCentral?.slots ?? 1) + (exchange.fromPeripheral?.slots ?? 1)
    central.piconet.epoch = central.controller.nextEpoch()
    let end = now + BasebandSlots.unit * slots
    central.piconet.scheduled = end
    timeline.schedule(.classic(.slot(central.id, central.piconet.epoch)), at: end)
  }

  private func finish(_ exchange: Piconet.Exchange, over link: ClassicLink) {
    link.lastExchange = now
    link.peripheralHasSent = exchange.fromPeripheral != nil
    let (central, peripheral) = (link[exchange.central], link[exchange.central.other])
    guard link.isComplete,
      propagation.carries(
        from: central.controllerID, to: peripheral.controllerID, payload: exchange.fromCentral?.length ?? 0)
    else { return }
    peripheral.lastHeard = now
    if exchange.fromCentral != nil { arrive(from: central, over: link) }
    // The answer was sent before the central's packet had effects.
    guard central.isPresent,
      propagation.carries(
        from: peripheral.controllerID, to: central.controllerID, payload: exchange.fromPeripheral?.length ?? 0)
    else { return }
    central.lastHeard = now
    if exchange.fromPeripheral != nil, peripheral.isPresent {
      arrive(from: peripheral, over: link)
      if peripheral.hasArrived { acknowledge(peripheral, over: link) }
    }
    if exchange.fromCentral != nil, central.hasArrived { acknowledge(central, over: link) }
  }

  /// Exchanges everything at once.
  func exchangeImmediately(over link: ClassicLink) {
    guard isSteady(link) else { return }
    for end in link.ends where !end.isStalled {
      while link.isComplete, end.nextPayload(common: link.commonFeatures) != nil {
        arrive(from: end, over: link)
        guard end.hasArrived else { break }
        acknowledge(end, over: link)
      }
    }
    if link.isComplete, link.ends.contains(where: { $0.hasWork && !$0.isStalled }) { wake(link) }
  }

  /// Passes what an end has sent to the other, unless it has it already.
  private func arrive(from end: ClassicEnd, over link: ClassicLink) {
    guard !end.hasArrived, let payload = end.inFlight else { return }
    let receiver = link[end.place.other]
    switch payload {
    case .message(let message):
      end.hasArrived = true
      receive(message, at: receiver, over: link)
    case .data(let fragment, _):
      guard let classic = receiver.classic, classic.controller.hasRoomForData else {
        end.isStalled = true
        return
      }
      end.hasArrived = true
      end.isStalled = false
      classic.deliver(fragment, to: receiver)
    }
  }

  private func acknowledge(_ end: ClassicEnd, over link: ClassicLink) {
    guard let payload = end.inFlight else { return }
    end.inFlight = nil
    switch payload {
    case .message(.detach(_, let own)): close(link, at: end.place, reason: own)
    case .message: break
    case .data(let fragment, _):
      guard fragment.endsHostPacket, end.isPresent else { return }
      end.heldPackets -= 1
      end.classic?.controller.packetCompleted(end.handle)
    }
  }

  /// Sends a message to the peer.
  func send(_ message: LMPMessage, from end: ClassicEnd, over link: ClassicLink) {
    guard end.isPresent else { return }
    end.control.append(message)
    wake(link)
  }
}

/// Times of the link managers and the baseband.
enum LinkManagerTime {
  /// Two slots: one of the central and one of the peripheral.
  static let frame = Duration.microseconds(1250)
  /// The longest time between two polls of an active link (Core 5.4 Vol 2 Part C 4.1.8).
  static let poll = Duration.milliseconds(25)

  /// How long a link manager waits for the acknowledgement that a link ends: six polls (Core 5.4 Vol 2 Part C 4.1.2).
  static func detachment(of link: ClassicLink) -> Duration {
    max(poll, link.sniff.map { $0.parameters.interval.duration } ?? .zero) * 6
  }
  /// How long a link manager waits for the peer's answer (Core 5.4 Vol 2 Part C 2.5.5).
  static let responseTimeout = Duration.seconds(30)
}
