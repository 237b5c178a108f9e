import BLECore
import VirtualRadio

/// The ladder of WWDC 2017 session 712: from 2.5 kbit/s to the maximum of the radio, one change at a time.
package enum Ladder {
  /// The number of octets in the talk.
  package static let defaultOctets = 1_000_000

  /// All steps, in order.
  package static let steps: [LadderStep] = [
    step(1, "write with response", .request, interval: 30, mtu: 23, dataLength: 27, apple: 2.5),
    step(2, "write without response", .singleCommand, interval: 30, mtu: 23, dataLength: 27, apple: 5),
    step(3, "packed connection events", .commands, interval: 30, mtu: 23, dataLength: 27, apple: 37),
    step(4, "larger ATT MTU", .commands, interval: 30, mtu: 185, dataLength: 27, apple: 48),
    // 247 octets and the L2CAP header fill one data PDU of 251.
    step(5, "longer data PDUs", .commands, interval: 30, mtu: 247, dataLength: 251, apple: 135),
    step(6, "L2CAP channel", .channel, interval: 30, mtu: 247, dataLength: 251, apple: 197),
    step(7, "interval of 15 ms", .channel, interval: 15, mtu: 247, dataLength: 251, apple: 394),
    // An exchange takes 1392 us on LE 2M: 32 of them leave 1 % of 45 ms unused, while 21 leave 2.6 % of 30 ms and 10 leave 7.2 % of 15 ms.
    step(8, "LE 2M", .channel, interval: 45, mtu: 247, dataLength: 251, phy: .le2M, apple: nil),
  ]

  /// The steps for a phone of the talk. Step 5 writes values of 512 octets, three data PDUs, which is what such
  /// a phone sent in one event. Step 8 stays at 15 ms, because short events are best at a short interval.
  package static let stepsOfTheTalk: [LadderStep] = steps.map { step in
    var step = step
    if step.number == 5 { step.link.mtu = 515 }
    if step.number == 8 { step.link.interval = .milliseconds(15) }
    return step
  }

  /// A controller like those of the talk's phones: connection events of at most 7 packets and 7.5 ms, which matches the talk's figures.
  package static let phoneOfTheTalk: ControllerConfiguration = {
    var phone = ControllerConfiguration.full
    phone.maximumPacketsPerEvent = 7
    phone.maximumEventLength = .microseconds(7500)
    return phone
  }()

  private static func step(
    _ number: Int, _ name: String, _ method: SendingMethod, interval: Int, mtu: Int, dataLength: Int, phy: PHY = .le1M,
    apple: Double?
  ) -> LadderStep {
    LadderStep(
      number: number, name: name, method: method,
      link: LinkShape(interval: .milliseconds(interval), mtu: mtu, dataLength: dataLength, phy: phy), appleKbps: apple)
  }

  /// Returns `count` octets that do not occur by accident; the same for the same seed.
  package static func payload(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    var octets: [UInt8] = []
    octets.reserveCapacity(count + 8)
    while octets.count < count {
      withUnsafeBytes(of: random.next().littleEndian) { octets.append(contentsOf: $0) }
    }
    octets.removeLast(octets.count - count)
    return octets
  }
}

/// The service of the ladder's accessory.
package enum LadderService {
  /// Accepts values of any length, with and without response.
  static let sink = BluetoothUUID(high: 0x5ED1_0002_7C4D_4B0E, low: 0x9E4B_1F6E_2A1B_9C00)
  /// The longest SDU of the channel and the longest payload of its frames, in octets, as in the profile `throughput`.
  static let (unit, mps) = (4938, 247)
  /// Sends notifications as fast as it can.
  static let source = BluetoothUUID(high: 0x5ED1_0003_7C4D_4B0E, low: 0x9E4B_1F6E_2A1B_9C00)
  /// Holds the PSM of the channel.
  package static let psm = BluetoothUUID(high: 0xABDD_3056_28FA_441D, low: 0xA470_55A7_5A52_553A)
}
