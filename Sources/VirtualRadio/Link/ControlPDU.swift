import BLECore
import BLEHCI

/// LL Control PDUs (Core 5.4 Vol 6 Part B 2.4.2) that these controllers support.
///
/// Both ends are in one process, so the fields are passed as values. The octets are for observers of the air.
enum ControlPDU: Hashable, Sendable {
  case connectionUpdate(LinkTiming, instant: Int)
  case channelMap(UInt64, instant: Int)
  case terminate(ErrorCode)
  case encryptionRequest(EncryptionRequest)
  case encryptionResponse(SessionShare)
  case startEncryptionRequest
  case startEncryptionResponse
  case pauseEncryptionRequest
  case pauseEncryptionResponse
  /// The reason for refusing an LL_ENC_REQ if one end does not support LL_REJECT_EXT_IND.
  case reject(ErrorCode)
  case pingRequest
  case pingResponse
  /// The opcode of a PDU that the sender does not support.
  case unknownResponse(UInt8)
  case featureRequest(LEFeatures)
  case featureResponse(LEFeatures)
  case version(LinkVersion)
  case peripheralFeatureRequest(LEFeatures)
  case connectionParameterRequest(LinkTimingRange)
  /// The opcode of the refused PDU, and the reason.
  case rejectExtended(UInt8, ErrorCode)
  case lengthRequest(LinkDataLength)
  case lengthResponse(LinkDataLength)
  case phyRequest(transmit: UInt8, receive: UInt8)
  case phyResponse(transmit: UInt8, receive: UInt8)
  /// Masks with one PHY each, or zero if that direction does not change.
  case phyUpdate(centralToPeripheral: UInt8, peripheralToCentral: UInt8, instant: Int)

  var opcode: UInt8 {
    switch self {
    case .connectionUpdate: 0x00
    case .channelMap: 0x01
    case .terminate: 0x02
    case .encryptionRequest: Self.encryptionRequestOpcode
    case .encryptionResponse: 0x04
    case .startEncryptionRequest: 0x05
    case .startEncryptionResponse: 0x06
    case .unknownResponse: 0x07
    case .featureRequest: 0x08
    case .featureResponse: 0x09
    case .pauseEncryptionRequest: 0x0A
    case .pauseEncryptionResponse: 0x0B
    case .version: 0x0C
    case .reject: 0x0D
    case .peripheralFeatureRequest: 0x0E
    case .connectionParameterRequest: 0x0F
    case .rejectExtended: 0x11
    case .pingRequest: 0x12
    case .pingResponse: 0x13
    case .lengthRequest: 0x14
    case .lengthResponse: 0x15
    case .phyRequest: 0x16
    case .phyResponse: 0x17
    case .phyUpdate: 0x18
    }
  }

  /// The length of the PDU's payload: the opcode and its data.
  var payloadLength: Int { octets.count }

  /// The PDU's payload as sent on the air: the opcode and its data (2.4.2.1 and following).
  var octets: [UInt8] {
    var buffer = OctetBuffer()
    buffer.append(opcode)
    switch self {
    case .connectionUpdate(let timing, let instant):
      timing.encode(into: &buffer)
      buffer.append(littleEndian: UInt16(truncatingIfNeeded: instant))
    case .channelMap(let map, let instant):
      ChannelMap(bits: map).encode(into: &buffer)
      buffer.append(littleEndian: UInt16(truncatingIfNeeded: instant))
    case .terminate(let reason), .reject(let reason): buffer.append(reason.rawValue)
    case .encryptionRequest(let request):
      buffer.append(littleEndian: request.random)
      buffer.append(littleEndian: request.encryptedDiversifier)
      request.share.encode(into: &buffer)
    case .encryptionResponse(let share): share.encode(into: &buffer)
    case .startEncryptionRequest, .startEncryptionResponse, .pauseEncryptionRequest, .pauseEncryptionResponse,
      .pingRequest, .pingResponse:
      break
    case .unknownResponse(let opcode): buffer.append(opcode)
    case .featureRequest(let features), .featureResponse(let features), .peripheralFeatureRequest(let features):
      buffer.append(littleEndian: features.rawValue)
    case .version(let version): version.encode(into: &buffer)
    case .connectionParameterRequest(let range): range.encode(into: &buffer)
    case .rejectExtended(let opcode, let reason):
      buffer.append(opcode)
      buffer.append(reason.rawValue)
    case .lengthRequest(let length), .lengthResponse(let length): length.encode(into: &buffer)
    case .phyRequest(let transmit, let receive), .phyResponse(let transmit, let receive):
      buffer.append(transmit)
      buffer.append(receive)
    case .phyUpdate(let centralToPeripheral, let peripheralToCentral, let instant):
      buffer.append(centralToPeripheral)
      buffer.append(peripheralToCentral)
      buffer.append(littleEndian: UInt16(truncatingIfNeeded: instant))
    }
    return buffer.copy()
  }
}

