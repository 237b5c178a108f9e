import BLECore

/// A link: two ends, their shared timing, and its progress.
///
/// Connection events with only empty packets are not played one by one. The link sleeps, and `catchUp` accounts for them when something
/// happens.
final class Link {
  let id: LinkID
  let central: LinkEnd
  let peripheral: LinkEnd

  var timing: LinkTiming
  var channelMap: UInt64
  let usesChannelSelection2: Bool
  let access: LinkAccess

  /// The next connection event that was not held: its number, and below, its anchor point.
  var nextCounter = 0
  var nextAnchor: Instant
  /// The last connection event that the peripheral listened to.
  var lastAttended = -1
  /// Whether the peripheral heard nothing when it last listened. It then listens to every event until it hears one.
  var hasMissed = false
  /// Whether a connection event is in progress.
  var isInEvent = false
  /// The number of packets that the central has sent in the current connection event.
  var exchanges = 0
  /// The packet of the current connection event that is on the air.
  var transmission: LinkTransmission?
  /// The epoch of the valid timeline entry; older ones are ignored.
  var epoch: UInt32 = 0
  /// The connection event that has a timeline entry.
  var scheduledCounter: Int?
  /// Whether the more-data bit of the central's last packet was set.
  var centralHasMore = false

  /// Whether a change that the central has announced is still to be made.
  var isChanging = false
  /// A change that both ends make at the connection event `instant`.
  var pending: PendingChange?

  init(
    id: LinkID, central: LinkEnd, peripheral: LinkEnd, timing: LinkTiming, channelMap: UInt64,
    usesChannelSelection2: Bool, access: LinkAccess, firstAnchor: Instant
  ) {
    self.id = id
    self.central = central
    self.peripheral = peripheral
    self.timing = timing
    self.channelMap = channelMap
    self.usesChannelSelection2 = usesChannelSelection2
    self.access = access
    nextAnchor = firstAnchor
  }

  subscript(side: LinkSide) -> LinkEnd { side == .central ? central : peripheral }

  var isComplete: Bool { central.isPresent && peripheral.isPresent }
  var isEstablished: Bool { central.isEstablished && peripheral.isEstablished }
  /// Whether both ends encrypt what they send.
  var isEncrypted: Bool { central.encryption.isOn && peripheral.encryption.isOn }

  /// Returns the anchor point of a future connection event.
  func anchor(of counter: Int) -> Instant { nextAnchor + timing.interval * (counter - nextCounter) }

  /// The first connection event from `nextCounter` on that the peripheral listens to even if it has nothing to send (Core 5.4 Vol 6 Part B
  /// 4.5.1). Both ends have the same clock here, so windows need no widening (4.2.4).
  var nextAttended: Int {
    if hasMissed { return nextCounter }
    let stride = Int(timing.latency) + 1
    let ahead = max(0, nextCounter - lastAttended - 1)
    return lastAttended + ((ahead / stride) + 1) * stride
  }

  /// Accounts for the skipped connection events before `now`. `heard` tells whether their packets arrived.
  func catchUp(to now: Instant, heard: Bool) {
    guard !isInEvent, nextAnchor < now else { return }
    let interval = max(timing.interval.inNanoseconds, 1)
    let missed = Int((now.nanoseconds - nextAnchor.nanoseconds - 1) / interval) + 1
    let last = nextCounter + missed - 1
    let stride = Int(timing.latency) + 1
    let first = nextAttended
    if heard, first <= last {
      let attended = first + ((last - first) / stride) * stride
      hasMissed = false
      let instant = anchor(of: attended)
      lastAttended = attended
      central.lastHeard = max(central.lastHeard, instant)
      peripheral.lastHeard = max(peripheral.lastHeard, instant)
    }
    let next = anchor(of: last + 1)
    nextCounter = last + 1
    nextAnchor = next
  }
}

extension Link {
  /// The anchor point that has a timeline entry.
  var scheduledAnchor: Instant? { scheduledCounter.map { anchor(of: $0) } }

  /// Returns the first anchor point after `instant` at which one end uses its radio for the link.
  func nextAnchor(after instant: Instant, at side: LinkSide) -> Instant {
    let counter = side == .central ? nextCounter : min(scheduledCounter ?? .max, nextAttended)
    let first = anchor(of: counter)
    guard first <= instant else { return first }
    let period = max((timing.interval * (side == .central ? 1 : Int(timing.latency) + 1)).inNanoseconds, 1)
    let behind = (instant.nanoseconds - first.nanoseconds) / period + 1
    return first + .nanoseconds(behind * period)
  }
}

/// The number of a link on its air. It is never reused.
struct LinkID: Hashable, Comparable, Sendable {
  let rawValue: UInt64
  static func < (left: LinkID, right: LinkID) -> Bool { left.rawValue < right.rawValue }
}

/// A change that both ends of a link make at one connection event (Core 5.4 Vol 6 Part B 5.5).
struct PendingChange {
  enum Kind {
    case timing(LinkTiming)
    case phys(centralToPeripheral: UInt8, peripheralToCentral: UInt8)
    case channelMap(UInt64)
  }

  var instant: Int
  var kind: Kind
}
