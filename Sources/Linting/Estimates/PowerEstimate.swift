import AccessoryProfile
import BLECore
import BLEGAP

/// Estimates the current that advertising and notifications draw from a battery, for an nRF52832 at 3 V and 0 dBm (Product Specification 1.8,
/// 2021). Other radios differ, so only the order of magnitude counts.
package enum PowerEstimate {
  /// The current while the radio transmits, in mA.
  private static let transmitting = 5.3
  /// The current while the radio receives, in mA.
  private static let receiving = 5.4
  /// The current asleep, in mA.
  private static let asleep = 0.0019
  /// The charge for waking up, starting the crystal and processing an event, in µC.
  private static let overhead = 3.0
  /// The mean of the random delay that a controller adds to each advertising interval (Core 5.4 Vol 6 Part B 4.4.2.2.1), in ms.
  private static let meanDelay = 5.0
  /// The capacity of a CR2032, in mAh.
  package static let coinCell = 225.0

  /// Returns the charge of an advertising event in µC: three packets on LE 1M, each followed by listening for an answer if there can be one.
  package static func charge(ofEventOf set: AdvertisingSetDefinition) -> Double {
    let isExtended = set.kind == .extended
    // Preamble 1, access address 4, header 2, address 6 or extended header 10, CRC 3.
    let primary = Double(8 * (isExtended ? 1 + 4 + 2 + 10 + 3 : 1 + 4 + 2 + 6 + set.data.count + 3))
    let listens = set.isConnectable || set.isScannable
    // The interframe space is 150 µs, after which the first 40 µs show whether there is an answer.
    let listening = listens ? 190 * receiving : 0
    var sum = 3 * primary * transmitting + (isExtended ? 0 : 3 * listening)
    if isExtended {
      let perOctet = set.secondaryPHY == .le2M ? 4.0 : set.secondaryPHY == .leCoded ? 64.0 : 8.0
      sum += Double(2 + 4 + 2 + 10 + set.data.count + 3) * perOctet * transmitting + listening
    }
    return sum / 1000 + overhead
  }

  /// Returns the average current of a set in a phase, in µA.
  package static func current(of set: AdvertisingSetDefinition, interval: Duration) -> Double {
    charge(ofEventOf: set) / (milliseconds(interval) + meanDelay) * 1000 + asleep * 1000
  }

  /// Returns the average current of sending a value of that length periodically, in µA: a packet and its acknowledgment.
  package static func current(ofSending octets: Int, every period: Duration) -> Double {
    // ATT 3, L2CAP 4, header 2, preamble and access address 5, MIC 4, CRC 3, and for each 251 octets again.
    let packets = max(1, (octets + 7 + 250) / 251)
    let sent = Double(8 * (octets + 7 + packets * 14)) * transmitting
    let received = Double(packets) * (8 * 10 + 150) * receiving
    return ((sent + received) / 1000 + overhead / 3) / milliseconds(period) * 1000
  }

  /// Returns the number of days for which a coin cell supplies a current in µA.
  package static func days(at current: Double) -> Int { Int(coinCell * 1000 / current / 24) }

  private static func milliseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
  }
}

/// The costs of an accessory, for reports.
package struct LintedCosts: Sendable {
  /// The cost of discovery; nil if unknown.
  package var discovery: DiscoveryCost?
  /// The average current of each set in its last phase, in µA.
  package var advertising: [(set: String, interval: Duration, current: Double)] = []
  /// The average current of sending all periodic values, in µA.
  package var sending = 0.0

  init() {}

  init(_ subject: LintSubject) {
    discovery = subject.discoveryCost()
    advertising = subject.profile.advertising.compactMap { set in
      set.schedule.last.map { (set.id, $0.interval, PowerEstimate.current(of: set, interval: $0.interval)) }
    }
    sending = subject.periodicValues.reduce(0) { $0 + PowerEstimate.current(ofSending: $1.octets, every: $1.period) }
  }
}

extension LintSubject {
  /// The characteristics whose values the accessory sends periodically, with their lengths; 20 octets if the length varies.
  var periodicValues: [(characteristic: LintedCharacteristic, octets: Int, period: Duration)] {
    characteristics.compactMap { characteristic in
      guard let behavior = characteristic.behavior, case .every(let period) = behavior.notify ?? behavior.indicate
      else { return nil }
      return (characteristic, behavior.fixedLength ?? 20, period)
    }
  }
}