/// The version information of one end in LL_VERSION_IND (Core 5.4 Vol 6 Part B 2.4.2.13).
struct LinkVersion: OctetLayout, Hashable {
  var version: UInt8 = 0
  var companyIdentifier: UInt16 = 0
  var subversion: UInt16 = 0

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("VersNr", &version)
    try fields.integer("CompId", &companyIdentifier)
    try fields.integer("SubVersNr", &subversion)
  }
}

/// The timing of a link (Core 5.4 Vol 6 Part B 4.5.1, 4.5.2).
struct LinkTiming: OctetLayout, Hashable {
  /// connInterval in units of 1.25 ms.
  var intervalUnits: UInt16 = 0
  /// connPeripheralLatency in connection events.
  var latency: UInt16 = 0
  /// connSupervisionTimeout in units of 10 ms.
  var timeoutUnits: UInt16 = 0
  /// transmitWindowOffset of the request or update with this timing, in units of 1.25 ms: how far the central delays the first anchor
  /// point.
  var windowOffset: UInt16 = 0

  var interval: Duration { .microseconds(Int(intervalUnits) * 1250) }
  var supervisionTimeout: Duration { .milliseconds(Int(timeoutUnits) * 10) }
  var offset: Duration { .microseconds(Int(windowOffset) * 1250) }

  /// Returns whether the timing after the first anchor point is the same.
  func isSame(as other: LinkTiming) -> Bool {
    intervalUnits == other.intervalUnits && latency == other.latency && timeoutUnits == other.timeoutUnits
  }

  /// Visits the fields that CONNECT_IND and LL_CONNECTION_UPDATE_IND share (2.3.3.1, 2.4.2.1). The transmit window has its minimum size.
  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    var windowSize = UInt8(1)
    try fields.integer("WinSize", &windowSize)
    try fields.integer("WinOffset", &windowOffset)
    try fields.integer("Interval", &intervalUnits)
    try fields.integer("Latency", &latency)
    try fields.integer("Timeout", &timeoutUnits)
  }
}

/// A range of timings that an end accepts (Core 5.4 Vol 6 Part B 2.4.2.16), within the ranges of HCI commands.
struct LinkTimingRange: OctetLayout, Hashable {
  var minimumIntervalUnits: UInt16 = 0
  var maximumIntervalUnits: UInt16 = 0
  var latency: UInt16 = 0
  var timeoutUnits: UInt16 = 0

  /// Whether the fields are in range, and the supervision timeout is longer than twice the time that the peripheral may sleep (Core 5.4 Vol
  /// 4 Part E 7.8.12, 7.8.18).
  var isValid: Bool {
    (0x0006...0x0C80).contains(minimumIntervalUnits) && (0x0006...0x0C80).contains(maximumIntervalUnits)
      && minimumIntervalUnits <= maximumIntervalUnits && latency <= 0x01F3 && (0x000A...0x0C80).contains(timeoutUnits)
      && Int(timeoutUnits) * 10_000 > (1 + Int(latency)) * Int(maximumIntervalUnits) * 1250 * 2
  }

  /// Visits the data of LL_CONNECTION_PARAM_REQ, without a preferred periodicity or anchor point offsets.
  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Interval_Min", &minimumIntervalUnits)
    try fields.integer("Interval_Max", &maximumIntervalUnits)
    try fields.integer("Latency", &latency)
    try fields.integer("Timeout", &timeoutUnits)
    var (periodicity, reference) = (UInt8(0), UInt16(0))
    try fields.integer("PreferredPeriodicity", &periodicity)
    try fields.integer("ReferenceConnEventCount", &reference)
    for _ in 0..<6 {
      var offset = UInt16.max
      try fields.integer("Offset", &offset)
    }
  }

  /// The timing that a central chooses from the range, with the shortest interval.
  var chosen: LinkTiming {
    LinkTiming(intervalUnits: minimumIntervalUnits, latency: latency, timeoutUnits: timeoutUnits)
  }
}

/// The data PDU lengths that one end supports in both directions (Core 5.4 Vol 6 Part B 4.5.10).
struct LinkDataLength: OctetLayout, Hashable {
  /// The air time of 27 octets with S=8, in microseconds. On LE Coded, lower times are raised to this (4.5.10).
  static let minimumTimeOnCoded: UInt16 = 2704

  var maximumReceiveOctets: UInt16 = 27
  /// In microseconds.
  var maximumReceiveTime: UInt16 = 328
  var maximumTransmitOctets: UInt16 = 27
  /// In microseconds.
  var maximumTransmitTime: UInt16 = 328

  /// Visits the data of LL_LENGTH_REQ and LL_LENGTH_RSP (2.4.2.21).
  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("MaxRxOctets", &maximumReceiveOctets)
    try fields.integer("MaxRxTime", &maximumReceiveTime)
    try fields.integer("MaxTxOctets", &maximumTransmitOctets)
    try fields.integer("MaxTxTime", &maximumTransmitTime)
  }
}
