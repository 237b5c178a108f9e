import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("One radio")
struct RadioTimeTests {
  /// Returns a central with links to that many peripherals, each with one handle on the central's side.
  private func star(_ count: Int, interval: UInt16 = 24, _ stage: Stage) throws -> [ScriptedHost] {
    var configuration = ControllerConfiguration.full
    configuration.maximumConnections = 20
    let hosts = (0...count).map { stage.add($0 == 0 ? configuration : .full) }
    for host in hosts { try host.bringUp() }
    for (number, peripheral) in hosts.enumerated().dropFirst() {
      try peripheral.status(LESetAdvertisingEnable { $0.enable = true })
      let create = LECreateConnection {
        $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0001 + UInt64(number))
        $0.intervalMinimum.rawValue = interval
        $0.intervalMaximum.rawValue = interval
      }
      try #require(try hosts[0].begin(create) == .success)
      try #require(stage.run { hosts[0].connections.count == number })
      stage.run(.milliseconds(300))
    }
    return hosts
  }

  /// Returns two links of one peripheral whose connection events all coincide.
  private func collidingLinks(_ stage: Stage) throws -> (peripheral: ScriptedHost, centrals: [ScriptedHost]) {
    let peripheral = stage.add()
    let centrals = [stage.add(), stage.add()]
    for host in stage.hosts { try host.bringUp() }
    for central in centrals {
      try peripheral.status(LESetAdvertisingEnable { $0.enable = true })
      try central.begin(
        LECreateConnection {
          $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0001)
          $0.intervalMinimum.rawValue = 24
          $0.intervalMaximum.rawValue = 24
        })
      try #require(stage.run { !central.connections.isEmpty })
    }
    stage.run(.seconds(1))
    let links = stage.air.links.values.sorted { $0.id < $1.id }
    for link in links { stage.air.catchUp(link) }
    links[1].nextAnchor = links[0].nextAnchor
    return (peripheral, centrals)
  }

  /// Keeps packets waiting at a host for that long, and checks at every step that each radio has only one use.
  private func saturate(_ host: ScriptedHost, _ handles: [UInt16], _ stage: Stage, _ duration: Duration) {
    let end = stage.air.now + duration
    while stage.air.now < end {
      for handle in handles {
        let held = { stage.air.controller(host.id)?.connection(ConnectionHandle(rawValue: handle))?.end.heldPackets }
        while let count = held(), count < 16 / handles.count {
          host.sendData(handle, Array(repeating: 1, count: 27))
        }
      }
      guard let deadline = stage.air.nextDeadline else { return }
      stage.air.advance(to: min(deadline, end))
      stage.collect()
      guard stage.hosts.allSatisfy({ uses(of: $0) <= 1 }) else {
        Issue.record("two uses of one radio at \(stage.air.now)")
        return
      }
    }
  }

  private func uses(of host: ScriptedHost) -> Int {
    guard let controller = stage(host).controller(host.id) else { return 0 }
    return controller.connections.filter { $0.link[$0.side].isInEvent }.count
      + controller.state.sets.filter { $0.progress != nil }.count
  }

  private func stage(_ host: ScriptedHost) -> Air { host.stage.air }

  @Test("a central spaces the events of its links as far apart as possible")
  func placement() throws {
    let stage = Stage()
    _ = try star(4, stage)
    let anchors = stage.air.links.values.map { $0.nextAnchor.nanoseconds % 30_000_000 }.sorted()
    for (earlier, later) in zip(anchors, anchors.dropFirst()) { #expect(later - earlier >= 6_250_000) }
    #expect(anchors.count == 4)
  }

  @Test("links of one central all carry their data, one event after another")
  func severalLinks() throws {
    let stage = Stage()
    let hosts = try star(4, interval: 12, stage)
    let handles = hosts[0].connections.map(\.connectionHandle.rawValue)
    saturate(hosts[0], handles, stage, .seconds(1))
    // 66 intervals of 15 ms: four to six exchanges of 676 µs each, as the anchor points are 3.75 ms apart, within 1.25 ms.
    for peripheral in hosts.dropFirst() { #expect((260...410).contains(peripheral.data.count)) }
  }

  @Test("a new interval finds new anchor points for the events")
  func replacement() throws {
    let stage = Stage()
    let hosts = try star(4, stage)
    for connection in hosts[0].connections {
      try hosts[0].begin(
        LEConnectionUpdate {
          $0.connectionHandle = connection.connectionHandle
          $0.intervalMinimum.rawValue = 8
          $0.intervalMaximum.rawValue = 8
          $0.supervisionTimeout.rawValue = 100
        })
      stage.run(.seconds(1))
    }
    let anchors = stage.air.links.values.map { $0.nextAnchor.nanoseconds % 10_000_000 }.sorted()
    for (earlier, later) in zip(anchors, anchors.dropFirst()) { #expect(later - earlier >= 1_250_000) }
    #expect(hosts[0].all(LEConnectionUpdateComplete.self).map(\.status) == Array(repeating: .success, count: 4))
    #expect(hosts[0].all(HCIDisconnectionComplete.self).isEmpty)
  }

  @Test("events that always coincide take turns: each link gets every second one")
  func turns() throws {
    let stage = Stage()
    let (peripheral, centrals) = try collidingLinks(stage)
    // At most one packet in each interval of 30 ms; if every second event is missed, one in 60 ms.
    var limited = [0, 0]
    for _ in 0..<40 {
      for (number, central) in centrals.enumerated() {
        let handle = peripheral.connections[number].connectionHandle.rawValue
        if peripheral.completed(handle) == limited[number] {
          peripheral.sendData(handle, [UInt8(number)])
          limited[number] += 1
        }
        #expect(central.all(HCIDisconnectionComplete.self).isEmpty)
      }
      stage.run(.milliseconds(30))
      let missed = stage.air.links.values.map(\.peripheral.missedEvents)
      #expect(missed.allSatisfy { $0 <= 1 })
    }
    for central in centrals { #expect((10...25).contains(central.data.count)) }
    #expect(abs(centrals[0].data.count - centrals[1].data.count) <= 1)
  }

  @Test("advertising continues beside a permanently busy link, and hardly affects the link")
  func advertisingWhileConnected() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 24)
    let scanner = stage.add()
    try scanner.bringUp()
    try scanner.status(
      LESetScanParameters {
        $0.interval.rawValue = 0x10
        $0.window.rawValue = 0x10
      })
    try scanner.status(LESetScanEnable { $0.enable = true })
    try pair.peripheral.status(
      LESetAdvertisingParameters {
        $0.intervalMinimum.rawValue = 0xA0
        $0.intervalMaximum.rawValue = 0xA0
        $0.advertisingType = .nonConnectable
        $0.ownAddressType = .random
      })
    try pair.peripheral.status(LESetAdvertisingEnable { $0.enable = true })
    saturate(pair.peripheral, [pair.atPeripheral], stage, .seconds(2))
    // About 19 events, each on all three channels; the scanner listens on one of them.
    #expect((14...20).contains(scanner.all(LEAdvertisingReport.self).count))
    // Alone the link carries 44 packets an interval.
    #expect((2200...2900).contains(pair.central.data.count))
  }

  @Test("a scanner hears almost nothing while its links use the radio, and everything while they are idle")
  func scanningWhileConnected() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 24)
    let beacon = stage.add()
    try beacon.bringUp()
    try beacon.status(
      LESetAdvertisingParameters {
        $0.intervalMinimum.rawValue = 0xA0; $0.intervalMaximum.rawValue = 0xA0
      })
    try beacon.status(LESetAdvertisingEnable { $0.enable = true })
    try pair.central.status(
      LESetScanParameters {
        $0.interval.rawValue = 0x10
        $0.window.rawValue = 0x10
      })
    try pair.central.status(LESetScanEnable { $0.enable = true })
    stage.run(.seconds(5))
    let resting = pair.central.all(LEAdvertisingReport.self).count
    #expect(resting >= 40)
    saturate(pair.peripheral, [pair.atPeripheral], stage, .seconds(2))
    #expect(pair.central.all(LEAdvertisingReport.self).count - resting <= 4)
  }

  @Test("two coinciding advertising sets of one controller take turns")
  func sets() throws {
    let stage = Stage()
    let advertiser = stage.add()
    let scanner = stage.add()
    for host in stage.hosts { try host.bringUp() }
    for number in UInt8(0)..<2 {
      try advertiser.call(
        LESetExtendedAdvertisingParameters {
          $0.advertisingHandle = number
          $0.eventProperties = []
          $0.advertisingSID = number
          $0.primaryIntervalMinimum.rawValue = 0x20
          $0.primaryIntervalMaximum.rawValue = 0x20
        })
      try advertiser.status(
        LESetExtendedAdvertisingData {
          $0.advertisingHandle = number
          $0.operation = .complete
          $0.data = Array(repeating: number, count: 200)
        })
    }
    var track = ScanningPHYParameters()
    track.interval.rawValue = 0x10
    track.window.rawValue = 0x10
    try scanner.status(LESetExtendedScanParameters { $0.parameters = [track] })
    try scanner.status(LESetExtendedScanEnable { $0.enable = true })
    try advertiser.status(
      LESetExtendedAdvertisingEnable {
        $0.enable = true
        $0.sets = [AdvertisingSetActivation(advertisingHandle: 0), AdvertisingSetActivation(advertisingHandle: 1)]
      })
    let end = stage.air.now + .seconds(5)
    while let deadline = stage.air.nextDeadline, deadline < end {
      stage.air.advance(to: deadline)
      #expect(uses(of: advertiser) <= 1)
    }
    stage.collect()
    let reports = scanner.all(LEExtendedAdvertisingReport.self).flatMap(\.reports)
    for number in UInt8(0)..<2 { #expect(reports.filter { $0.advertisingSID == number }.count > 100) }
  }
}
