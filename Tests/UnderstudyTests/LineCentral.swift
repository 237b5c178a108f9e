import BLEATT
import BLECore
import BLEHCI
import Glibc
import Testing
import Transport

/// A central behind a port of the virtual radio, with calls that wait for their answers.
final class LineCentral {
  private let line: Line
  private var deframer = H4Deframer(side: .host)
  private var inbox: [(type: H4PacketType, octets: [UInt8])] = []
  private var handle: UInt16 = 0
  /// The number of data packets that the controller has not sent.
  private var underWay = 0

  /// Joins the radio at that port and brings its controller up.
  convenience init(port: UInt16) throws {
    try self.init(line: try Line.connectTCP(host: ControllerAddress.loopback, port: port))
  }

  /// Joins the radio at the other end of a line and brings its controller up.
  init(line: Line) throws {
    self.line = line
    try command(HCIReset())
    try command(HCISetEventMask { $0.eventMask = EventMask(rawValue: .max) })
    try command(LESetEventMask { $0.eventMask = LEEventMask(rawValue: .max) })
    try command(LESetRandomAddress { $0.address = .randomStatic(from: 0xCE77) })
  }

  /// Returns the result of `pick` for the first packet that it accepts, and drops the packets before it.
  private func wait<Result>(for pick: (H4PacketType, [UInt8]) -> Result?) throws -> Result {
    while true {
      while !inbox.isEmpty {
        let packet = inbox.removeFirst()
        if let result = pick(packet.type, packet.octets) { return result }
      }
      try read()
    }
  }

  /// Waits until octets have arrived.
  private func read() throws {
    var entry = pollfd(fd: line.descriptor, events: Int16(POLLIN), revents: 0)
    try #require(poll(&entry, 1, 10_000) == 1, "nothing came in ten seconds")
    var buffer = OctetBuffer()
    guard case .octets = line.read(into: &buffer) else { throw CancellationError() }
    let octets = buffer.copy()
    deframer.push(octets.span) { type, packet in
      inbox.append((type, packet.withUnsafeBytes { Array($0) }))
      // Number Of Completed Packets (Core 5.4 Vol 4 Part E 7.7.19), for one connection.
      if type == .event, packet.count == 7, packet[0] == 0x13 { underWay -= Int(packet[5]) }
    }
  }

  /// Waits until the controller has a free buffer; at most eight are used.
  func waitForBuffer() throws { while underWay >= 8 { try read() } }

  /// Waits for an event and returns its parameters.
  private func event(_ code: EventCode, _ subevent: LESubevent? = nil) throws -> [UInt8] {
    try wait { type, octets in
      guard type == .event, let event = try? EventPacket(octets.span), event.code == code, event.subevent == subevent
      else { return nil }
      return Array(octets[event.parameters])
    }
  }

  /// Sends octets unchanged.
  func sendRaw(_ octets: [UInt8]) { _ = line.write(octets.span) }

  func command(_ command: some HCISyncCommand) throws {
    _ = line.write(command.h4.span)
    let answer = try HCICommandComplete(decoding: try event(.commandComplete))
    try #require(answer.opcode == type(of: command).opcode && answer.returnParameters.first == 0)
  }

  /// Scans until scanning is stopped.
  func beginScan() throws {
    try command(LESetScanParameters { $0.ownAddressType = .random })
    try command(LESetScanEnable { $0.enable = true })
  }

  /// Scans until advertisements of all these devices have been heard; returns their RSSI in dBm.
  @discardableResult
  func scan(for addresses: Set<DeviceAddress>) throws -> [DeviceAddress: Int8] {
    inbox = []
    try beginScan()
    var heard: [DeviceAddress: Int8] = [:]
    while heard.count < addresses.count {
      let reports = try LEAdvertisingReport(decoding: try event(.leMeta, .leAdvertisingReport))
      for report in reports.reports where addresses.contains(report.address) { heard[report.address] = report.rssi }
    }
    try command(LESetScanEnable())
    return heard
  }

  func connect(to peer: DeviceAddress) throws {
    let command = LECreateConnection {
      $0.peerAddressType = .random
      $0.peerAddress = peer
      $0.ownAddressType = .random
      $0.intervalMinimum.rawValue = 6
      $0.intervalMaximum.rawValue = 6
      $0.supervisionTimeout.rawValue = 50
    }
    _ = line.write(command.h4.span)
    let made = try LEEnhancedConnectionComplete(decoding: try event(.leMeta, .leEnhancedConnectionComplete))
    try #require(made.status == .success)
    handle = made.connectionHandle.rawValue
  }

  /// Sends an ATT PDU of at most 23 octets.
  func send(_ pdu: some ATTPDU) { send(pdu.encodedPDU, channel: 4) }

  /// Sends a B-frame that fits into one ACL packet.
  func send(_ octets: [UInt8], channel: UInt16) {
    var buffer = OctetBuffer()
    ACLHeader(
      connectionHandle: ConnectionHandle(rawValue: handle), boundary: .firstFromHost, length: octets.count + 4
    ).encodeH4(into: &buffer)
    buffer.append(littleEndian: UInt16(octets.count))
    buffer.append(littleEndian: channel)
    buffer.append(octets)
    _ = line.write(buffer)
    underWay += 1
  }

  /// Returns the accessory's next ATT PDU.
  func nextPDU() throws -> [UInt8] { try frame { channel, octets in channel == 4 ? octets : nil } }

  /// Returns the accessory's next B-frame that `pick` accepts, among those that fit into one ACL packet.
  func frame<Result>(_ pick: (_ channel: UInt16, _ octets: [UInt8]) -> Result?) throws -> Result {
    try wait { type, octets in
      guard type == .acl, octets.count >= 8 else { return nil }
      return pick(UInt16(octets[6]) | UInt16(octets[7]) << 8, Array(octets[8...]))
    }
  }

  func request(_ pdu: some ATTPDU) throws -> [UInt8] {
    send(pdu)
    return try nextPDU()
  }

  /// Waits for the end of the link, and returns the reason.
  func disconnection() throws -> ErrorCode {
    try HCIDisconnectionComplete(decoding: try event(.disconnectionComplete)).reason
  }

  func close() { line.close() }
}
