import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Impairments")
struct ImpairmentTests {
  // MARK: Paths

  private let first = ControllerID(rawValue: 0)
  private let second = ControllerID(rawValue: 1)

  @Test(
    "a pattern loses exactly the packets that it specifies",
    arguments: [
      ([true, false, false], "-++-++-++"), ([false], "+++++++++"), ([true], "---------"), ([], "+++++++++"),
      ([false, true, true, false], "+--++--++"),
    ])
  func pattern(pattern: [Bool], arrivals: String) {
    var propagation = Propagation(seed: 1)
    propagation.setImpairment(PathImpairment(loss: .pattern(pattern)), from: first, to: second)
    let carried = (0..<9).map { _ in propagation.carries(from: first, to: second, payload: 10) ? "+" : "-" }
    #expect(carried.joined() == arrivals)
    let isBackwardClear = propagation.carries(from: second, to: first, payload: 10)
    #expect(isBackwardClear)
  }

  @Test(
    "packets that may arrive, and packets that certainly arrive",
    arguments: [
      (PathImpairment(), true, true), (PathImpairment(strength: -90), true, true),
      (PathImpairment(loss: .fraction(0)), true, true), (PathImpairment(loss: .fraction(0.1)), false, true),
      (PathImpairment(loss: .fraction(1)), false, false), (PathImpairment(loss: .fraction(.nan)), true, true),
      (PathImpairment(loss: .pattern([false, true])), false, true),
      (PathImpairment(loss: .pattern([true])), false, false),
      (PathImpairment(bitErrorRate: 0.001), false, true), (PathImpairment(bitErrorRate: 1), false, false),
      (PathImpairment(isReachable: false), false, false),
    ])
  func certainty(impairment: PathImpairment, isClean: Bool, canCarry: Bool) {
    var propagation = Propagation(seed: 1)
    propagation.setImpairment(impairment, from: first, to: second)
    #expect(propagation.isClean(from: first, to: second) == isClean)
    #expect(propagation.canCarry(from: first, to: second) == canCarry)
    let carried = (0..<200).count { _ in propagation.carries(from: first, to: second, payload: 27) }
    #expect(isClean ? carried == 200 : canCarry ? (1..<200).contains(carried) : carried == 0)
  }

  @Test("bit errors affect long packets more", arguments: [(0, 2e-4, 0.986), (27, 2e-4, 0.944), (251, 2e-4, 0.660)])
  func bitErrors(payload: Int, rate: Double, expected: Double) {
    var propagation = Propagation(seed: 4)
    propagation.setDefault(PathImpairment(bitErrorRate: rate))
    let arrived = (0..<2000).count { _ in propagation.carries(from: first, to: second, payload: payload) }
    #expect(abs(Double(arrived) / 2000 - expected) < 0.04)
  }

  @Test("the default applies to paths without their own impairment, including those of later controllers")
  func defaults() throws {
    let stage = Stage()
    let central = stage.add()
    stage.air.setDefaultImpairment(PathImpairment(isReachable: false, strength: -71))
    let peripheral = stage.add()
    #expect(stage.air.impairment(from: peripheral.id, to: central.id).strength == -71)
    stage.air.setImpairment(PathImpairment(strength: -33), from: peripheral.id, to: central.id)
    #expect(stage.air.impairment(from: peripheral.id, to: central.id) == PathImpairment(strength: -33))
    #expect(!stage.air.impairment(from: central.id, to: peripheral.id).isReachable)
    stage.air.setImpairment(nil, from: peripheral.id, to: central.id)
    #expect(stage.air.impairment(from: peripheral.id, to: central.id) == stage.air.defaultImpairment)
  }

  @Test("a default that blocks everything ends every link, and none if cleared in time", arguments: [800, 1500])
  func defaultEndsLinks(milliseconds: Int) throws {
    let stage = Stage()
    let pair = try stage.connected(timeout: 100)
    stage.run(.seconds(1))
    stage.air.setDefaultImpairment(PathImpairment(isReachable: false))
    stage.run(.milliseconds(milliseconds))
    stage.air.setDefaultImpairment(PathImpairment())
    stage.run(.seconds(2))
    let reasons: [ErrorCode] = milliseconds > 1000 ? [.connectionTimeout] : []
    for host in [pair.central, pair.peripheral] {
      #expect(host.all(HCIDisconnectionComplete.self).map(\.reason) == reasons)
    }
  }

