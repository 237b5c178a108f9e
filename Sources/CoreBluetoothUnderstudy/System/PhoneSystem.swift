import AccessoryProfile
import BLEATT
import BLECore
import BLECryptography
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import Foundation

/// The host of a phone.
typealias PhoneHost = HostEngine<CentralRole, ProfileRuntime>

/// A phone's Bluetooth system, which implements the API. It has the devices, links, bonds and apps.
///
/// It belongs to one thread: that of its air, or that of its poll loop. Apps call it through the mailbox. It calls apps through deliveries,
/// which only `advance` performs, so that no callback runs while octets are being processed.
final class PhoneSystem {
  let persona: Persona
  /// Whether it uses BR/EDR too.
  let usesClassic: Bool
  let shared: PhoneShared
  /// Records an event of the phone or its apps.
  var journal: (ProfileValue) -> Void = { _ in }
  /// Performs a delivery on its target.
  var call: (Delivery) -> Void = CallbackQueue.callAndWait
  let profile: Profile
  private let seed: UInt64

  var stack: PhoneHost
  var out = HostOutput()
  var now: Instant
  var power = Power.off
  /// Whether Bluetooth was switched on again while it was being switched off.
  var isToRestart = false
  /// The phone's own identity, which its peers keep in their bonds.
  let identity: TypedAddress
  let resolvingKey: IdentityResolvingKey
  var bonds: [BondRecord] = []
  var random: RandomSource

  var managers: [ManagerRecord] = []
  var apps: [PhoneApp] = []
  var devices: [Device] = []
  /// The device that the controller is connecting to.
  var connecting: Device?
  var isCancelingConnection = false
  /// The name of the accessory that an inquiry is to find.
  var soughtName: String?
  /// The scan in progress.
  var activeScan: ScanRequest?
  var deliveries: [Delivery] = []
  private var timers: [PhoneTimer] = []
  /// The code to run at the end of each operation.
  var continuations: [ConnectionHandle: [OperationID: (GATTOutcome) -> Void]] = [:]
  var strengthQuestions: [ConnectionHandle: [AppPeer]] = [:]
  /// The sheet with the question of a pairing; nil if there is none.
  var sheet: PairingSheet?
  var person = Person.waits
  /// Called with each sheet that `person` leaves unanswered.
  var sheetShown: ((PairingSheet) -> Void)?
  /// Whether accessories without a decision of their own may use the Notification Center.
  var sharesNotifications = false
  /// The player, and the accessories that follow it.
  var media = MediaPlayer()
  /// The number of callbacks so far.
  var callbacks = 0
  private var isCollecting = false

  private struct PhoneTimer {
    let due: Instant
    let body: () -> Void
  }

  /// The states of the phone's Bluetooth.
  enum Power { case off, starting, on, stopping, unsupported }

  /// Creates the system of a phone whose Bluetooth is off. Without `stored`, it has a new identity. With the public address of its
  /// controller, which is its identity then, it uses BR/EDR too.
  init(
    _ persona: Persona, profile: Profile, name: String, seed: UInt64, random: RandomSource,
    publicAddress: DeviceAddress? = nil,
    stored: (identity: TypedAddress, resolvingKey: IdentityResolvingKey)? = nil, at now: Instant
  ) throws {
    self.persona = persona
    usesClassic = publicAddress != nil
    self.profile = profile
    self.seed = seed
    self.now = now
    shared = PhoneShared(persona: persona, name: name)
    var random = random
    if let stored {
      (identity, resolvingKey) = stored
    } else {
      let address = DeviceAddress.randomStatic(from: random.next())
      identity = TypedAddress(address: publicAddress ?? address, isRandom: publicAddress == nil)
      resolvingKey = IdentityResolvingKey(random: &random)
    }
    stack = try Self.makeStack(
      persona, profile, name, identity, resolvingKey, usesClassic: usesClassic, &random, seed: seed, at: now)
    self.random = random
  }

  /// Creates the host of a phone. As in other phones, it gets a new private address each time that Bluetooth is switched on.
  private static func makeStack(
    _ persona: Persona, _ profile: Profile, _ name: String, _ identity: TypedAddress, _ key: IdentityResolvingKey,
    usesClassic: Bool, _ random: inout RandomSource, seed: UInt64, at now: Instant
  ) throws -> PhoneHost {
    var configuration = CentralConfiguration(
      name: name, randomAddress: key.makeAddress(random: &random), mtu: persona.mtu, dataLength: persona.dataLength,
      preferredPHY: persona.phy, parameterPolicy: .acceptMeeting(persona.parameterRules), writeBacklog: 4,
      services: profile.services)
    configuration.security.isPairable = true
    configuration.security.ioCapability = persona.ioCapability
    configuration.security.prefersAuthentication = true
    configuration.security.confirmsJustWorks = true
    configuration.security.maximumBonds = 64
    configuration.securityRequests = .afterRefusal
    configuration.identityAddress = identity
    configuration.identityResolvingKey = key.octets
    configuration.usesClassic = usesClassic
    var stack = try PhoneHost(
      configuration,
      application: ProfileRuntime(profile: profile, seed: seed, clock: persona.clock, startingAt: now))
    stack.random = random
    stack.watchInterval = .seconds(1)
    stack.reportsAccess = true
    return stack
  }

