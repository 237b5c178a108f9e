import BLEGATT
import BLEHCI
import BLEL2CAP

/// A link of a phone.
final class PhoneLink {
  let handle: ConnectionHandle
  unowned let device: Device
  /// Whether it is over BR/EDR.
  let isClassic: Bool
  /// Whether the phone has tried to bridge it.
  var hasTriedBridge = false
  /// Whether the managers that wait for it know of it.
  var isAnnounced = false
  /// The connected managers.
  var users: Set<ManagerID> = []
  /// The managers that get the values of a characteristic, by value handle.
  var subscribers: [UInt16: Set<ManagerID>] = [:]
  /// The managers whose subscriptions the device has not confirmed. They get values as well, because a server may send one before its
  /// response (Core 5.4 Vol 3 Part F 3.4.7.1).
  var subscribing: [UInt16: Set<ManagerID>] = [:]
  /// The value handle of Service Changed before the last change. The change may have invalidated its service.
  var serviceChanged: UInt16?
  /// Whether the services are being discovered.
  var isDiscovering = false
  /// Whether the services have changed since their discovery began.
  var haveServicesChanged = false
  /// The code that waits for the services.
  var waiting: [(Result<[RemoteService], GATTFailure>) -> Void] = []
  /// The writes without response that wait for room, and the operations that apps began after them.
  var unsent: [Unsent] = []
  var channels: [ChannelID: ChannelPipe] = [:]
  /// The requests for the channels that are being opened.
  var openings: [ChannelID: ChannelOpening] = [:]
  /// The requests for channels that wait for a secure link.
  var securedOpenings: [ChannelOpening] = []
  /// Whether the device may use the phone's Notification Center.
  var showsNotifications = false
  /// Whether the person was asked about notifications on this link.
  var hasAskedForNotifications = false
  /// The reason why the phone ends the link; nil if it does not.
  var end: LinkEnd?

  init(_ handle: ConnectionHandle, to device: Device, isClassic: Bool = false) {
    self.handle = handle
    self.device = device
    self.isClassic = isClassic
  }
}

/// Something that a link sends when there is room.
enum Unsent {
  /// A write without response.
  case command(AppPeer, handle: UInt16, value: [UInt8])
  case operation(GATTOperation, then: (GATTOutcome) -> Void)
}

/// An app's request for a channel.
struct ChannelOpening {
  let peer: AppPeer
  let psm: UInt16
  /// Whether the phone has secured the link for it.
  var hasRaisedSecurity = false
}

/// The reason why a phone ends a link.
enum LinkEnd: Hashable {
  /// No app needs it any longer.
  case unused
  /// The person has removed the bond.
  case forgotten
  /// The peer has lost its key.
  case peerRemovedPairing
}
