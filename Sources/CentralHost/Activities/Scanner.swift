import BLECore
import BLEGAP
import BLEHCI
import BLELink

/// Scanning for advertisers (Core 5.4 Vol 3 Part C 9.2).
struct Scanner: QueuedActivity {
  static let subject = CommandSubject.scanning
  var events: [HostEvent] = []
  private(set) var isScanning = false
  private var commands = LECommands()
  private var reports = ReportAssembler(filter: ScanFilter())
  var waiting: [any HCICommand] = []
  /// Whether the last command that starts or stops scanning, queued or sent, starts it.
  private var isWanted = false
  /// The parameters of the current scan.
  private var parameters: (any HCICommand)?

  init(commandFamily: CentralConfiguration.CommandFamily) { commands.family = commandFamily }

  // MARK: Requests

  /// Scans, in place of an earlier scan.
  mutating func scan(_ request: ScanRequest) {
    stop()
    reports = ReportAssembler(filter: request.filter)
    let parameters = commands.parameters(of: request)
    self.parameters = parameters
    waiting.append(parameters)
    enable(true, filtersDuplicates: request.filtersDuplicates)
  }

  /// Stops scanning, because parameters cannot be set during a scan. If a command that starts scanning is still queued, the stop is
  /// queued after it.
  mutating func stop() {
    if isScanning || isWanted { enable(false, filtersDuplicates: false) }
  }

  private mutating func enable(_ isOn: Bool, filtersDuplicates: Bool) {
    isWanted = isOn
    waiting.append(commands.scanEnabling(isOn, filtersDuplicates: filtersDuplicates))
  }

  private mutating func changed(_ isOn: Bool) {
    guard isScanning != isOn else { return }
    isScanning = isOn
    events.append(.scanning(isOn))
  }

  // MARK: The controller

  mutating func controllerIsUp(_ controller: ControllerProfile, _ identity: TypedAddress, at now: Instant) {
    commands.controllerIsUp(controller, identity)
  }

  mutating func controllerIsLost() {
    changed(false)
    isWanted = false
    waiting = []
  }

  mutating func answered(_ command: any HCICommand, _ status: ErrorCode, at now: Instant) {
    guard status == .success else { return events.append(.refused(type(of: command).opcode, status)) }
    switch command {
    case let enable as LESetScanEnable: changed(enable.enable)
    case let enable as LESetExtendedScanEnable: changed(enable.enable)
    default: break
    }
  }

  mutating func receive(_ subevent: LESubevent, _ parameters: Span<UInt8>) throws(LayoutFault) {
    switch subevent {
    case .leAdvertisingReport:
      for report in try LEAdvertisingReport.received(parameters).reports {
        if let advertisement = reports.take(report) { events.append(.advertisement(advertisement)) }
      }
    case .leExtendedAdvertisingReport:
      for report in try LEExtendedAdvertisingReport.received(parameters).reports {
        if let advertisement = reports.take(report) { events.append(.advertisement(advertisement)) }
      }
    case .leScanTimeout: changed(false)
    default: break
    }
  }

  // MARK: Supervision

  /// A command whose answer shows whether the controller still scans: parameters cannot be set during a scan (Core 5.4 Vol 4 Part E 7.8.10,
  /// 7.8.64). Nil while it does not scan.
  var question: (any HCICommand)? { isScanning ? parameters : nil }

  /// Scans again, because the controller has stopped.
  mutating func reapply() { enable(true, filtersDuplicates: false) }
}
