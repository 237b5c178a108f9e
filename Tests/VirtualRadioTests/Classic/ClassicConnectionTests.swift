import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Connections of BR/EDR")
struct ClassicConnectionTests {
  @Test("a page leads to a request with the class of the device, and to a link at both ends")
  func connects() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    try first.status(HCIWriteClassOfDevice { $0.classOfDevice = ClassOfDevice(rawValue: 0x24_0418) })
    let pair = try stage.connectClassic(first, second)
    let request = try second.last(HCIConnectionRequest.self)
    #expect(request.address == pair.firstAddress)
    #expect(request.classOfDevice.rawValue == 0x24_0418)
    #expect(request.linkType == .acl)
    for (host, peer) in [(first, pair.secondAddress), (second, pair.firstAddress)] {
      let complete = try host.last(HCIConnectionComplete.self)
      #expect(complete.status == .success && complete.address == peer && complete.linkType == .acl)
      #expect(!complete.isEncrypted)
      #expect(try host.last(HCIMaxSlotsChange.self).maximumSlots == 5)
    }
    #expect(try first.call(HCIRoleDiscovery { $0.connectionHandle = pair.atFirst }).role == .central)
    #expect(try second.call(HCIRoleDiscovery { $0.connectionHandle = pair.atSecond }).role == .peripheral)
    #expect(stage.air.connectionCount(of: first.id) == 1)
  }

  @Test("the accepting host becomes the central if the other allows it", arguments: [true, false])
  func switchesAtAcceptance(isAllowed: Bool) throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    let (firstAddress, secondAddress) = (try first.address, try second.address)
    try first.begin(
      HCICreateConnection {
        $0.address = secondAddress
        $0.allowsRoleSwitch = isAllowed
      })
    #expect(stage.run { !second.all(HCIConnectionRequest.self).isEmpty })
    try second.begin(
      HCIAcceptConnectionRequest {
        $0.address = firstAddress
        $0.role = .central
      })
    #expect(stage.run { !first.all(HCIConnectionComplete.self).isEmpty })
    let handle = try second.last(HCIConnectionComplete.self).connectionHandle
    #expect(
      try second.call(HCIRoleDiscovery { $0.connectionHandle = handle }).role == (isAllowed ? .central : .peripheral))
    #expect(first.all(HCIRoleChange.self).map(\.role) == (isAllowed ? [.peripheral] : []))
    #expect(second.all(HCIRoleChange.self).map(\.role) == (isAllowed ? [.central] : []))
  }

  @Test("nobody answers: Page Timeout after the page timeout")
  func pageTimeout() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    try second.status(HCIWriteScanEnable { $0.scans = [.inquiry] })
    try first.status(HCIWritePageTimeout { $0.timeout.rawValue = 1600 })
    let start = stage.air.now
    let address = try second.address
    try first.begin(HCICreateConnection { $0.address = address })
    #expect(stage.run { !first.all(HCIConnectionComplete.self).isEmpty })
    #expect(stage.air.now == start + .seconds(1))
    let complete = try first.last(HCIConnectionComplete.self)
    #expect(complete.status == .pageTimeout && complete.address == address)
    #expect(second.all(HCIConnectionRequest.self).isEmpty)
  }

  @Test(
    "the reason of a rejection reaches both hosts",
    arguments: [
      ErrorCode.connectionRejectedLimitedResources, .connectionRejectedSecurityReasons,
      .connectionRejectedUnacceptableAddress,
    ])
  func rejects(reason: ErrorCode) throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    let (firstAddress, secondAddress) = (try first.address, try second.address)
    try first.begin(HCICreateConnection { $0.address = secondAddress })
    #expect(stage.run { !second.all(HCIConnectionRequest.self).isEmpty })
    #expect(
      try second.begin(
        HCIRejectConnectionRequest {
          $0.address = firstAddress
          $0.reason = .remoteUserTerminatedConnection
        }) == .invalidHCICommandParameters)
    #expect(
      try second.begin(
        HCIRejectConnectionRequest {
          $0.address = firstAddress
          $0.reason = reason
        }) == .success)
    #expect(stage.run { !first.all(HCIConnectionComplete.self).isEmpty })
    for host in [first, second] { #expect(host.all(HCIConnectionComplete.self).map(\.status) == [reason]) }
    #expect(stage.air.classicLinks.isEmpty)
  }

  @Test("a host that does not answer: Connection Accept Timeout at both ends")
  func acceptTimeout() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    try second.status(HCIWriteConnectionAcceptTimeout { $0.timeout.rawValue = 3200 })
    let address = try second.address
    try first.begin(HCICreateConnection { $0.address = address })
    #expect(stage.run { !second.all(HCIConnectionRequest.self).isEmpty })
    let asked = stage.air.now
    #expect(stage.run { !first.all(HCIConnectionComplete.self).isEmpty })
    #expect(second.timed(HCIConnectionComplete.self).map(\.at) == [asked + .seconds(2)])
    for host in [first, second] {
      #expect(host.all(HCIConnectionComplete.self).map(\.status) == [.connectionAcceptTimeoutExceeded])
    }
    let late = try second.begin(HCIAcceptConnectionRequest { $0.address = (try? first.address) ?? .zero })
    #expect(late == .unknownConnectionIdentifier)
  }

  @Test("a second connection to the same device is refused")
  func twice() throws {
    let pair = try Stage().classicPair()
    #expect(try pair.first.begin(HCICreateConnection { $0.address = pair.secondAddress }) == .connectionAlreadyExists)
    #expect(
      try pair.first.status(HCICreateConnectionCancel { $0.address = pair.secondAddress }) == .connectionAlreadyExists)
  }

  @Test("a controller without room refuses with Limited Resources; its own attempts with Connection Limit Exceeded")
  func limits() throws {
    var small = ControllerConfiguration.dual
    small.classic?.maximumLinks = 1
    let stage = Stage()
    let (first, second) = try stage.classicHosts(.dual, small)
    let third = stage.add()
    let fourth = stage.add(.dual)
    try fourth.bringUpClassic()
    _ = third
    _ = try stage.connectClassic(first, second)
    let (target, other) = (try second.address, try fourth.address)
    try fourth.begin(HCICreateConnection { $0.address = target })
    #expect(stage.run { !fourth.all(HCIConnectionComplete.self).isEmpty })
    #expect(fourth.all(HCIConnectionComplete.self).map(\.status) == [.connectionRejectedLimitedResources])
    #expect(second.all(HCIConnectionRequest.self).count == 1)
    #expect(try second.begin(HCICreateConnection { $0.address = other }) == .connectionLimitExceeded)
  }

  @Test("a connection can be cancelled while the device is paged, and while its host is asked")
  func cancels() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    let address = try second.address
    #expect(try first.status(HCICreateConnectionCancel { $0.address = address }) == .unknownConnectionIdentifier)
    try second.status(HCIWriteScanEnable { $0.scans = [] })
    try first.begin(HCICreateConnection { $0.address = address })
    #expect(try first.status(HCICreateConnectionCancel { $0.address = address }) == .success)
    #expect(first.all(HCIConnectionComplete.self).map(\.status) == [.unknownConnectionIdentifier])

    try second.status(HCIWriteScanEnable { $0.scans = .page })
    first.forget()
    try first.begin(HCICreateConnection { $0.address = address })
    #expect(stage.run { !second.all(HCIConnectionRequest.self).isEmpty })
    #expect(try first.status(HCICreateConnectionCancel { $0.address = address }) == .success)
    stage.run(.seconds(1))
    #expect(first.all(HCIConnectionComplete.self).map(\.status) == [.unknownConnectionIdentifier])
    #expect(second.all(HCIConnectionComplete.self).map(\.status) == [.remoteUserTerminatedConnection])
    #expect(stage.air.classicLinks.isEmpty)
  }

  @Test("an event filter accepts a connection without asking the host", arguments: [LinkRole.peripheral, .central])
  func acceptsByFilter(role: LinkRole) throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    let address = try second.address
    #expect(
      try second.status(
        HCISetEventFilter {
          $0.type = .connectionSetup
          $0.condition = [0, role == .central ? 3 : 2]
        }) == .success)
    try first.begin(
      HCICreateConnection {
        $0.address = address
        $0.allowsRoleSwitch = true
      })
    #expect(stage.run { !first.all(HCIConnectionComplete.self).isEmpty })
    #expect(second.all(HCIConnectionRequest.self).isEmpty)
    #expect(second.all(HCIConnectionComplete.self).map(\.status) == [.success])
    #expect(second.all(HCIRoleChange.self).map(\.role) == (role == .central ? [.central] : []))
  }

  @Test("Disconnect ends the link at both ends, with the reason at the peer", arguments: [true, false])
  func disconnects(byFirst: Bool) throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    let (host, peer) = byFirst ? (pair.first, pair.second) : (pair.second, pair.first)
    let handle = byFirst ? pair.atFirst : pair.atSecond
    let disconnect = HCIDisconnect {
      $0.connectionHandle = handle
      $0.reason = .remoteDeviceTerminatedPowerOff
    }
    #expect(try host.begin(disconnect) == .success)
    #expect(try host.begin(disconnect) == .commandDisallowed)
    #expect(stage.run { !host.all(HCIDisconnectionComplete.self).isEmpty })
    #expect(host.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTerminatedByLocalHost])
    #expect(peer.all(HCIDisconnectionComplete.self).map(\.reason) == [.remoteDeviceTerminatedPowerOff])
    #expect(try host.begin(disconnect) == .unknownConnectionIdentifier)
    #expect(stage.air.classicLinks.isEmpty)
  }

  @Test("out of range, both ends lose the link after the supervision timeout of the central")
  func supervision() throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    let write = { handle in
      HCIWriteLinkSupervisionTimeout {
        $0.connectionHandle = handle
        $0.timeout.rawValue = 3200
      }
    }
    #expect(try pair.second.status(write(pair.atSecond)) == .commandDisallowed)
    #expect(try pair.first.status(write(pair.atFirst)) == .success)
    stage.run(.seconds(100))
    #expect(try pair.second.last(HCILinkSupervisionTimeoutChanged.self).timeout.rawValue == 3200)
    #expect(
      try pair.second.call(HCIReadLinkSupervisionTimeout { $0.connectionHandle = pair.atSecond }).timeout.rawValue
        == 3200)
    let start = stage.air.now
    stage.air.setReachable(pair.first.id, pair.second.id, false)
    stage.run(.seconds(5))
    for host in [pair.first, pair.second] {
      #expect(host.timed(HCIDisconnectionComplete.self).map(\.at) == [start + .seconds(2)])
      #expect(host.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
    }
    #expect(stage.air.classicLinks.isEmpty)
  }

  @Test("a link to a peer that has gone ends six polls after the host has asked for it")
  func endsWithoutPeer() throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    stage.run(.seconds(5))
    stage.air.removeController(pair.second.id)
    let start = stage.air.now
    try pair.first.begin(
      HCIDisconnect {
        $0.connectionHandle = pair.atFirst
        $0.reason = .remoteUserTerminatedConnection
      })
    stage.run(.seconds(1))
    #expect(pair.first.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTerminatedByLocalHost])
    let time = try #require(pair.first.timed(HCIDisconnectionComplete.self).first).at - start
    #expect((.milliseconds(150) ... .milliseconds(155)).contains(time))
    #expect(stage.air.classicLinks.isEmpty)
  }

  @Test("a controller that is unplugged, hangs or is reset is missed by its peer", arguments: 0..<3)
  func disappears(how: Int) throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    stage.run(.seconds(50))
    let start = stage.air.now
    switch how {
    case 0: stage.air.removeController(pair.second.id)
    case 1: stage.air.setImpairment(ControllerImpairment(isHung: true), of: pair.second.id)
    default: try pair.second.status(HCIReset())
    }
    stage.run(.seconds(30))
    #expect(pair.first.timed(HCIDisconnectionComplete.self).map(\.at) == [start + .seconds(20)])
    #expect(pair.first.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
  }

  @Test(
    "both devices page each other: one link, and the other attempt ends with Connection Already Exists",
    arguments: UInt64(0)..<8, [Duration.zero, .seconds(4)])
  func crossing(seed: UInt64, hesitation: Duration) throws {
    let stage = Stage(seed: seed)
    let (first, second) = try stage.classicHosts()
    let (firstAddress, secondAddress) = (try first.address, try second.address)
    try first.begin(HCICreateConnection { $0.address = secondAddress })
    try second.begin(HCICreateConnection { $0.address = firstAddress })
    let asked = { [first, second].filter { !$0.all(HCIConnectionRequest.self).isEmpty } }
    #expect(stage.run { !asked().isEmpty })
    stage.run(hesitation)
    #expect(asked().count == 1)
    for host in asked() {
      try host.begin(HCIAcceptConnectionRequest { $0.address = host === first ? secondAddress : firstAddress })
    }
    stage.run(.seconds(10))
    #expect(stage.air.classicLinks.count == 1)
    for host in [first, second] {
      #expect(host.all(HCIConnectionComplete.self).count { $0.status == .success } == 1)
    }
    let failures = [first, second].flatMap { $0.all(HCIConnectionComplete.self).map(\.status) }
    #expect(failures.filter { $0 != .success } == [.connectionAlreadyExists])
  }
}
