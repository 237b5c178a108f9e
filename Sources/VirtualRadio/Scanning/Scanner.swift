import BLECore
import BLEHCI

/// The listening times of a scanner or initiator on one primary PHY (Core 5.4 Vol 6 Part B 4.4.3).
struct ListeningTrack {
  var phy: RadioPHY
  var interval: Duration
  var window: Duration
  /// Whether a scanner sends scan requests; unused by initiators.
  var isActive = false

  /// Returns whether a packet on a primary channel (0, 1, 2 for 37, 38, 39) is within one window. The channel changes with every interval.
  func hears(channel: Int, from start: Instant, to end: Instant, since beginning: Instant) -> Bool {
    guard start >= beginning else { return false }
    let interval = max(interval.inNanoseconds, 1)
    let sinceBeginning = (start - beginning).inNanoseconds
    let number = sinceBeginning / interval
    let offset = sinceBeginning - number * interval
    return Int(number % 3) == channel && offset + (end - start).inNanoseconds <= window.inNanoseconds
  }
}

/// The host's scan settings (Core 5.4 Vol 4 Part E 7.8.10, 7.8.64).
struct ScanSettings {
  var tracks = [
    ListeningTrack(phy: .le1M, interval: .milliseconds(10), window: .milliseconds(10))
  ]
  var ownAddressType: OwnAddressType = .publicDevice
  var filterPolicy: ScanFilterPolicy = .all
}

/// A scan in progress.
struct Scanner {
  /// The identity of an advertisement for duplicate filtering.
  struct Kind: Hashable {
    var type: AddressType
    var address: DeviceAddress
    var report: UInt16
    /// SID and DID of an extended advertisement.
    var set: UInt32
  }

  var epoch: UInt32
  var startedAt: Instant
  var settings: ScanSettings
  var isExtended: Bool
  var filtersDuplicates: Bool
  /// Whether the duplicate filter is cleared at each scan period.
  var forgetsEachPeriod = false
  var duration: Duration?
  var period: Duration?
  /// Whether the radio listens; false between two periods.
  var isListening = true
  var seen: Set<Kind> = []
  /// The scan response that the scanner has requested and awaits. The radio receives one at a time.
  var awaited: Advertisement?

  var usesFilterAcceptList: Bool { settings.filterPolicy.rawValue & 1 != 0 }

  /// Whether it reports directed advertising whose target is unresolved and may be its host.
  var reportsUnresolvedTargets: Bool { settings.filterPolicy.rawValue & 2 != 0 }
}

extension VirtualController {
  // MARK: Listening

  /// Returns whether the scanner and the initiator hear a packet on a primary channel.
  func listening(
    channel: Int, from start: Instant, to end: Instant, _ phy: RadioPHY
  ) -> (scanner: Bool, initiator: Bool) {
    guard radioIsFree(since: start) else { return (false, false) }
    func hears(_ tracks: [ListeningTrack]?, since beginning: Instant?) -> Bool {
      guard let tracks, let beginning else { return false }
      return tracks.contains { $0.phy == phy && $0.hears(channel: channel, from: start, to: end, since: beginning) }
    }
    let scanner = state.scanner.flatMap { $0.isListening ? $0 : nil }
    return (
      hears(scanner?.settings.tracks, since: scanner?.startedAt),
      hears(state.initiator?.tracks, since: state.initiator?.startedAt)
    )
  }

  /// Returns an advertisement as the scanner sees it; nil if its filter rejects it (Core 5.4 Vol 6 Part B 4.3.3).
  func hear(_ advertisement: Advertisement) -> HeardAdvertisement? {
    guard let scanner = state.scanner, let peer = identify(advertisement.addressType, advertisement.address),
      !scanner.usesFilterAcceptList || isListed(peer)
    else { return nil }
    let type = scanner.settings.ownAddressType
    guard let identity = identityAddress(type, random: state.randomAddress),
      let own = ownAddress(type, random: state.randomAddress, towards: peer.listed)
    else { return nil }
    let target = target(of: advertisement, from: peer, own: [own, identity], identity: identity)
    switch target {
    case .someoneElse: return nil
    case .unresolved where !scanner.reportsUnresolvedTargets: return nil
    default: return HeardAdvertisement(peer: peer, target: target, own: own)
    }
  }

