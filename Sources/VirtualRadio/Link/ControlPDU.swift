import BLECore
import BLEHCI

/// Core 5.4 Vol 6 Part B 2.4.2 LL Control PDUs, as far as these controllers speak them.
///
/// Both ends live in one process, so the fields travel as they are; opcode and length are what the air needs to know.
enum ControlPDU: Hashable, Sendable {
  case connectionUpdate(LinkTiming, instant: Int)
  case channelMap(UInt64, instant: Int)
  case terminate(ErrorCode)
  /// The opcode of a PDU that the sender does not know.
  case unknownResponse(UInt8)
  case featureRequest(LEFeatures)
  case featureResponse(LEFeatures)
  case version(LinkVersion)
  case peripheralFeatureRequest(LEFeatures)
  case connectionParameterRequest(LinkTimingRange)
  /// The opcode of the PDU that is refused, and why.
  case rejectExtended(UInt8, ErrorCode)
  case lengthRequest(LinkDataLength)
  case lengthResponse(LinkDataLength)
  case phyRequest(transmit: UInt8, receive: UInt8)
  case phyResponse(transmit: UInt8, receive: UInt8)
  /// Masks with one PHY each, or zero where that direction stays.
  case phyUpdate(centralToPeripheral: UInt8, peripheralToCentral: UInt8, instant: Int)

  var opcode: UInt8 {
    switch self {
    case .connectionUpdate: 0x00
    case .channelMap: 0x01
    case .terminate: 0x02
    case .unknownResponse: 0x07
    case .featureRequest: 0x08
    case .featureResponse: 0x09
    case .version: 0x0C
    case .peripheralFeatureRequest: 0x0E
    case .connectionParameterRequest: 0x0F
    case .rejectExtended: 0x11
    case .lengthRequest: 0x14
    case .lengthResponse: 0x15
    case .phyRequest: 0x16
    case .phyResponse: 0x17
    case .phyUpdate: 0x18
    }
  }

  /// How many octets the PDU's payload has: the opcode and its data.
  var payloadLength: Int {
    switch self {
    case .connectionUpdate: 12
    case .channelMap: 8
    case .terminate, .unknownResponse: 2
    case .featureRequest, .featureResponse, .peripheralFeatureRequest, .lengthRequest, .lengthResponse: 9
    case .version: 6
    case .connectionParameterRequest: 24
    case .rejectExtended, .phyRequest, .phyResponse: 3
    case .phyUpdate: 5
    }
  }
}

/// What one end says about itself in LL_VERSION_IND (Core 5.4 Vol 6 Part B 2.4.2.13).
struct LinkVersion: Hashable, Sendable {
  var version: UInt8
  var companyIdentifier: UInt16
  var subversion: UInt16
}

/// The timing of a link (Core 5.4 Vol 6 Part B 4.5.1, 4.5.2).
struct LinkTiming: Hashable, Sendable {
  /// connInterval in units of 1.25 ms.
  var intervalUnits: UInt16
  /// connPeripheralLatency in connection events.
  var latency: UInt16
  /// connSupervisionTimeout in units of 10 ms.
  var timeoutUnits: UInt16

  var interval: Duration { .microseconds(Int(intervalUnits) * 1250) }
  var supervisionTimeout: Duration { .milliseconds(Int(timeoutUnits) * 10) }
}

/// A range of timings that an end would accept (Core 5.4 Vol 6 Part B 2.4.2.16), with the ranges of HCI commands.
struct LinkTimingRange: Hashable, Sendable {
  var minimumIntervalUnits: UInt16
  var maximumIntervalUnits: UInt16
  var latency: UInt16
  var timeoutUnits: UInt16

  /// Core 5.4 Vol 4 Part E 7.8.12, 7.8.18: the ranges of the fields, and a supervision timeout that is longer than twice
  /// the time in which the peripheral may sleep.
  var isValid: Bool {
    (0x0006...0x0C80).contains(minimumIntervalUnits) && (0x0006...0x0C80).contains(maximumIntervalUnits)
      && minimumIntervalUnits <= maximumIntervalUnits && latency <= 0x01F3 && (0x000A...0x0C80).contains(timeoutUnits)
      && Int(timeoutUnits) * 10_000 > (1 + Int(latency)) * Int(maximumIntervalUnits) * 1250 * 2
  }

  /// The timing that a central chooses from the range: the shortest interval.
  var chosen: LinkTiming {
    LinkTiming(intervalUnits: minimumIntervalUnits, latency: latency, timeoutUnits: timeoutUnits)
  }
}

/// What one end can send and receive in one data PDU (Core 5.4 Vol 6 Part B 4.5.10).
struct LinkDataLength: Hashable, Sendable {
  var maximumReceiveOctets: UInt16 = 27
  /// In microseconds.
  var maximumReceiveTime: UInt16 = 328
  var maximumTransmitOctets: UInt16 = 27
  /// In microseconds.
  var maximumTransmitTime: UInt16 = 328
}