  static let losses: [PathImpairment] = [
    PathImpairment(loss: .fraction(0.2)), PathImpairment(loss: .pattern([false, true, true, false, false])),
    PathImpairment(bitErrorRate: 3e-4),
  ]

  @Test("data arrives whole and in order over a bad path", arguments: losses)
  func dataInOrder(impairment: PathImpairment) throws {
    let stage = Stage(seed: 9)
    let pair = try stage.connected(interval: 12, timeout: 600)
    stage.air.setDefaultImpairment(impairment)
    var sent = (toPeripheral: [[UInt8]](), toCentral: [[UInt8]]())
    for number in UInt8(0)..<60 {
      let octets = [UInt8](repeating: number, count: 1 + Int(number) * 4)
      pair.central.sendData(pair.atCentral, octets)
      pair.peripheral.sendData(pair.atPeripheral, octets)
      sent.toPeripheral.append(octets)
      sent.toCentral.append(octets)
      #expect(stage.run { pair.central.completed(pair.atCentral) > Int(number) - 4 })
      #expect(stage.run { pair.peripheral.completed(pair.atPeripheral) > Int(number) - 4 })
    }
    stage.run(.seconds(3))
    #expect(pair.peripheral.data.joinedPackets == sent.toPeripheral)
    #expect(pair.central.data.joinedPackets == sent.toCentral)
  }