  /// Returns the address for a scan request to an advertisement that was reported; nil if the scanner does not or must not send one
  /// (4.4.3.2).
  func scanRequestAddress(for advertisement: Advertisement) -> OwnAddress? {
    guard let scanner = state.scanner,
      scanner.settings.tracks.contains(where: { $0.phy == advertisement.primaryPHY && $0.isActive }),
      let heard = hear(advertisement), heard.target != .unresolved
    else { return nil }
    return heard.own
  }

  // MARK: Starting and stopping

  func startScanning(_ scanner: Scanner) {
    state.scanner = scanner
    if let duration = scanner.duration {
      air.timeline.schedule(.scanTimeout(id, epoch: scanner.epoch), at: air.now + duration)
    }
    if let period = scanner.period {
      air.timeline.schedule(.scanPeriod(id, epoch: scanner.epoch), at: air.now + period)
    }
  }

  func scanTimedOut(epoch: UInt32) {
    guard let scanner = state.scanner, scanner.epoch == epoch else { return }
    guard scanner.period == nil else {
      state.scanner?.isListening = false
      return
    }
    state.scanner = nil
    send(LEScanTimeout())
  }

  func scanPeriodBegan(epoch: UInt32) {
    guard var scanner = state.scanner, scanner.epoch == epoch else { return }
    scanner.startedAt = air.now
    scanner.isListening = true
    if scanner.forgetsEachPeriod { scanner.seen.removeAll() }
    startScanning(scanner)
  }

  // MARK: Reports

  private func isNew(_ kind: Scanner.Kind) -> Bool {
    guard let scanner = state.scanner, scanner.filtersDuplicates else { return true }
    guard !scanner.seen.contains(kind) else { return false }
    state.scanner?.seen.insert(kind)
    return true
  }

  /// Reports a legacy PDU in the format of the host's scan. Returns whether it passed the filter, so that a scan request may follow.
  @discardableResult
  func reportLegacy(_ advertisement: Advertisement, isScanResponse: Bool) -> Bool {
    guard let scanner = state.scanner, let heard = hear(advertisement) else { return false }
    let type = advertisement.legacyReportType(isScanResponse: isScanResponse)
    let kind = Scanner.Kind(
      type: heard.peer.type, address: heard.peer.address, report: UInt16(type.rawValue), set: .max)
    guard isNew(kind) else { return true }
    let data =
      isScanResponse ? advertisement.scanResponse : advertisement.isDirected ? [] : advertisement.data
    let strength = air.strength(of: advertisement, at: id)
    if scanner.isExtended {
      var report = advertisement.extendedReport(heard, isScanResponse: isScanResponse, rssi: strength)
      report.data = data
      send(LEExtendedAdvertisingReport { $0.reports = [report] })
    } else if heard.target == .unresolved {
      let report = DirectedAdvertisingReport.unresolved(advertisement, heard, rssi: strength)
      send(LEDirectedAdvertisingReport { $0.reports = [report] })
    } else {
      let report = AdvertisingReport.legacy(type, heard, data, rssi: strength)
      send(LEAdvertisingReport { $0.reports = [report] })
    }
    return true
  }

  func scanResponseArrived(epoch: UInt32) {
    guard let scanner = state.scanner, scanner.epoch == epoch, let advertisement = scanner.awaited else { return }
    state.scanner?.awaited = nil
    reportLegacy(advertisement, isScanResponse: true)
  }

  /// Reports the content of one auxiliary packet. Returns whether the scanner follows to the next one.
  func reportExtended(
    _ advertisement: Advertisement, data: [UInt8], status: AdvertisingDataStatus, isFirst: Bool, isScanResponse: Bool
  ) -> Bool {
    guard let heard = hear(advertisement) else { return false }
    let strength = air.strength(of: advertisement, at: id)
    var report = advertisement.extendedReport(heard, isScanResponse: isScanResponse, rssi: strength)
    let kind = Scanner.Kind(
      type: heard.peer.type, address: heard.peer.address, report: report.reportType.rawValue,
      set: UInt32(advertisement.sid) << 16 | UInt32(advertisement.dataIdentifier))
    if isFirst && !isNew(kind) { return advertisement.isScannable && !isScanResponse }
    var rest = data[...]
    repeat {
      report.data = Array(rest.prefix(Advertisement.auxiliaryCapacity))
      rest = rest.dropFirst(Advertisement.auxiliaryCapacity)
      report.reportType.dataStatus = rest.isEmpty ? status : .moreToCome
      send(LEExtendedAdvertisingReport { $0.reports = [report] })
    } while !rest.isEmpty
    return true
  }
}
