import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Links of BR/EDR: information, roles and modes")
struct ClassicLinkTests {
  @Test("features, version and clock offset of the peer")
  func information() throws {
    let stage = Stage()
    let pair = try stage.classicPair(.dual, .rootcanal)
    let (first, handle) = (pair.first, pair.atFirst)
    let features = HCIReadRemoteSupportedFeatures { $0.connectionHandle = handle }
    #expect(try first.begin(features) == .success)
    #expect(try first.begin(features) == .commandDisallowed)
    for page in UInt8(0)...3 {
      try first.begin(
        HCIReadRemoteExtendedFeatures {
          $0.connectionHandle = handle
          $0.page = page
        })
    }
    try first.begin(HCIReadRemoteVersionInformation { $0.connectionHandle = handle })
    try first.begin(HCIReadClockOffset { $0.connectionHandle = handle })
    try pair.second.begin(HCIReadClockOffset { $0.connectionHandle = pair.atSecond })
    stage.run(.seconds(1))
    let first0 = try first.last(HCIReadRemoteSupportedFeaturesComplete.self).features
    #expect(first0.pageZero.isSuperset(of: [.secureSimplePairing, .extendedFeatures, .enhancedDataRate3M]))
    #expect(!first0.pageZero.contains(.brEDRNotSupported))
    let pages = first.all(HCIReadRemoteExtendedFeaturesComplete.self)
    #expect(pages.map(\.page) == [0, 1, 2, 3] && pages.allSatisfy { $0.lastPage == 2 && $0.status == .success })
    #expect(pages[0].features == first0 && pages[3].features.rawValue == 0)
    #expect(pages[1].features.host == [.secureSimplePairing, .leSupported, .secureConnections])
    let version = try first.last(HCIReadRemoteVersionInformationComplete.self)
    #expect(version.version == .v5_3 && version.manufacturer == .google)
    // The sum of both offsets is a whole turn of the clock.
    let offsets = [first, pair.second].compactMap { $0.all(HCIReadClockOffsetComplete.self).last?.clockOffset.rawValue }
    #expect(offsets.count == 2 && [0, 0x7FFF, 0x8000].contains(offsets[0] + offsets[1]))
  }

  @Test("the host's support shows in page 1 of the own features")
  func hostFeatures() throws {
    let host = Stage().add(.dual)
    try host.bringUp()
    func page1() throws -> LMPHostFeatures {
      try host.call(HCIReadLocalExtendedFeatures { $0.page = 1 }).features.host
    }
    #expect(try page1() == [])
    try host.status(HCIWriteSimplePairingMode { $0.isEnabled = true })
    #expect(try page1() == .secureSimplePairing)
    try host.status(HCIWriteLEHostSupport { $0.leSupported = true })
    try host.status(HCIWriteSecureConnectionsHostSupport { $0.isEnabled = true })
    #expect(try page1() == [.secureSimplePairing, .leSupported, .secureConnections])
    #expect(try host.call(HCIReadLEHostSupport()).leSupported)
    #expect(try host.status(HCIReadLocalExtendedFeatures { $0.page = 3 }) == .invalidHCICommandParameters)
    try host.status(HCIReset())
    #expect(try page1() == [])
    #expect(!(try host.call(HCIReadLocalSupportedFeatures()).features.contains(.brEDRNotSupported)))
  }

