import BLECore

/// One advertising set as a profile declares it (Core 5.4 Vol 6 Part B 4.4.2, Vol 3 Part C 9).
public struct AdvertisingSetDefinition: Hashable, Sendable {
  /// The name by which the profile and the control API speak of it.
  public var id: String
  /// Legacy PDUs on the primary channels, or extended ones with the data on the secondary.
  public var kind: Kind
  /// Whether a central may connect to it.
  public var isConnectable: Bool
  /// Whether an active scanner may ask for the scan response. Connectable extended sets are never scannable.
  public var isScannable: Bool
  /// The AD structures of the advertising data, encoded: at most 31 octets for legacy sets.
  public var data: [UInt8]
  /// The AD structures of the scan response, encoded; empty when there is none.
  public var scanResponse: [UInt8]
  /// Intervals, one after the other; the last phase without a duration lasts until something stops it.
  public var schedule: [AdvertisingPhase]
  /// The PHY of the secondary channel of an extended set.
  public var secondaryPHY: PHY
  /// The wanted transmit power in dBm; nil leaves it to the controller.
  public var transmitPower: Int8?
  /// Under which of the host's addresses it is on the air.
  public var address = AddressKind.host
  /// Whether it starts by itself when the controller is ready, and again after each disconnection.
  public var startsAutomatically: Bool
  /// Whom it calls; nil when it is for everybody (Core 5.4 Vol 3 Part C 9.3.3).
  public var target: Target?
  /// Whether a legacy set that calls somebody does so at high duty cycle, for 1.28 s (Core 5.4 Vol 6 Part B 4.4.2.4.3).
  public var isHighDuty = false
  /// After how many advertising events the controller ends an extended set, each time that it is put on the air
  /// (Max_Extended_Advertising_Events, Core 5.4 Vol 4 Part E 7.8.56); nil when it does not count them.
  public var maximumEvents: UInt8?
  /// Whose scan requests are answered (Core 5.4 Vol 6 Part B 4.3.2).
  public var answersScansOf = Audience.everybody
  /// Who may connect (4.3.2).
  public var connectsTo = Audience.everybody

  /// Whom a directed set calls.
  public enum Target: Hashable, Sendable {
    /// The bonded central that was connected last.
    case latest
    /// The bonded central with that identity address.
    case peer(DeviceAddress)
  }

  /// For whom a set is.
  public enum Audience: String, Hashable, Sendable, CaseIterable {
    case everybody = "all"
    /// Those with which there is a bond.
    case bonded
  }

  /// Whether it does not answer everybody.
  public var filters: Bool { answersScansOf == .bonded || connectsTo == .bonded }

  /// After which time the controller ends high duty cycle directed advertising (Core 5.4 Vol 6 Part B 4.4.2.4.3).
  public static let highDutyDuration = Duration.milliseconds(1280)

  /// Which of a host's addresses a set has.
  public enum AddressKind: String, Hashable, Sendable, CaseIterable {
    /// That under which the host is known: its identity address, or a resolvable private one that stands for it.
    case host
    /// A non-resolvable private one, for sets that are not connectable (Core 5.4 Vol 3 Part C 10.7.1).
    case nonResolvable = "non-resolvable"
  }

  /// Legacy or extended.
  public enum Kind: String, Hashable, Sendable, CaseIterable { case legacy, extended }

  /// A set with this data.
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

/// A stretch of advertising at one interval.
public struct AdvertisingPhase: Hashable, Sendable {
  /// The time between advertising events, 20 ms ... 10.24 s, in steps of 0.625 ms.
  public var interval: Duration
  /// How long the phase lasts; nil for ever.
  public var duration: Duration?

  /// A phase.
  public init(interval: Duration, duration: Duration? = nil) {
    self.interval = interval
    self.duration = duration
  }
}
