import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Data on connections")
struct DataTests {
  static let timings: [AirConfiguration.Timing] = [.linkLayer, .immediate]

  private func lengthen(_ pair: Pair, _ stage: Stage) throws {
    for (host, handle) in [(pair.central, pair.atCentral), (pair.peripheral, pair.atPeripheral)] {
      try host.status(
        LESetDataLength {
          $0.connectionHandle.rawValue = handle; $0.txOctets = 251; $0.txTime = 2120
        })
    }
    stage.run(.milliseconds(500))
    for host in [pair.central, pair.peripheral] { host.forget() }
  }

  @Test("data passes in both directions and is acknowledged", arguments: timings)
  func data(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected()
    pair.central.sendData(pair.atCentral, [1, 2, 3])
    pair.peripheral.sendData(pair.atPeripheral, [4, 5])
    stage.run(.milliseconds(200))
    #expect(pair.peripheral.data.map(\.octets) == [[1, 2, 3]])
    #expect(pair.peripheral.data.map(\.boundary) == [.firstFromController])
    #expect(pair.central.data.map(\.octets) == [[4, 5]])
    #expect(pair.central.completed(pair.atCentral) == 1)
    #expect(pair.peripheral.completed(pair.atPeripheral) == 1)
  }

  @Test("long packets are split for the air and for the receiver's buffers, with the right flags", arguments: timings)
  func fragments(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected(peripheral: .zephyrHCIUART)
    let packet = (0..<100).map { UInt8($0) }
    pair.central.sendData(pair.atCentral, packet)
    pair.central.sendData(pair.atCentral, [200, 201], boundary: .continuing)
    stage.run(.seconds(1))
    #expect(pair.peripheral.data.flatMap(\.octets) == packet + [200, 201])
    #expect(pair.peripheral.data.allSatisfy { $0.octets.count <= 27 })
    #expect(
      pair.peripheral.data.map(\.boundary) == [
        .firstFromController, .continuing, .continuing, .continuing, .continuing,
      ])
    #expect(pair.central.completed(pair.atCentral) == 2)
  }

  @Test("with long data PDUs and small host buffers, one PDU becomes several packets")
  func smallBuffers() throws {
    let stage = Stage()
    var small = ControllerConfiguration.full
    small.aclDataLength = 40
    let pair = try stage.connected(peripheral: small)
    try lengthen(pair, stage)
    pair.central.sendData(pair.atCentral, Array(repeating: 7, count: 100))
    stage.run(.seconds(1))
    #expect(pair.peripheral.data.map(\.octets.count) == [40, 40, 20])
    #expect(pair.peripheral.data.map(\.boundary) == [.firstFromController, .continuing, .continuing])
    #expect(Set(pair.peripheral.data.map(\.at)).count == 1)
  }

  @Test("a data length in microseconds allows less on a slower PHY")
  func timeLimit() throws {
    let stage = Stage()
    let pair = try stage.connected()
    try pair.central.status(
      LESetDataLength {
        $0.connectionHandle.rawValue = pair.atCentral
        $0.txOctets = 251
        $0.txTime = 592
      })
    stage.run(.milliseconds(500))
    pair.central.sendData(pair.atCentral, Array(repeating: 1, count: 251))
    stage.run(.milliseconds(500))
    #expect(pair.peripheral.data.map(\.octets.count) == [60, 60, 60, 60, 11])
    pair.peripheral.forget()
    try pair.central.begin(
      LESetPHY {
        $0.connectionHandle.rawValue = pair.atCentral
        $0.txPHYs = .le2M
        $0.rxPHYs = .le2M
      })
    stage.run(.seconds(1))
    pair.central.sendData(pair.atCentral, Array(repeating: 1, count: 251))
    stage.run(.milliseconds(500))
    #expect(pair.peripheral.data.map(\.octets.count) == [133, 118])
  }

  @Test("data waits for the connection event, is sent in it as far as it fits, and arrives when it ends on the air")
  func timing() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 24)
    try lengthen(pair, stage)
    let anchorPeriod = Duration.milliseconds(30).inNanoseconds
    for _ in 0..<15 { pair.central.sendData(pair.atCentral, Array(repeating: 1, count: 251)) }
    stage.run(.milliseconds(400))
    let times = pair.peripheral.data.map(\.at.nanoseconds)
    #expect(times.count == 15)
    // 251 octets on LE 1M are 2088 µs; with the empty answer and both spaces one exchange takes 2468 µs.
    let first = times[0] - 2_088_000
    let inFirstEvent = times.prefix { $0 - first < anchorPeriod }
    #expect(inFirstEvent.count == 12)
    for (earlier, later) in zip(inFirstEvent, inFirstEvent.dropFirst()) { #expect(later - earlier == 2_468_000) }
    #expect(times[12] == first + anchorPeriod + 2_088_000)
    #expect(pair.central.completed(pair.atCentral) == 15)
  }

  @Test("LE 2M carries more per event")
  func throughput() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 24)
    try lengthen(pair, stage)
    try pair.central.begin(
      LESetPHY {
        $0.connectionHandle.rawValue = pair.atCentral; $0.txPHYs = .le2M; $0.rxPHYs = .le2M
      })
    stage.run(.seconds(1))
    pair.central.forget()
    for _ in 0..<16 { pair.central.sendData(pair.atCentral, Array(repeating: 1, count: 251)) }
    stage.run(.milliseconds(60))
    let times = pair.peripheral.data.map(\.at)
    #expect(times.count == 16)
    #expect(times[1] - times[0] == .microseconds(1048 + 44 + 300))
  }

  @Test("the peripheral's last packet of an event is acknowledged in the next")
  func acknowledgement() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 24)
    stage.run(.milliseconds(100))
    pair.peripheral.sendData(pair.atPeripheral, [1])
    stage.run(.milliseconds(200))
    let heard = try #require(pair.central.data.first).at
    let given = try #require(pair.peripheral.timed(HCINumberOfCompletedPackets.self).first).at
    #expect((Duration.milliseconds(29)...Duration.milliseconds(31)).contains(given - heard))
  }

  @Test("a peripheral with latency sleeps through the central's events, but sends at the next one")
  func latency() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 24, latency: 9, timeout: 300)
    stage.run(.seconds(3))
    var waits: [Int64] = []
    for _ in 0..<20 {
      pair.peripheral.forget()
      let begin = stage.air.now
      pair.central.sendData(pair.atCentral, [1])
      stage.run(.milliseconds(470))
      waits.append((try #require(pair.peripheral.data.first).at - begin).inNanoseconds)
    }
    #expect(waits.allSatisfy { $0 <= 301_000_000 })
    #expect(waits.contains { $0 > 100_000_000 })
    pair.central.forget()
    let begin = stage.air.now
    pair.peripheral.sendData(pair.atPeripheral, [2])
    stage.run(.milliseconds(100))
    #expect(try #require(pair.central.data.first).at - begin <= .milliseconds(31))
    #expect(pair.central.all(HCIDisconnectionComplete.self).isEmpty)
  }

  @Test("loss delays data, and never corrupts it", arguments: [0.1, 0.5])
  func loss(fraction: Double) throws {
    let stage = Stage(seed: 99)
    let pair = try stage.connected(interval: 6, timeout: 3200)
    stage.air.setPacketLoss(from: pair.central.id, to: pair.peripheral.id, fraction: fraction)
    stage.air.setPacketLoss(from: pair.peripheral.id, to: pair.central.id, fraction: fraction)
    for number in 0..<16 {
      pair.central.sendData(pair.atCentral, Array(repeating: UInt8(number), count: 60))
      pair.peripheral.sendData(pair.atPeripheral, Array(repeating: UInt8(number), count: 60))
    }
    stage.run(.seconds(30))
    let expected = (0..<16).flatMap { Array(repeating: UInt8($0), count: 60) }
    #expect(pair.peripheral.data.flatMap(\.octets) == expected)
    #expect(pair.central.data.flatMap(\.octets) == expected)
    #expect(pair.central.completed(pair.atCentral) == 16)
    #expect(pair.peripheral.completed(pair.atPeripheral) == 16)
  }

  @Test("more packets than buffers: Data Buffer Overflow, the packet is dropped, the others are sent")
  func overflow() throws {
    let stage = Stage()
    let pair = try stage.connected(central: .zephyrHCIUART)
    for number in 0..<9 { pair.central.sendData(pair.atCentral, [UInt8(number)]) }
    #expect(pair.central.all(HCIDataBufferOverflow.self).map(\.linkType) == [1, 1])
    let handle = ConnectionHandle(rawValue: pair.atCentral)
    #expect(
      stage.air.takeHostFaults(of: pair.central.id) == [.dataBufferOverflow(handle), .dataBufferOverflow(handle)])
    stage.run(.seconds(1))
    #expect(pair.peripheral.data.flatMap(\.octets) == [0, 1, 2, 3, 4, 5, 6])
    #expect(pair.central.completed(pair.atCentral) == 7)
    pair.central.sendData(pair.atCentral, [9])
    stage.run(.seconds(1))
    #expect(pair.peripheral.data.last?.octets == [9])
  }

  @Test("data that hosts must not send is dropped and recorded")
  func badData() throws {
    let stage = Stage()
    let pair = try stage.connected(central: .zephyrHCIUART.conforming)
    let handle = ConnectionHandle(rawValue: pair.atCentral)
    pair.central.sendData(0x0123, [1])
    pair.central.sendData(pair.atCentral, [])
    pair.central.sendData(pair.atCentral, Array(repeating: 1, count: 28))
    #expect(
      stage.air.takeHostFaults(of: pair.central.id) == [
        .dataForUnknownConnection(ConnectionHandle(rawValue: 0x0123)), .emptyData(handle),
        .dataTooLong(handle, length: 28),
      ])
    // A packet boundary flag that LE does not have, and a broadcast flag.
    for flags: UInt8 in [0x30, 0x40] {
      pair.central.send([0x02, 0x00, flags, 0x01, 0x00, 0xAA])
      #expect(stage.air.takeHostFaults(of: pair.central.id) == [.badDataFlags(handle)])
    }
    #expect(pair.central.all(HCIDataBufferOverflow.self).count == 1)
    stage.run(.seconds(1))
    #expect(pair.peripheral.data.isEmpty)
    #expect(pair.central.completed(pair.atCentral) == 0)
  }

  @Test("buffers of a link that ends are freed without an event")
  func disconnection() throws {
    let stage = Stage()
    let pair = try stage.connected(central: .zephyrHCIUART, timeout: 50)
    stage.air.setReachable(pair.central.id, pair.peripheral.id, false)
    for _ in 0..<7 { pair.central.sendData(pair.atCentral, [1]) }
    stage.run(.seconds(2))
    #expect(pair.central.all(HCIDisconnectionComplete.self).count == 1)
    #expect(pair.central.completed(pair.atCentral) == 0)
    stage.air.setReachable(pair.central.id, pair.peripheral.id, true)
    try pair.peripheral.status(LESetAdvertisingEnable { $0.enable = true })
    try pair.central.begin(
      LECreateConnection {
        $0.peerAddressType = .random
        $0.peerAddress = .randomStatic(from: 0x1122_3344)
      })
    stage.run(.seconds(1))
    for _ in 0..<7 { pair.central.sendData(pair.atCentral, [2]) }
    stage.run(.seconds(1))
    #expect(pair.peripheral.data.count == 7)
    #expect(pair.central.all(HCIDataBufferOverflow.self).isEmpty)
  }
}
