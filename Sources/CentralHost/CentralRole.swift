import BLECore
import BLEGAP
import BLEHCI
import BLELink

/// The central role's use of the controller: scanning and initiating (Core 5.4 Vol 3 Part C 9.1, 9.3).
package struct CentralRole: HostRole {
  package static var linkRole: LinkRole { .central }

  package var events: [HostEvent] = []
  let commandFamily: CentralConfiguration.CommandFamily
  let writeBacklog: Int
  /// Whether it is scanning.
  private(set) var isScanning = false
  /// Whether a connection is being made.
  private(set) var isConnecting = false
  private var controller = ControllerProfile()
  private var ownAddressType = OwnAddressType.random
  private var reports = ReportAssembler(filter: ScanFilter())
  /// The queued commands.
  private var waiting: [RoleCommand] = []
  /// Whether the last command that starts or stops scanning, queued or sent, starts it.
  private var isScanningWanted = false
  /// The command that makes the current connection.
  private var connectionRequest: (any HCICommand)?
  /// The parameters of the current scan.
  private var scanParameters: (any HCICommand)?

  init(commandFamily: CentralConfiguration.CommandFamily, writeBacklog: Int) {
    self.commandFamily = commandFamily
    self.writeBacklog = writeBacklog
  }

  // MARK: - The controller

  package mutating func controllerIsUp(
    _ controller: ControllerProfile, _ identity: TypedAddress, at now: Instant
  ) {
    self.controller = controller
    ownAddressType = identity.ownType
  }

  package mutating func controllerIsLost() {
    if isConnecting { events.append(.connectionFailed(.hardwareFailure)) }
    scanningChanged(false)
    isConnecting = false
    isScanningWanted = false
    waiting = []
  }

  package mutating func nextCommand() -> RoleCommand? { waiting.isEmpty ? nil : waiting.removeFirst() }

  package mutating func answered(
    _ command: any HCICommand, about subject: CommandSubject, _ parameters: Span<UInt8>, at now: Instant
  ) {
    let status = ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : ErrorCode.unspecifiedError.rawValue)
    switch command {
    case is LECreateConnection, is LEExtendedCreateConnection:
      if status != .success { connectionFailed(status) }
    case _ where status != .success: events.append(.refused(type(of: command).opcode, status))
    case let enable as LESetScanEnable: scanningChanged(enable.enable)
    case let enable as LESetExtendedScanEnable: scanningChanged(enable.enable)
    default: break
    }
  }

  package mutating func commandLost(_ command: any HCICommand, about subject: CommandSubject) {
    waiting.insert((command, subject), at: 0)
  }

  package mutating func receive(_ subevent: LESubevent, _ parameters: Span<UInt8>, at now: Instant) throws(LayoutFault)
  {
    switch subevent {
    case .leAdvertisingReport:
      for report in try LEAdvertisingReport.received(parameters).reports {
        if let advertisement = reports.take(report) { events.append(.advertisement(advertisement)) }
      }
    case .leExtendedAdvertisingReport:
      for report in try LEExtendedAdvertisingReport.received(parameters).reports {
        if let advertisement = reports.take(report) { events.append(.advertisement(advertisement)) }
      }
    case .leScanTimeout: scanningChanged(false)
    default: break
    }
  }

  package mutating func connectionCompleted(_ status: ErrorCode, _ handle: ConnectionHandle) { isConnecting = false }

  package mutating func linkCountChanged(_ count: Int, at now: Instant) {}

  package var isUpToDate: Bool { waiting.isEmpty }

  package mutating func becameUpToDate() {}

  package var failure: ControllerFailure? { nil }

  package mutating func stopAll() {
    stopScanning()
    cancelConnecting()
  }

  // MARK: - Supervision

  package mutating func takeComplaint() -> String? { nil }

  package mutating func tryAgain(at now: Instant) {}

  /// Returns a command whose answer shows whether the controller still scans or connects. Scan parameters cannot be set during a scan
  /// (Core 5.4 Vol 4 Part E 7.8.10, 7.8.64), and no connection can be created while another is being made (7.8.12, 7.8.66). If both are
  /// in progress, they are checked in turn.
  package func question(round: Int) -> (any HCICommand)? {
    guard isUpToDate else { return nil }
    let asksForConnection = isConnecting && (round % 2 == 0 || !isScanning)
    return asksForConnection ? connectionRequest : isScanning ? scanParameters : nil
  }

  package func isConfirmed(_ question: any HCICommand, _ status: ErrorCode) -> Bool? {
    let isAboutConnection = isConnectionRequest(question)
    guard isUpToDate, isAboutConnection ? isConnecting : isScanning else { return nil }
    switch status {
    case .commandDisallowed: return true
    case .success: return false
    // The connection was made, but its event was lost.
    case .connectionAlreadyExists where isAboutConnection: return false
    default: return nil
    }
  }

  package mutating func reapply(after question: any HCICommand, _ status: ErrorCode) {
    guard isConnectionRequest(question) else { return enableScanning(true, filtersDuplicates: false) }
    // If the question succeeded, it has begun to make the connection again.
    if status != .success { connectionFailed(status) }
  }

  private func isConnectionRequest(_ command: any HCICommand) -> Bool {
    command is LECreateConnection || command is LEExtendedCreateConnection
  }

  private mutating func connectionFailed(_ status: ErrorCode) {
    isConnecting = false
    events.append(.connectionFailed(status))
  }

  package var nextDeadline: Instant? { nil }

  package mutating func advance(to now: Instant) {}

  // MARK: - Scanning

  private mutating func enableScanning(_ enable: Bool, filtersDuplicates: Bool) {
    isScanningWanted = enable
    waiting.append((scanEnabling(enable, filtersDuplicates: filtersDuplicates), .scanning))
  }

  private mutating func scanningChanged(_ isOn: Bool) {
    guard isScanning != isOn else { return }
    isScanning = isOn
    events.append(.scanning(isOn))
  }

  mutating func scan(_ request: ScanRequest) {
    stopScanning()
    reports = ReportAssembler(filter: request.filter)
    let parameters = parameters(of: request)
    scanParameters = parameters
    waiting.append((parameters, .scanning))
    enableScanning(true, filtersDuplicates: request.filtersDuplicates)
  }

  private func parameters(of request: ScanRequest) -> any HCICommand {
    let (interval, window) = (ScanInterval(rounding: request.interval), ScanInterval(rounding: request.window))
    guard usesExtendedCommands else {
      return LESetScanParameters {
        $0.scanType = request.type
        $0.interval = interval
        $0.window = window
        $0.ownAddressType = ownAddressType
      }
    }
    var parameters = ScanningPHYParameters()
    parameters.scanType = request.type
    parameters.interval = interval
    parameters.window = window
    return LESetExtendedScanParameters {
      $0.ownAddressType = ownAddressType
      // Primary channels have no LE 2M (Core 5.4 Vol 4 Part E 7.8.64).
      $0.phys = request.phys.intersection([.le1M, .leCoded])
      if $0.phys.isEmpty { $0.phys = .le1M }
      $0.parameters = Array(repeating: parameters, count: $0.phys.parameterCount)
    }
  }

  private func scanEnabling(_ enable: Bool, filtersDuplicates: Bool) -> any HCICommand {
    guard usesExtendedCommands else {
      return LESetScanEnable {
        $0.enable = enable
        $0.filterDuplicates = filtersDuplicates
      }
    }
    return LESetExtendedScanEnable {
      $0.enable = enable
      $0.filterDuplicates = filtersDuplicates ? 1 : 0
    }
  }

  /// Stops scanning, because parameters cannot be set during a scan. If a command that starts scanning is still queued, the stop is
  /// queued after it.
  mutating func stopScanning() {
    if isScanning || isScanningWanted { enableScanning(false, filtersDuplicates: false) }
  }

  // MARK: - Initiating

  mutating func connect(_ request: ConnectionRequest) {
    isConnecting = true
    let command = creation(of: request)
    connectionRequest = command
    waiting.append((command, .connecting))
  }

  private func creation(of request: ConnectionRequest) -> any HCICommand {
    let parameters = request.parameters
    guard usesExtendedCommands else {
      return LECreateConnection {
        $0.scanInterval = Self.initiatingWindow
        $0.scanWindow = Self.initiatingWindow
        $0.peerAddressType = request.peerType
        $0.peerAddress = request.peer
        $0.ownAddressType = ownAddressType
        $0.intervalMinimum = parameters.minimum
        $0.intervalMaximum = parameters.maximum
        $0.maximumLatency = parameters.maximumLatency
        $0.supervisionTimeout = parameters.supervisionTimeout
      }
    }
    var entry = InitiatingPHYParameters()
    entry.scanInterval = Self.initiatingWindow
    entry.scanWindow = Self.initiatingWindow
    entry.intervalMinimum = parameters.minimum
    entry.intervalMaximum = parameters.maximum
    entry.maximumLatency = parameters.maximumLatency
    entry.supervisionTimeout = parameters.supervisionTimeout
    return LEExtendedCreateConnection {
      $0.peerAddressType = request.peerType
      $0.peerAddress = request.peer
      $0.ownAddressType = ownAddressType
      $0.phys = request.phys.isEmpty ? .le1M : request.phys
      $0.parameters = Array(repeating: entry, count: $0.phys.parameterCount)
    }
  }

  mutating func cancelConnecting() {
    if isConnecting { waiting.append((LECreateConnectionCancel(), .connecting)) }
  }

  /// The scan window, equal to the scan interval, so that the central scans continuously for the advertiser.
  private static var initiatingWindow: ScanInterval { ScanInterval(rawValue: 0x10) }

  /// Whether scanning and connecting use the extended commands. What the controller reports decides, because each family locks out the
  /// other until the next reset (Core 5.4 Vol 4 Part E 3.1.1).
  private var usesExtendedCommands: Bool {
    commandFamily == .byController && controller.features.contains(.extendedAdvertising)
      && [.leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection].allSatisfy(
        controller.commands.contains)
  }
}
