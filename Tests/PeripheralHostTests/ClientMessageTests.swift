import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost
import Testing

@Suite("Messages to single clients")
struct ClientMessageTests {
  private func bench() throws -> Bench {
    var script = ControllerScript.basic
    script.bufferCount = 4
    script.completesPackets = false
    let bench = try Bench.ready(
      script, TestAccessory.configuration(connection: ConnectionPolicy(maximumConnections: 2)))
    for handle in 0..<2 as Range<UInt16> { bench.connect(handle) }
    return bench
  }

  @Test("A long message is sent in parts, in order, only to its client, and none is left out", arguments: [23, 517])
  func parts(_ mtu: Int) throws {
    let bench = try bench()
    for handle in 0..<2 as Range<UInt16> { try bench.subscribe(TestAccessory.measurement, .notification, handle) }
    bench.att(ExchangeMTURequest(clientMTU: UInt16(mtu)), 1)
    bench.completeAll()
    bench.forget()
    let value = (0..<2000).map { UInt8(truncatingIfNeeded: $0) }
    bench.stack.application.outbox[1] = [
      ClientMessage(characteristic: TestAccessory.measurement, value: value, isIndication: false)
    ]
    try bench.perform(.perform([]))
    while bench.held.values.contains(where: { $0 > 0 }) { bench.completeAll() }
    let handle = UInt8(bench.valueHandle(TestAccessory.measurement))
    let sent = bench.attPDUs(1)
    #expect(sent.allSatisfy { $0.prefix(3) == [0x1B, handle, 0] && $0.count <= mtu })
    #expect(sent.flatMap { $0.dropFirst(3) } == value)
    #expect(sent.count == (2000 + mtu - 4) / (mtu - 3))
    #expect(bench.attPDUs(0).isEmpty && bench.events.tags == [] && bench.violations == [])
  }

  @Test("The application is informed of single clients' subscriptions, confirmations and ends")
  func notes() throws {
    let bench = try bench()
    try bench.subscribe(TestAccessory.alarm, .indication, 1)
    bench.completeAll()
    bench.stack.application.outbox[1] = [
      ClientMessage(characteristic: TestAccessory.alarm, value: [1, 2], isIndication: true)
    ]
    bench.forget()
    try bench.perform(.perform([]))
    #expect(bench.attPDUs(1) == [[0x1D, UInt8(bench.valueHandle(TestAccessory.alarm)), 0, 1, 2]])
    bench.att(HandleValueConfirmation(), 1)
    bench.disconnect(1)
    let alarm = TestAccessory.alarm.position
    #expect(bench.stack.application.notes == ["1 takes 2 of \(alarm)", "1 confirms \(alarm)", "1 left"])
  }
}