  // MARK: - Input and output

  var nextDeadline: Instant? {
    if shared.mailbox.hasCalls || deliveries.contains(where: { $0.isDue }) { return now }
    return Instant.earliest(stack.nextDeadline, timers.map(\.due).min())
  }

  func receive(_ octets: Span<UInt8>, at now: Instant) {
    self.now = now
    stack.receive(octets, at: now, into: &out)
    collect()
  }

  func advance(to now: Instant) {
    self.now = now
    stack.advance(to: now, into: &out)
    collect()
    performTimers()
    // Callbacks make calls, and calls lead to callbacks.
    for _ in 0..<Self.callbackLimit {
      for call in shared.mailbox.take() { call(self) }
      plan()
      guard performDeliveries() || shared.mailbox.hasCalls else { return }
    }
  }

  /// The maximum rounds of callbacks and calls at one instant, so that an app that calls from each of its callbacks cannot stop time.
  private static let callbackLimit = 100

  func drain(into buffer: inout OctetBuffer) {
    out.octets.withSpan { buffer.append($0) }
    out.octets.removeAll()
  }

  /// Decides what the controller should do now: connect, scan, or neither.
  func plan() {
    guard power == .on else { return }
    planConnections()
    planBridges()
    planScan()
  }

  // MARK: - Events

  /// Handles the events of the host. Handlers may cause more.
  func collect() {
    guard !isCollecting else { return }
    isCollecting = true
    defer { isCollecting = false }
    while !out.events.isEmpty || !out.signalStrengths.isEmpty {
      let (events, strengths) = (out.events, out.signalStrengths)
      out.events.removeAll(keepingCapacity: true)
      out.signalStrengths.removeAll(keepingCapacity: true)
      for event in events { handle(event) }
      for (link, decibels) in strengths { signalStrengthRead(decibels, of: link) }
    }
  }

  private func handle(_ event: HostEvent) {
    switch event {
    case .controllerReady: controllerIsReady()
    case .controllerFailed: controllerHasFailed()
    case .stopped: hasStopped()
    case .advertisement(let advertisement): heard(advertisement)
    case .connected(let link, let details): linkMade(link, details)
    case .found(let device): found(device)
    case .attributeChannel(let link, let isOpen): attributeChannelChanged(isOpen: isOpen, on: link)
    case .connectionFailed(let status): connectionFailed(status)
    case .disconnected(let link, let reason): linkEnded(link, reason)
    case .client(let link, .ended(let id, let outcome)):
      continuations[link]?.removeValue(forKey: id)?(outcome)
    case .client(let link, .notification(let handle, let value)): received(value, of: handle, on: link)
    case .client(let link, .indication(let handle, let value)): received(value, of: handle, on: link)
    case .client(let link, .databaseOutOfSync): servicesChanged(1...0xFFFF, on: link)
    case .server(let link, .refused(_, _, .insufficientAuthorization)): askForNotificationConsent(on: link)
    case .server(let link, let event): handleMedia(event, on: link)
    case .readyForMore(let link): sendCommands(on: link)
    case .channel(let link, let event): handle(event, on: link)
    case .sdu(let link, let channel, let sdu): received(sdu, on: channel, of: link)
    case .security(let link, let event): handle(event, on: link)
    case .encryptionFailed(let link, let status): encryptionFailed(status, on: link)
    case .bondChanged(let record): bondChanged(record)
    case .bondRemoved(let peer): bonds.removeAll { $0.peer == peer }
    default: break
    }
  }

  // MARK: - Requests

  /// Performs a request of the system itself. A refusal means that the link has just ended.
  func perform(_ request: CentralRequest) {
    try? stack.perform(request, at: now, into: &out)
    collect()
  }

  /// Performs an operation on a device's server, after earlier writes without response, because requests often ask for their results.
  /// `then` gets the outcome, unless the link ends first.
  func perform(_ operation: GATTOperation, on link: PhoneLink, then: @escaping (GATTOutcome) -> Void) {
    if link.unsent.isEmpty {
      begin(operation, on: link, then: then)
    } else {
      link.unsent.append(.operation(operation, then: then))
    }
  }

  func begin(_ operation: GATTOperation, on link: PhoneLink, then: @escaping (GATTOutcome) -> Void) {
    guard let id = try? stack.perform(operation, on: link.handle, at: now, into: &out) else { return }
    continuations[link.handle, default: [:]][id] = then
    collect()
  }

  // MARK: - Timers

  /// Calls `body` after a delay.
  func after(_ delay: Duration, _ body: @escaping () -> Void) {
    timers.append(PhoneTimer(due: now + delay, body: body))
  }

  private func performTimers() {
    let due = timers.filter { $0.due <= now }
    timers.removeAll { $0.due <= now }
    for timer in due { timer.body() }
  }

  // MARK: - Power

  /// Replaces the host, and starts it.
  func restartStack() {
    guard
      let fresh = try? Self.makeStack(
        persona, profile, shared.name, identity, resolvingKey, usesClassic: usesClassic, &random, seed: seed, at: now)
    else { return }
    stack = fresh
    stack.bonds = bonds
    out = HostOutput()
    power = .starting
    stack.start(at: now, into: &out)
    collect()
  }
}
