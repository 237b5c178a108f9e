import BLECore
import CoreBluetoothUnderstudy
import Foundation
import PeripheralHost
import Testing
import UnderstudyTesting

/// The throughput ladder of WWDC 2017 session 712, climbed with an app's calls. Its figures are in kbit/s.
@Suite("The throughput ladder with calls of Core Bluetooth") struct LadderTests {
  /// How an app sends.
  enum Method: Sendable { case withResponse, oneInEachInterval, whileThereIsRoom, channel }

  struct Step: Sendable, CustomTestStringConvertible {
    let number: Int
    let method: Method
    var interval = 30
    var mtu = 23
    var dataLength = 27
    var usesLE2M = false
    /// What the talk shows, and what the link layer permits.
    let talk, limit: Double

    var testDescription: String { "step \(number)" }

    var persona: Persona {
      var persona = Persona.iOS
      persona.mtu = mtu
      persona.dataLength = dataLength
      persona.usesLE2M = usesLE2M
      return persona
    }
  }

  static let steps = [
    Step(number: 1, method: .withResponse, talk: 2.5, limit: 2.7),
    Step(number: 2, method: .oneInEachInterval, talk: 5, limit: 5.4),
    Step(number: 3, method: .whileThereIsRoom, talk: 37, limit: 237),
    Step(number: 4, method: .whileThereIsRoom, mtu: 185, talk: 48, limit: 308),
    Step(number: 5, method: .whileThereIsRoom, mtu: 247, dataLength: 251, talk: 135, limit: 791),
    Step(number: 6, method: .channel, mtu: 247, dataLength: 251, talk: 197, limit: 800),
    Step(number: 7, method: .channel, interval: 15, mtu: 247, dataLength: 251, talk: 394, limit: 800),
    // The talk has no figure for LE 2M, which is faster than any earlier step.
    Step(number: 8, method: .channel, interval: 15, mtu: 247, dataLength: 251, usesLE2M: true, talk: 800, limit: 1419),
  ]

  /// An accessory that asks for the interval of the step, as the talk recommends.
  private static func profile(_ step: Step) -> String {
    """
    understudy: 1
    name: Sink
    connection: { mtu: 517, data-length: 251, phy: any\(step.interval == 30 ? "" : ", request: { interval: 15 ms, timeout: 6 s, after: 100 ms }") }
    services:
      - id: throughput
        uuid: 5ED10001-7C4D-4B0E-9E4B-1F6E2A1B9C00
        characteristics:
          - { id: sink, uuid: 5ED10002-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [write, write-without-response], max-length: 512 }
    l2cap: [ { id: stream, mtu: 4938, mps: 247, psm-characteristic: { service: throughput }, handler: sink } ]
    """
  }

  @Test("Each step is as fast as the talk shows", arguments: steps) @MainActor func climbs(_ step: Step) throws {
    let stage = try Stage(Profile.load(text: Self.profile(step)), persona: step.persona)
    try stage.connect()
    try stage.discover()
    // Let the system's own requests and the accessory's request for another interval end.
    stage.air.advance(by: .seconds(2))
    let octets = step.method == .withResponse || step.method == .oneInEachInterval ? 2_000 : 40_000
    let start = stage.air.now
    switch step.method {
    case .withResponse: try writeWithResponse(octets, stage)
    case .oneInEachInterval: try writeOneInEachInterval(octets, stage, .milliseconds(step.interval))
    case .whileThereIsRoom: try writeWhileThereIsRoom(octets, stage)
    case .channel: try sendOnChannel(octets, stage)
    }
    let seconds = (stage.air.now - start) / .seconds(1)
    let kbps = Double(octets) * 8 / seconds / 1000
    #expect(kbps >= step.talk && kbps <= step.limit, "\(kbps) kbit/s")
  }

  private static let sink = "5ED10002-7C4D-4B0E-9E4B-1F6E2A1B9C00"

  /// Lets time pass until the accessory has got all octets.
  private func waitForArrival(_ octets: Int, _ stage: Stage) throws {
    try #require(stage.air.advance(until: { stage.accessory.octetsWritten >= octets }, within: .seconds(60)))
  }

  private func writeWithResponse(_ octets: Int, _ stage: Stage) throws {
    let (peripheral, sink) = (try stage.peripheral, try stage.characteristic(Self.sink))
    let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
    var sent = 0
    let send = {
      guard sent < octets else { return }
      sent += length
      peripheral.writeValue(Data(count: length), for: sink, type: .withResponse)
    }
    stage.recorder.then = { if $0.hasPrefix("write") { send() } }
    send()
    try waitForArrival(octets, stage)
  }

  private func writeOneInEachInterval(_ octets: Int, _ stage: Stage, _ interval: Duration) throws {
    let (peripheral, sink) = (try stage.peripheral, try stage.characteristic(Self.sink))
    let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
    for _ in 0..<octets / length {
      peripheral.writeValue(Data(count: length), for: sink, type: .withoutResponse)
      stage.air.advance(by: interval)
    }
    try waitForArrival(octets, stage)
  }

  private func writeWhileThereIsRoom(_ octets: Int, _ stage: Stage) throws {
    let (peripheral, sink) = (try stage.peripheral, try stage.characteristic(Self.sink))
    let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
    var sent = 0
    let send = {
      while sent < octets, peripheral.canSendWriteWithoutResponse {
        let count = min(length, octets - sent)
        sent += count
        peripheral.writeValue(Data(count: count), for: sink, type: .withoutResponse)
      }
    }
    stage.recorder.then = { if $0 == "ready" { send() } }
    send()
    try waitForArrival(octets, stage)
  }

  private func sendOnChannel(_ octets: Int, _ stage: Stage) throws {
    let number = try stage.characteristic(CBUUIDL2CAPPSMCharacteristicString)
    try stage.peripheral.readValue(for: number)
    try stage.wait(for: "value")
    let psm = try #require(number.value.map { UInt16($0[0]) | UInt16($0[1]) << 8 })
    try stage.peripheral.openL2CAPChannel(psm)
    try stage.wait(for: "channel")
    let channel = try #require(stage.recorder.channel)
    let writer = StreamWriter(octets) { [channel.inputStream, channel.outputStream].forEach { $0?.close() } }
    channel.open(for: writer)
    let closed = try stage.accessory.expect(EventPattern("channel-closed"), within: .seconds(60))
    guard case .object(let sink) = closed["sink"] else { throw MissingCallback(missing: "sink", []) }
    #expect(sink["octets"] == .int(Int64(octets)))
  }
}

/// Writes octets to a channel while it has room.
private final class StreamWriter: NSObject, StreamDelegate, @unchecked Sendable {
  private var left: Int
  private let whenWritten: () -> Void

  init(_ octets: Int, whenWritten: @escaping () -> Void) { (left, self.whenWritten) = (octets, whenWritten) }

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    guard let output = aStream as? OutputStream, eventCode == .hasSpaceAvailable, left > 0 else { return }
    left -= max(0, output.write([UInt8](repeating: 7, count: left), maxLength: left))
    if left == 0 { whenWritten() }
  }
}

extension TestAccessory {
  /// The number of octets of all writes so far.
  fileprivate var octetsWritten: Int { events.reduce(0) { $0 + ($1.name == "write" ? $1.octets?.count ?? 0 : 0) } }
}
