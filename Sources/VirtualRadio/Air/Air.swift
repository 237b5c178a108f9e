import BLECore
import BLEHCI

/// A simulated air that joins LE controllers in this process.
///
/// It has no clock and no input or output of its own: whoever owns it passes the octets of the hosts and the time, and
/// takes the octets for the hosts:
///
/// ```swift
/// let air = Air(configuration: AirConfiguration(seed: 7))
/// let peripheral = air.addController(configuration: .full)
/// air.receive(HCIReset().h4.span, from: peripheral, at: .zero)
/// air.drain(peripheral, into: &buffer)
/// while let deadline = air.nextDeadline { air.advance(to: deadline) }
/// ```
///
/// Time never goes backward: an earlier instant than one passed before counts as that one. The same calls in the same
/// order with the same seed give the same octets.
package final class Air {
  /// How this air behaves.
  package let configuration: AirConfiguration
  /// The latest time passed to this air.
  package internal(set) var now: Instant = .zero
  /// Is told of every packet on the air when it has been sent, in the order in which packets end. With an observer every
  /// connection event and advertising event is played, also those without anybody or anything to hear; without one they
  /// cost nothing. It must not call the air.
  package var observer: ((AirPacket) -> Void)? {
    didSet { wakeForObserver() }
  }

  var timeline = Timeline<AirEvent>()
  var propagation: Propagation
  var links: [LinkID: Link] = [:]
  /// Links over which data is to go at once, in the order in which it came.
  var linksWithWork: [LinkID] = []
  /// By number; nil where one was taken away.
  private var controllers: [VirtualController?] = []
  private var linkCount: UInt64 = 0

  // What needs attention is listed, so that no input costs more because others are on the air too.

  /// The controllers that scan or initiate, in the order in which they came.
  private(set) var listeners: [VirtualController] = []
  /// The controllers with octets for their hosts, in the order in which they came.
  private var talkers: [VirtualController] = []
  /// The controllers with buffers to give back to their hosts.
  private var creditors: [ControllerID] = []

  /// An empty air.
  package init(configuration: AirConfiguration = AirConfiguration()) {
    self.configuration = configuration
    propagation = Propagation(seed: configuration.seed)
  }

  // MARK: Controllers

  /// Puts a controller on the air, as after power on.
  package func addController(configuration: ControllerConfiguration) -> ControllerID {
    let id = ControllerID(rawValue: controllers.count)
    let controller = VirtualController(id: id, configuration: configuration, air: self)
    controllers.append(controller)
    controller.powerOn()
    return id
  }

  /// Takes a controller off the air, as by pulling it out: its peers notice by their supervision timeouts. Its pending
  /// output is lost. Does nothing for one that is not there.
  package func removeController(_ id: ControllerID) {
    guard let controller = controller(id) else { return }
    abandonLinks(of: controller)
    controllers[id.rawValue] = nil
    listeners.removeAll { $0 === controller }
    talkers.removeAll { $0 === controller }
    propagation.forget(id)
  }

  /// The controllers on the air, in the order in which they came.
  package var controllerIDs: [ControllerID] { controllers.compactMap { $0?.id } }

  /// The configuration of a controller; nil for one that is not there.
  package func configuration(of id: ControllerID) -> ControllerConfiguration? { controller(id)?.configuration }

  /// How many connections a controller has.
  package func connectionCount(of id: ControllerID) -> Int { controller(id)?.connections.count ?? 0 }

  func controller(_ id: ControllerID) -> VirtualController? {
    controllers.indices.contains(id.rawValue) ? controllers[id.rawValue] : nil
  }

  func makeLinkID() -> LinkID {
    linkCount += 1
    return LinkID(rawValue: linkCount)
  }

  // MARK: Octets and time

  /// Takes H4 octets from a controller's host, in chunks of any size. Octets for a controller that is not there are
  /// dropped.
  package func receive(_ octets: Span<UInt8>, from id: ControllerID, at instant: Instant) {
    advance(to: instant)
    guard let controller = controller(id) else { return }
    controller.receive(octets)
    finishInput()
  }

  /// Lets everything happen that is due at `instant`.
  package func advance(to instant: Instant) {
    while let (due, event) = timeline.takeNext(upTo: instant) {
      now = max(now, due)
      play(event)
      finishInput()
    }
    now = max(now, instant)
  }

  /// When something happens next by itself; nil when nothing will.
  package var nextDeadline: Instant? { timeline.next }

  /// The controllers that have octets for their hosts, in the order in which they came.
  package var controllersWithOutput: [ControllerID] { talkers.map(\.id) }

  /// Appends the H4 octets that a controller has for its host to `buffer`, and forgets them.
  package func drain(_ id: ControllerID, into buffer: inout OctetBuffer) {
    controller(id)?.drain(into: &buffer)
  }

  /// What a controller's host did wrong since the last call, in order; at most the latest 64.
  package func takeHostFaults(of id: ControllerID) -> [HostFault] {
    guard let controller = controller(id) else { return [] }
    defer { controller.hostFaults.removeAll() }
    return controller.hostFaults
  }

  // MARK: Playing

  private func play(_ event: AirEvent) {
    switch event {
    case .advertisingEvent(let id, let key, let epoch):
      startAdvertisingEvent(controller: id, key: key, epoch: epoch)
    case .advertisingStep(let id, let key, let epoch):
      continueAdvertisingEvent(controller: id, key: key, epoch: epoch)
    case .advertisingTimeout(let id, let key, let epoch):
      controller(id)?.advertisingTimedOut(key, epoch: epoch)
    case .scanTimeout(let id, let epoch): controller(id)?.scanTimedOut(epoch: epoch)
    case .scanPeriod(let id, let epoch): controller(id)?.scanPeriodBegan(epoch: epoch)
    case .scanResponse(let id, let epoch): controller(id)?.scanResponseArrived(epoch: epoch)
    case .connectionEvent(let id, let epoch):
      if let link = links[id], link.epoch == epoch { holdConnectionEvent(link) }
    case .linkPacket(let id, let epoch):
      if let link = links[id], link.epoch == epoch { finishPacket(of: link) }
    case .establishmentDeadline(let id):
      if let link = links[id] { checkEstablishment(of: link) }
    case .supervision(let id, let side):
      if let link = links[id] { checkSupervision(of: link, at: side) }
    case .payloadCheck(let id, let side, let epoch):
      if let link = links[id] { checkPayloads(of: link, at: side, epoch: epoch) }
    case .procedureTimeout(let id, let side):
      if let link = links[id] { checkProcedure(of: link, at: side) }
    case .terminated(let id, let side):
      if let link = links[id] { close(link, at: side, reason: .connectionTerminatedByLocalHost) }
    case .hostDelivery(let id): controller(id)?.deliverDelayed()
    case .packetSent(let packet): observer?(packet)
    }
  }

  /// Finishes what one input has started: data that goes at once, and buffers that hosts get back.
  func finishInput() {
    while !linksWithWork.isEmpty {
      let id = linksWithWork.removeFirst()
      if let link = links[id] { exchangeImmediately(over: link) }
    }
    while let id = creditors.popLast() { controller(id)?.reportCompletedPackets() }
    for controller in talkers { controller.delayOutput() }
  }

  // MARK: Lists

  /// A controller began or ended to scan or to initiate.
  func note(_ controller: VirtualController, listens: Bool) {
    Self.keep(controller, in: &listeners, listens)
  }

  /// A controller that had nothing to say to its host has something to say, or the other way round.
  func note(_ controller: VirtualController, hasOutput: Bool) {
    Self.keep(controller, in: &talkers, hasOutput)
  }

  private static func keep(_ controller: VirtualController, in list: inout [VirtualController], _ isIn: Bool) {
    if isIn {
      let place = list.firstIndex { $0.id > controller.id } ?? list.endIndex
      list.insert(controller, at: place)
    } else {
      list.removeAll { $0 === controller }
    }
  }

  /// A controller that had no buffers to give back has one.
  func noteCredit(of id: ControllerID) { creditors.append(id) }
}
