import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// A host that sends what a test specifies, and keeps everything from its controller.
final class ScriptedHost {
  /// An event with the time of its arrival.
  struct Heard {
    var at: Instant
    var code: EventCode
    var subevent: LESubevent?
    var parameters: [UInt8]
  }

  /// An ACL packet with the time of its arrival.
  struct Data: Equatable {
    var at: Instant
    var handle: UInt16
    var boundary: PacketBoundary
    var octets: [UInt8]
  }

  let stage: Stage
  let id: ControllerID
  private(set) var events: [Heard] = []
  private(set) var data: [Data] = []
  /// Everything that the controller sent, for comparing runs.
  private(set) var transcript: [UInt8] = []
  private var deframer = H4Deframer(side: .host, maximumDataLength: 0xFFFF)

  init(stage: Stage, id: ControllerID) {
    self.stage = stage
    self.id = id
  }

  func take(_ octets: [UInt8]) {
    transcript += octets
    deframer.push(octets.span) { type, packet in
      switch type {
      case .event:
        guard let event = try? EventPacket(packet) else {
          Issue.record("malformed event")
          return
        }
        let parameters = packet.extracting(event.parameters).withUnsafeBytes { Array($0) }
        events.append(
          Heard(at: stage.air.now, code: event.code, subevent: event.subevent, parameters: parameters))
      case .acl:
        guard let header = try? ACLHeader(packet) else {
          Issue.record("malformed data")
          return
        }
        let octets = packet.extracting(ACLHeader.size..<packet.count).withUnsafeBytes { Array($0) }
        data.append(
          Data(
            at: stage.air.now, handle: header.connectionHandle.rawValue, boundary: header.boundary, octets: octets))
      default: Issue.record("unexpected packet type \(type)")
      }
    }
    #expect(deframer.skippedOctets == 0)
  }

  // MARK: Sending

  func send(_ octets: [UInt8]) {
    stage.air.receive(octets.span, from: id, at: stage.air.now)
    stage.collect()
  }

  /// Sends a command and returns its return parameters from Command Complete.
  @discardableResult
  func call<Command: HCISyncCommand>(
    _ command: Command, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Command.ReturnParameters {
    let before = events.count
    send(command.h4)
    let answer = try #require(
      events[before...].first { $0.code == .commandComplete }, sourceLocation: sourceLocation)
    let event = try HCICommandComplete(decoding: answer.parameters)
    #expect(event.opcode == Command.opcode, sourceLocation: sourceLocation)
    return try Command.returned(event.returnParameters.span)
  }

  /// Sends a command and returns the status from Command Complete.
  @discardableResult
  func status<Command: HCISyncCommand>(
    _ command: Command, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ErrorCode {
    try call(command, sourceLocation: sourceLocation).status
  }

  /// Sends a command and returns the status from Command Status.
  @discardableResult
  func begin(_ command: some HCICommand, sourceLocation: SourceLocation = #_sourceLocation) throws -> ErrorCode {
    let before = events.count
    send(command.h4)
    let answer = try #require(events[before...].first { $0.code == .commandStatus }, sourceLocation: sourceLocation)
    return try HCICommandStatus(decoding: answer.parameters).status
  }

  func sendData(_ handle: UInt16, _ octets: [UInt8], boundary: PacketBoundary = .firstFromHost) {
    var buffer = OctetBuffer()
    ACLHeader(connectionHandle: ConnectionHandle(rawValue: handle), boundary: boundary, length: octets.count)
      .encodeH4(into: &buffer)
    buffer.append(octets)
    send(buffer.copy())
  }

  // MARK: Looking

  /// Returns all events of that type so far, in order.
  func all<Event: HCIEvent>(_ type: Event.Type) -> [Event] { timed(type).map(\.event) }

  func timed<Event: HCIEvent>(_ type: Event.Type) -> [(at: Instant, event: Event)] {
    let subevent = (type as? any LEMetaEvent.Type)?.subevent
    return events.compactMap { heard in
      guard heard.code == type.code, heard.subevent == subevent,
        let event = try? Event(decoding: heard.parameters)
      else { return nil }
      return (heard.at, event)
    }
  }

  func forget() {
    events.removeAll()
    data.removeAll()
  }

  /// Returns the number of packets that Number Of Completed Packets has reported.
  func completed(_ handle: UInt16) -> Int {
    all(HCINumberOfCompletedPackets.self).flatMap(\.completed)
      .filter { $0.connectionHandle.rawValue == handle }.reduce(0) { $0 + Int($1.count) }
  }

  // MARK: Common steps

  /// Sends Reset, and enables every event.
  func bringUp() throws {
    try status(HCIReset())
    try status(HCISetEventMask { $0.eventMask = EventMask(rawValue: .max) })
    try status(LESetEventMask { $0.eventMask = LEEventMask(rawValue: .max) })
  }

  var connections: [LEEnhancedConnectionComplete] { all(LEEnhancedConnectionComplete.self) }

  /// The handles of the established connections, from any kind of event.
  var connectionHandles: [UInt16] {
    (connections.map(\.connectionHandle) + all(LEConnectionComplete.self).map(\.connectionHandle)).map(\.rawValue)
  }
}
