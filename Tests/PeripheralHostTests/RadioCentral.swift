import BLEATT
import BLECore
import BLEHCI
import Testing
import VirtualRadio

/// A central that a test scripts: raw HCI commands, and ATT over its links.
final class RadioCentral {
  struct Link {
    var handle: UInt16
    var peer: DeviceAddress
  }

  struct Heard {
    var at: Instant
    var handle: UInt16
    var pdu: [UInt8]
  }

  let id: ControllerID
  private let stage: RadioStage
  private let address: DeviceAddress
  private(set) var links: [Link] = []
  /// The reasons why links ended, in order.
  private(set) var ends: [ErrorCode] = []
  private(set) var reports: [ExtendedAdvertisingReport] = []
  private(set) var legacyReports: [AdvertisingReport] = []
  /// Notifications and indications.
  private(set) var pushed: [Heard] = []
  /// The frames on channels other than ATT.
  private(set) var otherFrames: [[UInt8]] = []
  private var responses: [[UInt8]] = []
  private var scheduler = ACLScheduler()
  private var recombiners: [UInt16: ACLRecombiner] = [:]
  private var deframer = H4Deframer(side: .host)
  private var answers: [CommandOpcode: ErrorCode] = [:]
  private var outgoing = OctetBuffer()

  init(_ stage: RadioStage, _ id: ControllerID, number: Int) {
    self.stage = stage
    self.id = id
    address = .randomStatic(from: 0xCE00 + UInt64(number))
    let configuration = stage.air.configuration(of: id)
    scheduler.configure(
      packetLength: Int(configuration?.aclDataLength ?? 27), packetCount: Int(configuration?.aclPacketCount ?? 1))
  }

  // MARK: HCI

  func command(_ command: some HCICommand) throws {
    let opcode = type(of: command).opcode
    answers[opcode] = nil
    stage.send(command.h4, from: id)
    stage.collect()
    try #require(answers[opcode] == .success, "\(opcode): \(String(describing: answers[opcode]))")
  }

  func start() throws {
    try command(HCIReset())
    try command(HCISetEventMask { $0.eventMask = EventMask(rawValue: .max) })
    try command(LESetEventMask { $0.eventMask = LEEventMask(rawValue: .max) })
    try command(LESetRandomAddress { $0.address = address })
  }

  func take(_ octets: [UInt8]) {
    deframer.push(octets.span) { type, packet in
      let octets = packet.withUnsafeBytes { Array($0) }
      switch type {
      case .event: take(event: octets)
      case .acl: take(data: octets)
      default: Issue.record("packet type \(type)")
      }
    }
    #expect(deframer.skippedOctets == 0)
    flush()
  }

