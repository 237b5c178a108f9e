import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

@Suite("Channels as streams") struct ChannelTests {
  /// Reads and writes the streams of a channel as an app does.
  private final class Echo: NSObject, StreamDelegate, @unchecked Sendable {
    var received: [UInt8] = []
    var toSend: [UInt8] = []
    var events: [Stream.Event] = []

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
      events.append(eventCode)
      if let input = aStream as? InputStream, eventCode == .hasBytesAvailable {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = input.read(&buffer, maxLength: buffer.count)
        received += buffer.prefix(max(0, count))
      }
      if let output = aStream as? OutputStream, eventCode == .hasSpaceAvailable, !toSend.isEmpty {
        let count = output.write(toSend, maxLength: toSend.count)
        toSend.removeFirst(max(0, count))
      }
    }
  }

  private static let profile = """
    understudy: 1
    name: Stream
    security: { pairing: just-works }
    l2cap:
      - { id: echo, psm: 0x0080, handler: echo }
      - { id: private, psm: 0x0081, handler: echo, security: encrypted }
    """

  private func stage() throws -> Stage {
    let stage = try Stage(Profile.load(text: Self.profile))
    try stage.connect()
    return stage
  }

  @Test("A hundred thousand octets come back unharmed") @MainActor func echo() throws {
    let stage = try stage()
    try stage.peripheral.openL2CAPChannel(0x0080)
    try stage.wait(for: "channel 128")
    let channel = try #require(stage.recorder.channel)
    let echo = Echo()
    let data = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    echo.toSend = data
    channel.open(for: echo)
    #expect(stage.air.advance(until: { echo.received.count == data.count }, within: .seconds(120)))
    #expect(echo.received == data)
    #expect(echo.events.prefix(2).contains(.openCompleted))
  }

  @Test("A channel that needs encryption shows the sheet, and opens after the answer") func encrypted() throws {
    let stage = try stage()
    try stage.peripheral.openL2CAPChannel(0x0081)
    try stage.phone.expect(EventPattern("pairing-sheet"))
    stage.phone.pairingSheet?.accept()
    try stage.wait(for: "channel 129")
    #expect(stage.recorder.lines.last == "channel 129")
  }

  @Test("A canceled sheet ends the attempt with an error") func canceled() throws {
    let stage = try stage()
    stage.phone.person = .cancels
    try stage.peripheral.openL2CAPChannel(0x0081)
    try stage.wait(for: "channel")
    #expect(stage.recorder.lines.last == "channel 0: \(CBATTError(.insufficientEncryption).localizedDescription)")
  }

  @Test("An unpublished PSM is an error") func unknown() throws {
    let stage = try stage()
    try stage.peripheral.openL2CAPChannel(0x00F0)
    try stage.wait(for: "channel 0")
    #expect(stage.recorder.channel == nil)
  }

  @Test("The end of the link ends the streams") @MainActor func linkLost() throws {
    let stage = try stage()
    try stage.peripheral.openL2CAPChannel(0x0080)
    try stage.wait(for: "channel")
    let echo = Echo()
    try #require(stage.recorder.channel).open(for: echo)
    try stage.accessory.disconnect()
    try stage.wait(for: "disconnect")
    stage.air.advance(by: .seconds(1))
    #expect(echo.events.count { $0 == .endEncountered } == 2)
    #expect(stage.recorder.channel?.inputStream?.streamStatus == .atEnd)
  }

  @Test("Closing both streams closes the channel") @MainActor func closed() throws {
    let stage = try stage()
    try stage.peripheral.openL2CAPChannel(0x0080)
    try stage.wait(for: "channel")
    let channel = try #require(stage.recorder.channel)
    let echo = Echo()
    channel.open(for: echo)
    stage.air.advance(by: .seconds(1))
    channel.inputStream?.close()
    channel.outputStream?.close()
    try stage.accessory.expect(EventPattern("channel-closed"))
  }
}
