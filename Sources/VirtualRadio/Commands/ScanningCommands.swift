import BLECore
import BLEHCI

extension CommandTable {
  static let scanningCommands: [CommandEntry] = [
    plain(LESetScanParameters.self) { controller, command throws(Refusal) in
      try controller.latch(.legacy)
      try controller.require(controller.state.scanner == nil, .commandDisallowed)
      try controller.requireScanning(command.filterPolicy, command.ownAddressType)
      let track = try controller.track(.le1M, command.scanType, command.interval, command.window, isExtended: false)
      controller.state.scanParameters = ScanSettings(
        tracks: [track], ownAddressType: command.ownAddressType, filterPolicy: command.filterPolicy)
    },
    plain(LESetScanEnable.self) { controller, command throws(Refusal) in
      try controller.latch(.legacy)
      guard command.enable else {
        controller.state.scanner = nil
        return
      }
      var scanner = try controller.makeScanner(isExtended: false, filtersDuplicates: command.filterDuplicates)
      scanner.startedAt = controller.state.scanner?.startedAt ?? scanner.startedAt
      controller.startScanning(scanner)
    },
    plain(LESetExtendedScanParameters.self) { controller, command throws(Refusal) in
      try controller.latch(.extended)
      try controller.require(controller.state.scanner == nil, .commandDisallowed)
      try controller.setExtendedScanParameters(command)
    },
    plain(LESetExtendedScanEnable.self) { controller, command throws(Refusal) in
      try controller.latch(.extended)
      try controller.require(command.filterDuplicates <= 2)
      guard command.enable else {
        controller.state.scanner = nil
        return
      }
      try controller.enableExtendedScan(command)
    },
  ]
}

extension VirtualController {
  /// Returns a listening track, if interval and window are in range (Core 5.4 Vol 4 Part E 7.8.10, 7.8.64).
  func track(
    _ phy: RadioPHY, _ type: ScanType, _ interval: ScanInterval, _ window: ScanInterval, isExtended: Bool
  ) throws(Refusal) -> ListeningTrack {
    let longest: UInt16 = isExtended ? .max : 0x4000
    if configuration.has(.takesAnyScanParameters) {
      let interval = max(interval, ScanInterval(rawValue: 4))
      return ListeningTrack(
        phy: phy, interval: interval.duration, window: min(window, interval).duration,
        isActive: type.rawValue & 1 == 1)
    }
    try require(type.rawValue <= 1)
    try require(window.rawValue >= 4 && window <= interval && interval.rawValue <= longest)
    return ListeningTrack(
      phy: phy, interval: interval.duration, window: window.duration, isActive: type == .active)
  }

  func requireScanning(_ policy: ScanFilterPolicy, _ ownType: OwnAddressType) throws(Refusal) {
    try require(policy.rawValue <= 3 && ownType.rawValue <= 3)
    let isExtended = policy == .allAndUnresolvedDirected || policy == .listedAndUnresolvedDirected
    try require(
      !isExtended || configuration.features.contains(.extendedScanningFilterPolicies),
      .unsupportedFeatureOrParameterValue)
  }

  func makeScanner(isExtended: Bool, filtersDuplicates: Bool) throws(Refusal) -> Scanner {
    let settings = state.scanParameters
    try require(ownAddress(settings.ownAddressType, random: state.randomAddress) != nil)
    return Scanner(
      epoch: nextEpoch(), startedAt: air.now, settings: settings, isExtended: isExtended,
      filtersDuplicates: filtersDuplicates)
  }

  func setExtendedScanParameters(_ command: LESetExtendedScanParameters) throws(Refusal) {
    try requireScanning(command.filterPolicy, command.ownAddressType)
    try require(!command.phys.isEmpty && command.phys.isSubset(of: [.le1M, .leCoded]))
    try require(
      command.phys.rawValue & ~configuration.supportedPHYs == 0, .unsupportedFeatureOrParameterValue)
    let phys = [RadioPHY.le1M, .leCoded].filter { command.phys.rawValue & $0.bit != 0 }
    var tracks: [ListeningTrack] = []
    for (phy, entry) in zip(phys, command.parameters) {
      tracks.append(try track(phy, entry.scanType, entry.interval, entry.window, isExtended: true))
    }
    state.scanParameters = ScanSettings(
      tracks: tracks, ownAddressType: command.ownAddressType, filterPolicy: command.filterPolicy)
  }

  /// Starts or stops extended scanning (Core 5.4 Vol 4 Part E 7.8.65).
  func enableExtendedScan(_ command: LESetExtendedScanEnable) throws(Refusal) {
    let (duration, period) = (command.duration, command.period)
    try require(period.rawValue == 0 || duration.rawValue == 0 || duration.duration < period.duration)
    var scanner = try makeScanner(isExtended: true, filtersDuplicates: command.filterDuplicates != 0)
    scanner.forgetsEachPeriod = command.filterDuplicates == 2
    if duration.rawValue != 0 {
      scanner.duration = duration.duration
      scanner.period = period.rawValue == 0 ? nil : period.duration
    }
    startScanning(scanner)
  }
}
