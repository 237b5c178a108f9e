import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import BLELink
import BLESMP
import CentralHost

/// Links over BR/EDR: those that the person makes in Settings, whose services apps use like those over LE, and those that bridge a link over
/// LE. The system ends neither when no app needs them.
extension PhoneSystem {
  /// Looks for the accessory with this name over BR/EDR, and connects to it.
  func connectClassic(_ name: String) {
    guard usesClassic, power == .on else { return }
    soughtName = name
    perform(.inquire(InquiryRequest()))
  }

  func found(_ device: InquiredDevice) {
    guard let soughtName, device.data.localName == soughtName else { return }
    self.soughtName = nil
    perform(.stopInquiring)
    let known = self.device(at: device.address, .publicDevice)
    if known.deviceName == nil { known.deviceName = soughtName }
    perform(.page(device))
  }

  /// Makes a link over BR/EDR the device's link, or the bridge beside its link over LE.
  func classicLinkMade(_ handle: ConnectionHandle, _ details: ConnectionDetails) {
    let device = device(at: details.peer, details.peerType)
    let isBridge = device.link != nil
    journal(
      .object([
        "event": .string(isBridge ? "bridge" : "link"), "peripheral": .string(device.name ?? "\(details.peer)"),
        "transport": .string(LinkTransport.classic.rawValue),
      ]))
    guard !isBridge else {
      device.bridge = handle
      return perform(.pair(handle))
    }
    device.link = PhoneLink(handle, to: device, isClassic: true)
    perform(.openAttributeChannel(handle))
  }

  /// Tells apps of a link over BR/EDR when its services are known. Without an ATT bearer, it is of no use to them.
  func attributeChannelChanged(isOpen: Bool, on handle: ConnectionHandle) {
    guard let link = link(handle) else { return }
    guard isOpen else { return end(link, .unused) }
    link.waiting.append { [unowned self] _ in announce(link) }
    discoverServices(on: link)
  }

  /// Forgets a bridge that has ended; returns false if the link is none.
  func bridgeEnded(_ handle: ConnectionHandle) -> Bool {
    guard let device = devices.first(where: { $0.bridge == handle }) else { return false }
    device.bridge = nil
    return true
  }

  /// Connects over BR/EDR to a device that an app has connected to with transport bridging, once there is a link key for it.
  func planBridges() {
    guard usesClassic, !stack.isConnecting else { return }
    for device in devices {
      guard let link = device.link, !link.isClassic, !link.hasTriedBridge, device.bridge == nil,
        device.wanted.values.contains(where: \.bridges), let identity = device.identity,
        bonds.contains(where: { $0.peer == identity && $0.bond.linkKey != nil })
      else { continue }
      link.hasTriedBridge = true
      return perform(.page(InquiredDevice(identity.address)))
    }
  }
}