  @Test("a lost connection request leaves the initiator alone, and it fails after six intervals")
  func connectionRequestLost() throws {
    let stage = Stage()
    let central = stage.add()
    let peripheral = stage.add()
    stage.air.setImpairment(PathImpairment(loss: .pattern([true])), from: central.id, to: peripheral.id)
    try stage.advertise(peripheral)
    try stage.initiate(central, to: peripheral)
    stage.run(.seconds(2))
    #expect(peripheral.connections.isEmpty)
    #expect(
      central.all(HCIDisconnectionComplete.self).map(\.reason).first == .connectionFailedToBeEstablished)
  }

  // MARK: Controllers

  @Test("latency delays every packet to the host and keeps their order")
  func latency() throws {
    let stage = Stage()
    let host = stage.add()
    try host.bringUp()
    host.forget()
    stage.air.setImpairment(ControllerImpairment(latency: .milliseconds(30)), of: host.id)
    let begin = stage.air.now
    host.send(LERand().h4)
    stage.run(.milliseconds(10))
    host.send(HCIReadBDADDR().h4)
    // Later packets overtake nothing, although they are not delayed any more.
    stage.air.setImpairment(ControllerImpairment(), of: host.id)
    host.send(LEReadBufferSize().h4)
    #expect(host.events.isEmpty)
    stage.run(.milliseconds(100))
    host.send(LEReadSupportedStates().h4)
    let answers = host.timed(HCICommandComplete.self)
    #expect(answers.map(\.event.opcode) == [.leRand, .readBDADDR, .leReadBufferSize, .leReadSupportedStates])
    #expect(answers.map { $0.at - begin } == [30, 40, 40, 110].map { .milliseconds($0) })
  }

  @Test("a hung controller is silent, its peer loses the link, and it reports its own loss later")
  func hung() throws {
    let stage = Stage()
    let pair = try stage.connected(timeout: 100)
    stage.run(.seconds(1))
    pair.peripheral.forget()
    let begin = stage.air.now
    stage.air.setImpairment(ControllerImpairment(isHung: true), of: pair.peripheral.id)
    pair.peripheral.send(LERand().h4)
    stage.run(.seconds(3))
    #expect(pair.peripheral.events.isEmpty)
    let lost = try #require(pair.central.timed(HCIDisconnectionComplete.self).first)
    #expect(lost.event.reason == .connectionTimeout)
    #expect((Duration.milliseconds(960)...Duration.milliseconds(1000)).contains(lost.at - begin))
    stage.air.setImpairment(ControllerImpairment(), of: pair.peripheral.id)
    stage.collect()
    #expect(pair.peripheral.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
    try pair.peripheral.status(HCIReset())
    #expect(pair.peripheral.all(HCICommandComplete.self).map(\.opcode) == [.reset])
  }

  @Test("a hung controller neither advertises nor hears", arguments: [true, false])
  func hungOnTheAir(hangsAdvertiser: Bool) throws {
    let stage = Stage()
    let (scanner, advertiser) = (stage.add(), stage.add())
    try stage.advertise(advertiser)
    let hung = hangsAdvertiser ? advertiser : scanner
    try stage.scan(scanner)
    stage.air.setImpairment(ControllerImpairment(isHung: true), of: hung.id)
    stage.run(.seconds(1))
    #expect(scanner.all(LEAdvertisingReport.self).isEmpty)
    stage.air.setImpairment(ControllerImpairment(), of: hung.id)
    stage.run(.seconds(1))
    #expect(!scanner.all(LEAdvertisingReport.self).isEmpty)
  }

  @Test("with fewer buffers than promised, the controller drops packets and reports each")
  func bufferLimit() throws {
    let stage = Stage()
    let pair = try stage.connected()
    stage.air.setImpairment(ControllerImpairment(bufferLimit: 3), of: pair.central.id)
    for number in UInt8(0)..<5 { pair.central.sendData(pair.atCentral, [number]) }
    stage.run(.seconds(1))
    #expect(pair.central.all(HCIDataBufferOverflow.self).count == 2)
    #expect(pair.peripheral.data.map(\.octets) == [[0], [1], [2]])
    #expect(pair.central.completed(pair.atCentral) == 3)
    #expect(stage.air.takeHostFaults(of: pair.central.id).isEmpty)
  }

  static let notices: [(RestartNotice, [UInt8])] = [
    (.silently, []), (.nop, [0x04, 0x0E, 0x03, 1, 0, 0]), (.hardwareError(0x42), [0x04, 0x10, 0x01, 0x42]),
    (.zephyrAssertion(file: "ull.c", line: 513), [0x04, 0xFF, 11, 0xAA] + Array("ull.c".utf8) + [0, 1, 2, 0, 0]),
  ]

  @Test("a restart loses everything, is announced, and makes the peer lose the link", arguments: notices)
  func restart(notice: RestartNotice, announcement: [UInt8]) throws {
    let stage = Stage()
    let pair = try stage.connected(timeout: 100)
    stage.run(.seconds(1))
    let before = pair.peripheral.transcript.count
    // The beginning of a packet is lost with everything else.
    pair.peripheral.send([0x01, 0x03])
    stage.air.restartController(pair.peripheral.id, announcing: notice)
    stage.collect()
    #expect(Array(pair.peripheral.transcript[before...]) == announcement)
    stage.run(.seconds(3))
    #expect(pair.central.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
    #expect(pair.peripheral.all(HCIDisconnectionComplete.self).isEmpty)
    try pair.peripheral.bringUp()
    #expect(try pair.peripheral.status(LESetAdvertisingEnable { $0.enable = true }) == .success)
  }

  @Test("a restart ends a hang, and drops what was not sent")
  func restartAfterHang() throws {
    let stage = Stage()
    let pair = try stage.connected(timeout: 100)
    stage.air.setImpairment(
      ControllerImpairment(latency: .milliseconds(5), isHung: true, bufferLimit: 1), of: pair.central.id)
    stage.run(.seconds(3))
    pair.central.forget()
    stage.air.restartController(pair.central.id, announcing: .nop)
    stage.run(.seconds(1))
    #expect(pair.central.events.map(\.code) == [.commandComplete])
    let impairment = ControllerImpairment(latency: .milliseconds(5), bufferLimit: 1)
    #expect(stage.air.impairment(of: pair.central.id) == impairment)
  }

  @Test("unknown controllers have no impairments")
  func absent() {
    let stage = Stage()
    let host = stage.add()
    stage.air.removeController(host.id)
    stage.air.setImpairment(ControllerImpairment(isHung: true), of: host.id)
    stage.air.restartController(host.id, announcing: .nop)
    #expect(stage.air.impairment(of: host.id) == nil)
    #expect(stage.air.controllersWithOutput.isEmpty)
  }
}

extension [ScriptedHost.Data] {
  /// The packets before the link split them.
  fileprivate var joinedPackets: [[UInt8]] {
    reduce(into: []) { packets, fragment in
      if fragment.boundary == .continuing, !packets.isEmpty {
        packets[packets.count - 1] += fragment.octets
      } else {
        packets.append(fragment.octets)
      }
    }
  }
}
