import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import PeripheralHost
import Testing

@Suite("Frames of links")
struct LinkFrameTests {
  // MARK: Security and signalling

  @Test("A Pairing Request is refused, so is a request that only a peripheral sends; reserved codes are ignored")
  func pairing() throws {
    let bench = try Bench.ready()
    bench.connect(0)
    bench.send([0x01, 3, 0, 1, 16, 7, 7], channel: 6)
    #expect(bench.frames.map(\.octets) == [[2, 0, 6, 0, 0x05, 0x05]])
    #expect(
      bench.events.contains { if case .security(_, .failed(.pairingNotSupported, _)) = $0 { true } else { false } })
    bench.send([0x0B, 1], channel: 6)
    #expect(bench.frames.last?.octets == [2, 0, 6, 0, 0x05, 0x07])
    bench.send([0x0F, 1], channel: 6)
    #expect(bench.frames.count == 2)
  }

  @Test("A request for a key is refused")
  func longTermKey() throws {
    let bench = try Bench.ready()
    bench.connect(4)
    bench.forget()
    bench.event(LELongTermKeyRequest { $0.connectionHandle.rawValue = 4 })
    #expect(bench.commands == [Bench.Sent(opcode: .leLongTermKeyRequestNegativeReply, parameters: [4, 0])])
  }

  @Test("Unknown signalling is rejected, unknown channels are reported")
  func signalling() throws {
    let bench = try Bench.ready()
    bench.connect(0)
    // An unassigned code, with identifier 9.
    bench.send([0x7E, 9, 2, 0, 1, 2], channel: 5)
    #expect(bench.frames.map(\.octets) == [[6, 0, 5, 0, 0x01, 9, 2, 0, 0, 0]])
    bench.send([0x14], channel: 5)
    bench.send([1, 2, 3], channel: 0x40)
    #expect(bench.frames.count == 1)
    #expect(
      bench.events.faults == [
        .signalling(.zero, "rejected code 0x7e"), .signalling(.zero, "ignored a malformed packet"),
        .unknownChannel(.zero, 0x40),
      ])
  }

  // MARK: Fragments

  @Test("Frames are received in packets of any length", arguments: [1, 3, 5, 23, 27, 251, 1021])
  func fragmentsIn(_ length: Int) throws {
    let bench = try Bench.ready()
    bench.connect(0)
    bench.att(ExchangeMTURequest(clientMTU: 517))
    let value = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
    let write = WriteRequest(handle: bench.valueHandle(TestAccessory.text), value: value)
    bench.send(write.encodedPDU, channel: 4, length: length)
    #expect(bench.attPDUs().last == [ATTOpcode.writeResponse.rawValue])
    #expect(bench.stack.value(of: TestAccessory.text, at: bench.now) == value)
  }

  @Test("Frames are sent in packets of the controller's length", arguments: [27 as UInt16, 69, 251])
  func fragmentsOut(_ length: UInt16) throws {
    var script = ControllerScript.basic
    script.bufferLength = length
    script.bufferCount = 2
    let bench = try Bench.ready(script)
    bench.connect(0)
    bench.att(ExchangeMTURequest(clientMTU: 517))
    let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 / 3) }
    bench.att(WriteRequest(handle: bench.valueHandle(TestAccessory.text), value: value))
    bench.forget()
    #expect(
      bench.att(ReadRequest(handle: bench.valueHandle(TestAccessory.text)))
        == [[ATTOpcode.readResponse.rawValue] + value])
    #expect(bench.packets.count == (517 + Int(length) - 1) / Int(length))
    #expect(bench.packets.map(\.boundary) == [.firstFromHost] + bench.packets.dropFirst().map { _ in .continuing })
    #expect(bench.violations == [])
  }

  @Test("A fragment without a beginning is reported, and the next frame is received")
  func strayFragment() throws {
    let bench = try Bench.ready()
    bench.connect(0)
    bench.receive([0x02, 0x00, 0x10, 2, 0, 1, 2])
    #expect(bench.events.faults.count == 1)
    bench.receive(Array(Bench.acl([0x0A, 3, 0], channel: 4, length: 5).prefix(10)))
    #expect(bench.readsText())
  }
}
