import BLECore

/// An advertising set as declared in a profile (Core 5.4 Vol 6 Part B 4.4.2, Vol 3 Part C 9).
public struct AdvertisingSetDefinition: Hashable, Sendable {
  /// The name of the set in the profile and in the control API.
  public var id: String
  /// Whether the set uses legacy PDUs on the primary channels, or extended PDUs with the data on a secondary channel.
  public var kind: Kind
  /// Whether centrals can connect to the set.
  public var isConnectable: Bool
  /// Whether active scanners can request the scan response. Connectable extended sets are never scannable.
  public var isScannable: Bool
  /// The encoded AD structures of the advertising data: at most 31 octets for legacy sets.
  public var data: [UInt8]
  /// The encoded AD structures of the scan response; empty when there is none.
  public var scanResponse: [UInt8]
  /// The intervals, in order. A last phase without a duration lasts until something stops the set.
  public var schedule: [AdvertisingPhase]
  /// The PHY of the secondary channel of an extended set.
  public var secondaryPHY: PHY
  /// The requested transmit power in dBm; nil leaves it to the controller.
  public var transmitPower: Int8?
  /// The kind of the host's address that the set uses.
  public var address = AddressKind.host
  /// Whether the set starts when the controller is ready, and restarts after each disconnection.
  public var startsAutomatically: Bool
  /// The central that the set is directed to; nil for undirected advertising (Core 5.4 Vol 3 Part C 9.3.3).
  public var target: Target?
  /// Whether a directed legacy set advertises at high duty cycle, for 1.28 s (Core 5.4 Vol 6 Part B 4.4.2.4.3).
  public var isHighDuty = false
  /// The number of advertising events after which the controller ends an extended set, each time that it starts
  /// (Max_Extended_Advertising_Events, Core 5.4 Vol 4 Part E 7.8.56); nil for no limit.
  public var maximumEvents: UInt8?
  /// The scanners whose scan requests are answered (Core 5.4 Vol 6 Part B 4.3.2).
  public var answersScansOf = Audience.everybody
  /// The centrals that may connect (Core 5.4 Vol 6 Part B 4.3.2).
  public var connectsTo = Audience.everybody

  /// The central that a directed set addresses.
  public enum Target: Hashable, Sendable {
    /// The bonded central that was connected last.
    case latest
    /// The bonded central with this identity address.
    case peer(DeviceAddress)
  }

  /// The devices that a set responds to.
  public enum Audience: String, Hashable, Sendable, CaseIterable {
    case everybody = "all"
    /// Bonded devices only.
    case bonded
  }

  /// Whether the set ignores some devices.
  public var filters: Bool { answersScansOf == .bonded || connectsTo == .bonded }

  /// The time after which the controller ends high duty cycle directed advertising (Core 5.4 Vol 6 Part B 4.4.2.4.3).
  public static let highDutyDuration = Duration.milliseconds(1280)

  /// The kind of the host's address that a set uses.
  public enum AddressKind: String, Hashable, Sendable, CaseIterable {
    /// The address by which the host is known: its identity address, or a resolvable private address that stands for it.
    case host
    /// A non-resolvable private address, for sets that are not connectable (Core 5.4 Vol 3 Part C 10.7.1).
    case nonResolvable = "non-resolvable"
  }

  /// The kind of advertising PDUs.
  public enum Kind: String, Hashable, Sendable, CaseIterable { case legacy, extended }

  /// Creates a set with this data.
  public init(
    id: String, kind: Kind = .legacy, isConnectable: Bool = true, isScannable: Bool? = nil, data: [UInt8],
    scanResponse: [UInt8] = [], schedule: [AdvertisingPhase] = [.init(interval: .milliseconds(100))],
    secondaryPHY: PHY = .le2M, transmitPower: Int8? = nil, startsAutomatically: Bool = true
  ) {
    self.id = id
    self.kind = kind
    self.isConnectable = isConnectable
    self.isScannable = isScannable ?? (kind == .legacy)
    self.data = data
    self.scanResponse = scanResponse
    self.schedule = schedule
    self.secondaryPHY = secondaryPHY
    self.transmitPower = transmitPower
    self.startsAutomatically = startsAutomatically
  }
}

/// A period of advertising at one interval.
public struct AdvertisingPhase: Hashable, Sendable {
  /// The time between advertising events: 20 ms ... 10.24 s, in steps of 0.625 ms.
  public var interval: Duration
  /// How long the phase lasts; nil for no limit.
  public var duration: Duration?

  /// Creates a phase.
  public init(interval: Duration, duration: Duration? = nil) {
    self.interval = interval
    self.duration = duration
  }

  /// The intervals that Apple recommends for an accessory that advertises for a long time to be found reliably (Technical Q&A QA1931).
  package static let appleIntervals: [Duration] =
    [.milliseconds(20)]
    + [152_500, 211_250, 318_750, 417_500, 546_250, 760_000, 852_500, 1_022_500, 1_285_000].map { .microseconds($0) }
}