  @Test("roles are exchanged if the peer's policy allows it", arguments: [true, false])
  func switchesRole(isAllowed: Bool) throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    if !isAllowed { try pair.second.status(HCIWriteLinkPolicySettings { $0.connectionHandle = pair.atSecond }) }
    let change = HCISwitchRole {
      $0.address = pair.secondAddress
      $0.role = .peripheral
    }
    #expect(try pair.first.begin(change) == .success)
    stage.run(.milliseconds(100))
    let atFirst = try pair.first.last(HCIRoleChange.self)
    #expect(atFirst.status == (isAllowed ? .success : .roleChangeNotAllowed))
    #expect(atFirst.role == (isAllowed ? .peripheral : .central))
    #expect(pair.second.all(HCIRoleChange.self).map(\.role) == (isAllowed ? [.central] : []))
    // Data and supervision go on.
    pair.first.sendData(pair.atFirst.rawValue, [1, 2, 3])
    pair.second.sendData(pair.atSecond.rawValue, [4, 5])
    stage.run(.seconds(60))
    #expect(pair.second.data.map(\.octets) == [[1, 2, 3]] && pair.first.data.map(\.octets) == [[4, 5]])
    let stranger = HCISwitchRole { $0.address = .zero }
    #expect(try pair.first.begin(stranger) == .unknownConnectionIdentifier)
  }

  @Test("in Sniff Mode data waits for the anchor points", arguments: [true, false])
  func sniffs(isAllowed: Bool) throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    if !isAllowed { try pair.second.status(HCIWriteLinkPolicySettings { $0.connectionHandle = pair.atSecond }) }
    let sleep = HCISniffMode {
      $0.connectionHandle = pair.atFirst
      $0.maximumInterval.rawValue = 800
      $0.minimumInterval.rawValue = 400
    }
    let wake = HCIExitSniffMode { $0.connectionHandle = pair.atFirst }
    #expect(try pair.first.begin(wake) == .commandDisallowed)
    #expect(try pair.first.begin(sleep) == .success)
    stage.run(.milliseconds(100))
    let change = try pair.first.last(HCIModeChange.self)
    guard isAllowed else {
      #expect(change.status == .lmpPDUNotAllowed && change.mode == .active)
      return #expect(pair.second.all(HCIModeChange.self).isEmpty)
    }
    for host in [pair.first, pair.second] {
      let change = try host.last(HCIModeChange.self)
      #expect(change.mode == .sniff && change.interval.rawValue == 800)
    }
    #expect(try pair.first.begin(sleep) == .commandDisallowed)
    stage.run(.seconds(60))
    var delays: [Duration] = []
    for number in 0..<16 {
      let start = stage.air.now
      let (host, peer) = number % 2 == 0 ? (pair.first, pair.second) : (pair.second, pair.first)
      let handle = number % 2 == 0 ? pair.atFirst : pair.atSecond
      for host in [host, peer] { host.forget() }
      host.sendData(handle.rawValue, [1])
      #expect(stage.run { !peer.data.isEmpty })
      delays.append(stage.air.now - start)
      stage.run(.milliseconds(370))
    }
    #expect(delays.allSatisfy { $0 <= .milliseconds(503) } && delays.contains { $0 > .milliseconds(100) })
    #expect(try pair.second.begin(HCIExitSniffMode { $0.connectionHandle = pair.atSecond }) == .success)
    stage.run(.seconds(1))
    for host in [pair.first, pair.second] { #expect(try host.last(HCIModeChange.self).mode == .active) }
  }

  @Test("sniff subrating is reported at both ends while the link sleeps")
  func subrating() throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    try pair.first.begin(HCISniffMode { $0.connectionHandle = pair.atFirst })
    stage.run(.milliseconds(100))
    let command = HCISniffSubrating {
      $0.connectionHandle = pair.atFirst
      $0.maximumLatency.rawValue = 1600
    }
    #expect(try pair.first.status(command) == .success)
    stage.run(.seconds(2))
    for host in [pair.first, pair.second] {
      #expect(host.all(HCISniffSubratingEvent.self).map(\.maximumTxLatency.rawValue) == [1600])
    }
  }

  @Test(
    "what is read of a link: the signal strength relative to the range that a receiver aims at, and more",
    arguments: [-90, -60, -50, -40, -30])
  func strength(dBm: Int) throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    stage.air.setSignalStrength(from: pair.second.id, to: pair.first.id, dBm: Int8(dBm))
    let expected: Int8 = [-90: -30, -30: 10][dBm] ?? 0
    #expect(try pair.first.call(HCIReadRSSI { $0.connectionHandle = pair.atFirst }).rssi == expected)
    let timeout = HCIReadAuthenticatedPayloadTimeout { $0.connectionHandle = pair.atFirst }
    #expect(try pair.first.call(timeout).timeout == .specificationDefault)
    try pair.first.status(
      HCIWriteAuthenticatedPayloadTimeout {
        $0.connectionHandle = pair.atFirst
        $0.timeout.rawValue = 5
      })
    #expect(try pair.first.call(timeout).timeout.rawValue == 5)
    let quality = try pair.first.call(HCIReadLinkQuality { $0.connectionHandle = pair.atFirst }).quality
    #expect(quality == 255)
  }

  @Test("LE and BR/EDR at once: handles differ, and each link ends on its own")
  func both() throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    try pair.second.status(LESetAdvertisingEnable { $0.enable = true })
    try pair.first.begin(
      LECreateConnection {
        $0.peerAddress = pair.secondAddress
        $0.scanInterval.rawValue = 0x10
        $0.scanWindow.rawValue = 0x10
        $0.intervalMinimum.rawValue = 24
        $0.intervalMaximum.rawValue = 24
        $0.supervisionTimeout.rawValue = 100
      })
    #expect(stage.run { !pair.first.connections.isEmpty && !pair.second.connections.isEmpty })
    let le = pair.first.connections[0].connectionHandle
    #expect(le != pair.atFirst)
    #expect(stage.air.connectionCount(of: pair.first.id) == 2)
    pair.first.sendData(le.rawValue, [1])
    pair.first.sendData(pair.atFirst.rawValue, [2, 2])
    stage.run(.seconds(1))
    #expect(Set(pair.second.data.map(\.octets)) == [[1], [2, 2]])
    try pair.first.begin(HCIDisconnect { $0.connectionHandle = le })
    stage.run(.seconds(1))
    #expect(pair.first.all(HCIDisconnectionComplete.self).map(\.connectionHandle) == [le])
    let snapshot = try #require(stage.air.snapshot(of: pair.first.id))
    #expect(snapshot.connections.isEmpty && snapshot.classicConnections.map(\.handle) == [pair.atFirst])
  }
}
