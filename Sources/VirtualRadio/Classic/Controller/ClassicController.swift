import BLECore
import BLEHCI

/// The BR/EDR side of a virtual controller. LE-only controllers have none.
final class ClassicController {
  unowned let controller: VirtualController
  let configuration: ClassicConfiguration
  var settings = ClassicSettings()
  /// All links that use a handle, by ascending handle, including those that are not yet open.
  private(set) var links: [(link: ClassicLink, place: ClassicPlace)] = []
  var inquiry: Inquiry?
  /// The devices to page. The first one is being paged.
  var pages: [Page] = []
  var piconet = Piconet()
  var random: SplitMix64
  /// The native clock at the zero of the air's time, in units of 312.5 us.
  let clock: UInt32

  init(_ configuration: ClassicConfiguration, of controller: VirtualController) {
    self.controller = controller
    self.configuration = configuration
    // A stream of its own, so that LE is the same with and without it.
    random = SplitMix64(
      seed: controller.air.configuration.seed, stream: UInt64(controller.id.rawValue) | 1 << 40)
    clock = UInt32(random.upTo(0x0FFF_FFFF))
  }

  var air: Air { controller.air }
  var id: ControllerID { controller.id }
  var address: DeviceAddress { controller.publicAddress }

  /// Forgets everything that HCI Reset covers. The links are left without notice.
  func reset() {
    air.abandonClassicLinks(of: self)
    links.removeAll()
    settings = ClassicSettings()
    inquiry = nil
    pages.removeAll()
    air.classicScansChanged()
  }

  // MARK: Features

  /// Returns a page of features.
  func features(page: UInt8) -> LMPFeaturePage {
    switch page {
    case 0: LMPFeaturePage(rawValue: configuration.features.rawValue)
    case 1: LMPFeaturePage(rawValue: settings.hostFeatures.rawValue)
    case 2: LMPFeaturePage(rawValue: configuration.secondFeatures.rawValue)
    default: LMPFeaturePage(rawValue: 0)
    }
  }

  /// Whether controller and host support Secure Simple Pairing.
  var supportsSimplePairing: Bool { configuration.features.contains(.secureSimplePairing) && settings.simplePairing }

  /// Whether controller and host support Secure Connections.
  var supportsSecureConnections: Bool {
    supportsSimplePairing && configuration.supportsSecureConnections && settings.secureConnections
  }

  /// Returns how far the clock of a peer is ahead, in units of 1.25 ms.
  func clockOffset(to peer: ClassicController) -> ClockOffset {
    ClockOffset(rawValue: UInt16(((peer.clock &- clock) >> 2) & 0x7FFF))
  }

  // MARK: Links

  func add(_ link: ClassicLink, at place: ClassicPlace) {
    let index = links.firstIndex { $0.link[$0.place].handle > link[place].handle } ?? links.endIndex
    links.insert((link, place), at: index)
  }

  func remove(_ end: ClassicEnd) { links.removeAll { $0.link[$0.place] === end } }

  /// The links that the host knows by handle.
  var openLinks: [(link: ClassicLink, end: ClassicEnd)] {
    links.compactMap { $0.link[$0.place].isOpen ? ($0.link, $0.link[$0.place]) : nil }
  }

  func link(_ handle: ConnectionHandle) -> (link: ClassicLink, end: ClassicEnd)? {
    for (link, place) in links where link[place].handle == handle.rawValue && link[place].isOpen {
      return (link, link[place])
    }
    return nil
  }

  /// Returns the link with a peer, open or not.
  func link(with peer: DeviceAddress) -> (link: ClassicLink, end: ClassicEnd)? {
    for (link, place) in links where link[place].peerAddress == peer && link.purpose == .connection {
      return (link, link[place])
    }
    return nil
  }

  func existing(_ handle: ConnectionHandle) throws(Refusal) -> (link: ClassicLink, end: ClassicEnd) {
    guard let found = link(handle) else { throw Refusal(.unknownConnectionIdentifier) }
    return found
  }

  func existing(_ peer: DeviceAddress) throws(Refusal) -> (link: ClassicLink, end: ClassicEnd) {
    guard let found = link(with: peer) else { throw Refusal(.unknownConnectionIdentifier) }
    return found
  }

  /// The number of the host's packets in the controller's buffers.
  var heldPackets: Int { links.reduce(0) { $0 + $1.link[$1.place].heldPackets } }

  func send(_ event: some HCIEvent) { controller.send(event) }
}
