import BLECore
import BLEHCI

/// A device to page.
struct Page {
  enum Purpose: Hashable {
    case connection
    case name
  }

  let address: DeviceAddress
  let purpose: Purpose
  var allowsRoleSwitch = false
  var packetTypes = PacketTypes.basicRate
  var repetitionMode = PageScanRepetitionMode.r1
  /// When paging began; nil for one that waits for another.
  var start: Instant?
  var end: Instant = .zero
  /// When the device will answer, if it still scans then.
  var expected: Instant?
  var epoch: UInt32 = 0
}

// Paging (Core 5.4 Vol 2 Part B 8.3).
extension ClassicController {
  func beginPage(_ page: Page) {
    pages.append(page)
    startNextPage()
  }

  private func startNextPage() {
    while let page = pages.first, page.start == nil {
      if endsAtLink(page) { continue }
      pages[0].start = air.now
      pages[0].end = air.now + settings.pageTimeout.duration
      expectPageResponse()
    }
  }

  /// Ends paging a device that has connected meanwhile; false if it has not.
  private func endsAtLink(_ page: Page) -> Bool {
    guard let (link, end) = link(with: page.address) else { return false }
    pages.removeFirst()
    switch page.purpose {
    case .connection: fail(page, .connectionAlreadyExists)
    case .name: air.requestName(at: end, over: link)
    }
    return true
  }

  /// Finds out when the device that is being paged answers, unless it is known, and schedules that or the end.
  func expectPageResponse() {
    guard var page = pages.first, let start = page.start else { return }
    if page.expected == nil, let peer = air.classicController(at: page.address), hears(peer) {
      let repetitions = [PageScanRepetitionMode.r0: 1, .r1: 128][page.repetitionMode] ?? 256
      page.expected = peer.windows(of: peer.settings.pageScan).firstHearing(
        from: start, notBefore: air.now + BasebandSlots.unit, trainChange: ScanWindows.train * repetitions,
        isSecond: random.upTo(1) == 1,
        random: &random)
    }
    page.epoch = controller.nextEpoch()
    air.timeline.schedule(
      .classic(.page(id, page.epoch)), at: max(air.now, min(page.expected ?? page.end, page.end)))
    pages[0] = page
  }

  private func hears(_ peer: ClassicController) -> Bool {
    peer !== self && peer.settings.scans.contains(.page) && air.propagation.canCarry(from: id, to: peer.id)
      && air.propagation.canCarry(from: peer.id, to: id)
  }

  func pageIsDue(epoch: UInt32) {
    guard let page = pages.first, page.epoch == epoch else { return }
    guard let expected = page.expected, expected <= air.now, air.now < page.end else {
      pages.removeFirst()
      fail(page, .pageTimeout)
      return startNextPage()
    }
    pages[0].expected = nil
    if endsAtLink(page) {
      startNextPage()
    } else if let peer = air.classicController(at: page.address), hears(peer),
      air.propagation.carries(from: id, to: peer.id, payload: 0),
      air.propagation.carries(from: peer.id, to: id, payload: 18)
    {
      pages.removeFirst()
      air.classicConnect(self, to: peer, page)
      startNextPage()
    } else {
      expectPageResponse()
    }
  }

  /// Reports that a device could not be connected to or asked.
  func fail(_ page: Page, _ status: ErrorCode) {
    switch page.purpose {
    case .connection:
      send(
        HCIConnectionComplete {
          $0.status = status
          $0.address = page.address
        })
    case .name:
      send(
        HCIRemoteNameRequestComplete {
          $0.status = status
          $0.address = page.address
        })
    }
  }

  /// Gives up paging a device; false if it is not being paged for this purpose.
  func cancelPage(of address: DeviceAddress, _ purpose: Page.Purpose) -> Page? {
    guard let index = pages.firstIndex(where: { $0.address == address && $0.purpose == purpose }) else { return nil }
    let page = pages.remove(at: index)
    if index == 0 { startNextPage() }
    return page
  }
}