  private func take(event octets: [UInt8]) {
    guard let event = try? EventPacket(octets.span) else {
      Issue.record("malformed event")
      return
    }
    let parameters = octets.span.extracting(event.parameters)
    switch (event.code, event.subevent) {
    case (.commandComplete, _):
      guard let answer = try? HCICommandComplete(decoding: parameters) else { break }
      answers[answer.opcode] = answer.returnParameters.first.map { ErrorCode(rawValue: $0) }
    case (.commandStatus, _):
      guard let answer = try? HCICommandStatus(decoding: parameters) else { break }
      answers[answer.opcode] = answer.status
    case (.numberOfCompletedPackets, _):
      _ = HCINumberOfCompletedPackets.forEach(in: parameters) { #expect(scheduler.completed($0, $1) == nil) }
    case (.disconnectionComplete, _):
      guard let end = try? HCIDisconnectionComplete(decoding: parameters) else { break }
      links.removeAll { $0.handle == end.connectionHandle.rawValue }
      recombiners[end.connectionHandle.rawValue] = nil
      scheduler.disconnect(end.connectionHandle)
      ends.append(end.reason)
    case (.leMeta, .leEnhancedConnectionComplete?):
      guard let made = try? LEEnhancedConnectionComplete(decoding: parameters), made.status == .success else { break }
      links.append(Link(handle: made.connectionHandle.rawValue, peer: made.peerAddress))
      recombiners[made.connectionHandle.rawValue] = ACLRecombiner()
      scheduler.connect(made.connectionHandle)
    case (.leMeta, .leExtendedAdvertisingReport?):
      reports += (try? LEExtendedAdvertisingReport(decoding: parameters).reports) ?? []
    case (.leMeta, .leAdvertisingReport?):
      legacyReports += (try? LEAdvertisingReport(decoding: parameters).reports) ?? []
    default: break
    }
  }

  private func take(data octets: [UInt8]) {
    guard let header = try? ACLHeader(octets.span) else {
      Issue.record("malformed data")
      return
    }
    let handle = header.connectionHandle.rawValue
    let data = Array(octets[ACLHeader.size...])
    guard let outcome = recombiners[handle]?.accept(header.boundary, data.span) else {
      Issue.record("data for an unknown link")
      return
    }
    #expect(outcome.fault == nil)
    let frame: [UInt8]
    switch outcome.pdu {
    case .none: return
    case .whole: frame = data
    case .assembled(let assembled): frame = assembled
    }
    guard frame[2] == 4, frame[3] == 0 else { return otherFrames.append(frame) }
    let pdu = Array(frame[4...])
    switch ATTOpcode(rawValue: pdu[0]).kind {
    case .notification: pushed.append(Heard(at: stage.now, handle: handle, pdu: pdu))
    case .indication:
      pushed.append(Heard(at: stage.now, handle: handle, pdu: pdu))
      write(HandleValueConfirmation().encodedPDU, channel: 4, on: handle)
    default: responses.append(pdu)
    }
  }

  private func flush() {
    scheduler.drain(into: &outgoing)
    let octets = outgoing.copy()
    outgoing.removeAll()
    if !octets.isEmpty { stage.send(octets, from: id) }
  }

  private func write(_ payload: [UInt8], channel: UInt16, on handle: UInt16) {
    let frame = ControllerScript.word(UInt16(payload.count)) + ControllerScript.word(channel) + payload
    scheduler.send(frame.span, on: ConnectionHandle(rawValue: handle), into: &outgoing)
  }

  // MARK: Scanning and connecting

  /// Scans with extended commands for that long; returns the data of an address, assembled from its fragments.
  func scan(for duration: Duration, active: Bool = false) throws -> [DeviceAddress: [UInt8]] {
    reports = []
    try command(
      LESetExtendedScanParameters {
        $0.ownAddressType = .random
        $0.parameters = [ScanningPHYParameters()]
        $0.parameters[0].scanType = active ? .active : .passive
      })
    try command(LESetExtendedScanEnable { $0.enable = true })
    stage.run(duration)
    try command(LESetExtendedScanEnable())
    var heard: [DeviceAddress: [UInt8]] = [:]
    var whole: Set<DeviceAddress> = []
    for report in reports where !report.reportType.contains(.scanResponse) && !whole.contains(report.address) {
      heard[report.address, default: []] += report.data
      if report.reportType.dataStatus == .complete { whole.insert(report.address) }
    }
    return heard
  }

  /// Scans with legacy commands for that long.
  func legacyScan(for duration: Duration) throws {
    legacyReports = []
    try command(
      LESetScanParameters {
        $0.scanType = .active
        $0.ownAddressType = .random
      })
    try command(LESetScanEnable { $0.enable = true })
    stage.run(duration)
    try command(LESetScanEnable())
  }

  /// Connects and returns the handle.
  @discardableResult
  func connect(
    to peer: DeviceAddress, extended: Bool = false, interval: UInt16 = 24, timeout: UInt16 = 100
  ) throws -> UInt16 {
    if extended {
      var parameters = InitiatingPHYParameters()
      parameters.intervalMinimum.rawValue = interval
      parameters.intervalMaximum.rawValue = interval
      parameters.supervisionTimeout.rawValue = timeout
      try command(
        LEExtendedCreateConnection {
          $0.ownAddressType = .random
          $0.peerAddressType = .random
          $0.peerAddress = peer
          $0.parameters = [parameters]
        })
    } else {
      try command(
        LECreateConnection {
          $0.peerAddressType = .random
          $0.peerAddress = peer
          $0.ownAddressType = .random
          $0.intervalMinimum.rawValue = interval
          $0.intervalMaximum.rawValue = interval
          $0.supervisionTimeout.rawValue = timeout
        })
    }
    let before = links.count
    try #require(stage.run { links.count > before }, "no connection")
    return try #require(links.last?.handle)
  }

  func disconnect(_ handle: UInt16) throws {
    try command(
      HCIDisconnect {
        $0.connectionHandle.rawValue = handle
        $0.reason = .remoteUserTerminatedConnection
      })
    try #require(stage.run { !links.contains { $0.handle == handle } })
  }

  // MARK: ATT

  /// Sends a PDU on any channel.
  func send(_ payload: [UInt8], channel: UInt16, on handle: UInt16) {
    write(payload, channel: channel, on: handle)
    flush()
    stage.collect()
  }

  /// Sends a request and waits for its response.
  func request(_ pdu: some ATTPDU, on handle: UInt16) throws -> [UInt8] {
    responses = []
    send(pdu.encodedPDU, channel: 4, on: handle)
    try #require(stage.run { !responses.isEmpty }, "no answer to \(type(of: pdu).opcode)")
    return responses.removeFirst()
  }

  /// Reads a whole value of any length.
  func readLong(_ attribute: UInt16, on handle: UInt16, mtu: Int) throws -> [UInt8] {
    var value = Array(try request(ReadRequest(handle: attribute), on: handle).dropFirst())
    var part = value
    while part.count == mtu - 1, value.count < 512 {
      let answer = try request(ReadBlobRequest(handle: attribute, offset: UInt16(value.count)), on: handle)
      try #require(answer.first == ATTOpcode.readBlobResponse.rawValue)
      part = Array(answer.dropFirst())
      value += part
    }
    return value
  }

  func write(_ value: [UInt8], to attribute: UInt16, on handle: UInt16) throws {
    let answer = try request(WriteRequest(handle: attribute, value: value), on: handle)
    try #require(answer == [ATTOpcode.writeResponse.rawValue])
  }

  /// Returns the notifications of an attribute, with their times.
  func notifications(of attribute: UInt16) -> [(at: Instant, value: [UInt8])] {
    pushed.filter { $0.pdu[0] == 0x1B && $0.pdu[1] == UInt8(attribute & 0xFF) && $0.pdu[2] == UInt8(attribute >> 8) }
      .map { ($0.at, Array($0.pdu[3...])) }
  }
}
