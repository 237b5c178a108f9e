import BLECore
import BLEHCI

/// How an examination is made.
public struct ExaminationConditions: Hashable, Sendable {
  /// The speed of the serial port, in bit/s; nil for anything that has none.
  public var baud: UInt32?
  /// Whether RTS and CTS are heeded.
  public var flowControl = true
  /// What a second controller listens to.
  public var listening: Listening = .none
  /// How many resets go out before nobody is taken to be there.
  public var firstResets = 2
  /// Changes the addresses that are advertised.
  public var seed: UInt64 = 0

  /// What the second controller hears.
  public enum Listening: Hashable, Sendable {
    /// There is none.
    case none
    /// Legacy advertising only.
    case legacy
    /// Both kinds.
    case extended
  }

  /// Conditions of no serial port and no second controller.
  public init() {}

  /// Octets in a second that the port can carry in one direction: ten bits each, with start and stop bit.
  var octetsPerSecond: Int? { baud.map { Int($0 / 10) } }
}

/// What an examination knows so far.
struct Chart: Sendable {
  let conditions: ExaminationConditions
  /// What the steps have found, in the order in which they ended.
  private(set) var findings: [StepFinding] = []
  var identity: ControllerIdentity?
  var commands = SupportedCommands()
  var features: LEFeatures = []
  /// Octets of data that a set can have; 0 without extended advertising.
  var advertisingDataLength = 0

  /// How many commands were answered.
  var exchanges = 0
  /// How many commands were not answered in time and asked again, outside the trials that are about it.
  var repetitions = 0
  /// How many octets have come from the controller.
  var heardOctets = 0
  /// How many octets from the controller belonged to no packet, since it was in step.
  var strayOctets = 0
  /// What said that the controller restarted.
  var restarts: [RestartSign] = []
  /// The time of the shortest exchange, and its octets.
  var shortExchange: (octets: Int, time: Duration)?

  init(_ conditions: ExaminationConditions) { self.conditions = conditions }

  /// Keeps what a step has found; the first finding counts.
  mutating func note(_ step: ExaminationStep, _ observation: Observation) {
    guard self[step] == nil else { return }
    findings.append(StepFinding(step, observation))
  }

  subscript(step: ExaminationStep) -> StepFinding? { findings.first { $0.step == step } }

  var manufacturer: ControllerManufacturer { identity?.manufacturer ?? ControllerManufacturer(rawValue: 0xFFFF) }

  /// Whether the line has lost octets in one of the steps that look for that.
  var losesOctets: Bool { self[.exchanges]?.verdict == .failed || self[.flowControl]?.verdict == .failed }

  /// Whether extended advertising can be used, as the host decides it too.
  var hasExtendedAdvertising: Bool {
    features.contains(.extendedAdvertising) && commands.contains(.leSetExtendedAdvertisingEnable)
      && commands.contains(.leReadNumberOfSupportedAdvertisingSets)
      && commands.contains(.leReadMaximumAdvertisingDataLength)
  }
}
