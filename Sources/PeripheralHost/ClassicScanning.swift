import BLECore
import BLEGAP
import BLEHCI
import BLELink
import BLESMP

/// What a device does to be found and connected to over BR/EDR: what it says of itself, and its scans for inquiries and pages (Core 5.4 Vol 3
/// Part C 4, Vol 4 Part E 7.3). It compares what is wanted with what the controller has, as `Advertiser` does.
struct ClassicScanning: RoleActivity {
  static let subject = CommandSubject.classicScanning
  var events: [HostEvent] = []
  private(set) var settings: ClassicSettings
  private let services: [BluetoothUUID]
  private let security: PairingPolicy
  /// What the controller does not have yet, in order.
  private var waiting: [any HCICommand] = []
  /// The scans that the controller runs; nil until it has been told.
  private var current: ScanEnable?
  /// Whether a command is in progress.
  private var isWaitingForAnswer = false
  private var isOff = false
  private var isUp = false
  private var setsAccessCodes = false
  /// When the time in limited discoverable mode is over.
  private var limitedUntil: Instant?

  /// Creates the scanning of a device with these services.
  init(_ settings: ClassicSettings, services: [BluetoothUUID], security: PairingPolicy) {
    self.settings = settings
    self.services = services
    self.security = security
  }

  /// The scans that are wanted.
  var scans: ScanEnable {
    guard isUp, !isOff else { return [] }
    var scans: ScanEnable = settings.isConnectable ? .page : []
    if isDiscoverable { scans.insert(.inquiry) }
    return scans
  }

  private var isDiscoverable: Bool {
    switch settings.discoverability {
    case .none: false
    case .limited: limitedUntil != nil
    case .general: true
    }
  }

  /// Whether the controller has all that is wanted.
  var isUpToDate: Bool { !isUp || (waiting.isEmpty && !isWaitingForAnswer && current == scans) }

  // MARK: - The controller

  mutating func controllerIsUp(_ controller: ControllerProfile, _ identity: TypedAddress, at now: Instant) {
    controllerIsLost()
    guard controller.supportsClassic else { return }
    isUp = true
    setsAccessCodes = controller.commands.contains(.writeCurrentIACLAP)
    if case .limited(let time) = settings.discoverability { limitedUntil = now + time }
    waiting = setup(of: controller) + presentation(on: controller)
  }

  mutating func controllerIsLost() {
    waiting = []
    (current, limitedUntil) = (nil, nil)
    (isUp, isWaitingForAnswer) = (false, false)
  }

  /// The commands that choose how the controller pairs and what it allows, which come before any connection.
  private func setup(of controller: ControllerProfile) -> [any HCICommand] {
    var commands = controller.pairingCommands(security)
    var policy: LinkPolicySettings = []
    let features = controller.classicFeatures ?? []
    if settings.allowsRoleSwitch, features.contains(.roleSwitch) { policy.insert(.roleSwitch) }
    if settings.allowsSniff, features.contains(.sniffMode) { policy.insert(.sniff) }
    if controller.commands.contains(.writeDefaultLinkPolicySettings) {
      commands.append(HCIWriteDefaultLinkPolicySettings { $0.settings = policy })
    }
    return commands
  }

  /// The commands with what the device says of itself.
  private func presentation(on controller: ControllerProfile) -> [any HCICommand] {
    var commands: [any HCICommand] = [HCIWriteLocalName { $0.localName = settings.paddedName }, classCommand]
    if controller.classicFeatures?.contains(.extendedInquiryResponse) ?? false {
      let response = settings.makeInquiryResponse(services: services)
      commands.append(HCIWriteExtendedInquiryResponse { $0.response = response })
    }
    if settings.discoverability.isLimited, setsAccessCodes { commands.append(accessCodes) }
    return commands
  }

  /// The class of device, with the bit of limited discoverable mode (Core 5.4 Vol 3 Part C 4.1.2.2).
  private var classCommand: HCIWriteClassOfDevice {
    var octets = settings.classOfDevice & ~MajorServices.limitedDiscoverable.rawValue
    if limitedUntil != nil { octets |= MajorServices.limitedDiscoverable.rawValue }
    return HCIWriteClassOfDevice { $0.classOfDevice = ClassOfDevice(rawValue: octets) }
  }

  /// A device in limited discoverable mode answers limited and general inquiries, one in general discoverable mode only general ones (Core
  /// 5.4 Vol 3 Part C 4.1.2.2, 4.1.3.2).
  private var accessCodes: HCIWriteCurrentIACLAP {
    HCIWriteCurrentIACLAP { $0.accessCodes = settings.discoverability.isLimited ? [.limited, .general] : [.general] }
  }

  /// Returns the next command; nil if there is nothing to change.
  mutating func nextCommand() -> (any HCICommand)? {
    guard isUp, !isWaitingForAnswer else { return nil }
    if !waiting.isEmpty {
      isWaitingForAnswer = true
      return waiting.removeFirst()
    }
    guard current != scans else { return nil }
    isWaitingForAnswer = true
    return HCIWriteScanEnable { $0.scans = scans }
  }

  mutating func answered(_ command: any HCICommand, _ status: ErrorCode, at now: Instant) {
    isWaitingForAnswer = false
    if status != .success { events.append(.refused(type(of: command).opcode, status)) }
    guard let command = command as? HCIWriteScanEnable else { return }
    // A refused command is not repeated: the scans that are wanted change with the next reason.
    current = command.scans
    guard status == .success else { return }
    events.append(
      .classicScans(
        isDiscoverable: command.scans.contains(.inquiry), isConnectable: command.scans.contains(.page)))
  }

  mutating func commandLost(_ command: any HCICommand) {
    isWaitingForAnswer = false
    if command is HCIWriteScanEnable { current = nil } else { waiting.insert(command, at: 0) }
  }

  // MARK: - What is wanted

  /// Changes the modes. A time in limited discoverable mode begins now, or when the accessory is awake and its controller is up.
  mutating func set(_ modes: ClassicModes, at now: Instant) {
    if let isConnectable = modes.isConnectable { settings.isConnectable = isConnectable }
    guard let discoverability = modes.discoverability else { return }
    let hadLimitedCodes = settings.discoverability.isLimited
    let wasLimited = limitedUntil != nil
    settings.discoverability = discoverability
    limitedUntil = nil
    guard isUp else { return }
    if discoverability.isLimited != hadLimitedCodes, setsAccessCodes { waiting.append(accessCodes) }
    guard !isOff else { return }
    if case .limited(let time) = discoverability { limitedUntil = now + time }
    if wasLimited || limitedUntil != nil { waiting.append(classCommand) }
  }

  /// Ends all scans, or begins again as at the start.
  mutating func setOff(_ isOff: Bool, at now: Instant) {
    guard self.isOff != isOff else { return }
    self.isOff = isOff
    guard isUp, !isOff, case .limited(let time) = settings.discoverability else { return }
    limitedUntil = now + time
    waiting.append(classCommand)
  }

  /// Ends all scans for good.
  mutating func stop() { isOff = true }

  var nextDeadline: Instant? { limitedUntil }

  /// Ends limited discoverable mode when its time is over.
  mutating func advance(to now: Instant) {
    guard let limitedUntil, limitedUntil <= now else { return }
    self.limitedUntil = nil
    waiting.append(classCommand)
  }
}
