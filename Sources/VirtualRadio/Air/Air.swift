import BLECore
import BLEHCI

/// A simulated air that connects the controllers in this process.
///
/// It has no clock, input or output. Its owner passes in the time and the octets from the hosts, and takes the octets for the hosts:
///
/// ```swift
/// let air = Air(configuration: AirConfiguration(seed: 7))
/// let peripheral = air.addController(configuration: .full)
/// air.receive(HCIReset().h4.span, from: peripheral, at: .zero)
/// air.drain(peripheral, into: &buffer)
/// while let deadline = air.nextDeadline { air.advance(to: deadline) }
/// ```
///
/// Time never goes backward: an instant before the latest one counts as the latest. The same calls in the same order with the same seed
/// give the same octets.
package final class Air {
  /// The configuration of this air.
  package let configuration: AirConfiguration
  /// The latest time passed to this air.
  package internal(set) var now: Instant = .zero
  /// Receives every packet on the air when its transmission ends, in that order. With an observer, every connection event and advertising
  /// event is played. Without one, events that nobody hears or that carry no data are skipped and cost nothing. The observer must not call
  /// the air.
  package var observer: ((AirPacket) -> Void)? {
    didSet { wakeForObserver() }
  }

  var timeline = Timeline<AirEvent>()
  var propagation: Propagation
  var links: [LinkID: Link] = [:]
  /// Links with data to exchange at once (`immediate` timing), in order of arrival.
  var linksWithWork: [LinkID] = []
  /// The controllers by number; nil for removed ones.
  private var controllers: [VirtualController?] = []
  private var linkCount: UInt64 = 0

  var classicLinks: [LinkID: ClassicLink] = [:]
  /// Links of BR/EDR with something to exchange at once, in order of arrival.
  var classicLinksWithWork: [LinkID] = []

  // These lists keep the cost of an input independent of the number of controllers on the air.

  /// The controllers that scan or initiate, in the order in which they started.
  private(set) var listeners: [VirtualController] = []
  /// The controllers with octets for their hosts, in order of arrival.
  private var talkers: [VirtualController] = []
  /// The controllers with completed packets to report to their hosts.
  private var creditors: [ControllerID] = []

  /// Creates an empty air.
  package init(configuration: AirConfiguration = AirConfiguration()) {
    self.configuration = configuration
    propagation = Propagation(seed: configuration.seed)
  }

  // MARK: Controllers

  /// Adds a controller to the air, in its state after power on.
  package func addController(configuration: ControllerConfiguration) -> ControllerID {
    let id = ControllerID(rawValue: controllers.count)
    var configuration = configuration
    // Devices of BR/EDR are paged by their public addresses, so each has its own.
    if configuration.classic != nil, configuration.publicAddress == .zero {
      configuration.publicAddress = DeviceAddress(bits: 0x0255_5300_0000 + UInt64(id.rawValue + 1))
    }
    let controller = VirtualController(id: id, configuration: configuration, air: self)
    controllers.append(controller)
    controller.powerOn()
    return id
  }

  /// Removes a controller from the air, as if unplugged: its peers notice by supervision timeout. Its pending output is lost. Does nothing
  /// for an unknown controller.
  package func removeController(_ id: ControllerID) {
    guard let controller = controller(id) else { return }
    abandonLinks(of: controller)
    if let classic = controller.classic { abandonClassicLinks(of: classic) }
    controllers[id.rawValue] = nil
    listeners.removeAll { $0 === controller }
    talkers.removeAll { $0 === controller }
    propagation.forget(id)
  }

  /// The controllers on the air, in the order in which they were added.
  package var controllerIDs: [ControllerID] { controllers.compactMap { $0?.id } }

  /// Returns the configuration of a controller; nil for an unknown one.
  package func configuration(of id: ControllerID) -> ControllerConfiguration? { controller(id)?.configuration }

  /// Returns the number of a controller's connections.
  package func connectionCount(of id: ControllerID) -> Int {
    guard let controller = controller(id) else { return 0 }
    return controller.connections.count + (controller.classic?.openLinks.count ?? 0)
  }

  func controller(_ id: ControllerID) -> VirtualController? {
    controllers.indices.contains(id.rawValue) ? controllers[id.rawValue] : nil
  }

  /// The BR/EDR sides of the controllers, in the order in which these were added.
  var classicControllers: [ClassicController] { controllers.compactMap { $0?.classic } }

  func classicController(at address: DeviceAddress) -> ClassicController? {
    classicControllers.first { $0.address == address }
  }

  func makeLinkID() -> LinkID {
    linkCount += 1
    return LinkID(rawValue: linkCount)
  }

  // MARK: Octets and time

  /// Receives H4 octets from a controller's host, in chunks of any size. Drops the octets for an unknown controller.
  package func receive(_ octets: Span<UInt8>, from id: ControllerID, at instant: Instant) {
    advance(to: instant)
    guard let controller = controller(id) else { return }
    controller.receive(octets)
    finishInput()
  }

  /// Plays everything that is due at `instant`.
  package func advance(to instant: Instant) {
    while let (due, event) = timeline.takeNext(upTo: instant) {
      now = max(now, due)
      play(event)
      finishInput()
    }
    now = max(now, instant)
  }

  /// The time of the next scheduled event; nil if there is none.
  package var nextDeadline: Instant? { timeline.next }

  /// The controllers that have octets for their hosts, in order of arrival.
  package var controllersWithOutput: [ControllerID] { talkers.map(\.id) }

  /// Moves the H4 octets that a controller has for its host to the end of `buffer`.
  package func drain(_ id: ControllerID, into buffer: inout OctetBuffer) {
    controller(id)?.drain(into: &buffer)
  }

  /// Returns and removes a host's faults since the last call, in order; at most the latest 64.
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
    case .classic(let event): play(event)
    }
  }

  /// Completes an input: exchanges immediate data and reports completed packets to hosts.
  func finishInput() {
    while !linksWithWork.isEmpty {
      let id = linksWithWork.removeFirst()
      if let link = links[id] { exchangeImmediately(over: link) }
    }
    while !classicLinksWithWork.isEmpty {
      let id = classicLinksWithWork.removeFirst()
      if let link = classicLinks[id] { exchangeImmediately(over: link) }
    }
    while let id = creditors.popLast() { controller(id)?.reportCompletedPackets() }
    for controller in talkers { controller.delayOutput() }
  }

  // MARK: Lists

  /// Notes that a controller started or stopped scanning or initiating.
  func note(_ controller: VirtualController, listens: Bool) {
    Self.keep(controller, in: &listeners, listens)
  }

  /// Notes that a controller's output for its host became non-empty or empty.
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

  /// Notes that a controller has completed packets to report to its host.
  func noteCredit(of id: ControllerID) { creditors.append(id) }
}
