import BLECore
import BLECryptography
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Links between private devices")
struct PrivateLinkTests {
  let stage = Stage()

  @Test(
    "bonded devices that both change their addresses recognize each other", arguments: CommandFamily.allCases,
    [AddressType.random, .publicDevice])
  func meetAgain(family: CommandFamily, type: AddressType) throws {
    let peripheral = try PrivateDevice(stage, 1, family, type: type)
    let central = try PrivateDevice(stage, 2, family, type: type)
    for (device, peer) in [(peripheral, central), (central, peripheral)] {
      try device.know(peer)
      try device.setTimeout(seconds: 60)
    }
    var used: [DeviceAddress] = []
    for meeting in 0..<3 {
      try peripheral.advertise(peripheral.resolvableType, to: central.identity)
      // An identity may be given as an identity address, or as a device address.
      let peerType = meeting == 1 ? type.identityType : type
      #expect(
        try central.connect(central.resolvableType, to: peripheral.identity, peerType: peerType) == .success)
      try #require(stage.run { central.links.count == 1 && peripheral.links.count == 1 })
      let (atCentral, atPeripheral) = (central.links[0], peripheral.links[0])
      #expect(atCentral.peerAddressType == type.identityType)
      #expect(atCentral.peerAddress == peripheral.identity.address)
      #expect(atPeripheral.peerAddressType == type.identityType)
      #expect(atPeripheral.peerAddress == central.identity.address)
      #expect(central.made(atCentral.localResolvablePrivateAddress))
      #expect(peripheral.made(atPeripheral.localResolvablePrivateAddress))
      #expect(atCentral.peerResolvablePrivateAddress == atPeripheral.localResolvablePrivateAddress)
      #expect(atPeripheral.peerResolvablePrivateAddress == atCentral.localResolvablePrivateAddress)
      #expect(try central.peerAddress(of: peripheral).address == atCentral.peerResolvablePrivateAddress)
      #expect(try central.localAddress(for: peripheral) == atCentral.localResolvablePrivateAddress)
      used += [atCentral.localResolvablePrivateAddress, atPeripheral.localResolvablePrivateAddress]
      // There is no second connection to the same device, whatever its address.
      #expect(try central.connect(central.resolvableType, to: peripheral.identity) == .connectionAlreadyExists)
      try central.host.begin(
        HCIDisconnect {
          $0.connectionHandle = atCentral.connectionHandle
          $0.reason = .remoteUserTerminatedConnection
        })
      try #require(stage.run { !peripheral.host.all(HCIDisconnectionComplete.self).isEmpty })
      stage.run(.seconds(61))
      for device in [peripheral, central] { device.host.forget() }
    }
    #expect(Set(used).count == 6)
  }

  @Test(
    "nothing on the air contains the identity address of a private device", arguments: CommandFamily.allCases,
    [AddressType.random, .publicDevice])
  func nothingGivenAway(family: CommandFamily, type: AddressType) throws {
    let peripheral = try PrivateDevice(stage, 1, family, type: type)
    let central = try PrivateDevice(stage, 2, family, type: type)
    var packets: [AirPacket] = []
    stage.air.observer = { packets.append($0) }
    for (device, peer) in [(peripheral, central), (central, peripheral)] { try device.know(peer) }
    try central.accept(peripheral)
    try peripheral.advertise(peripheral.resolvableType, to: central.identity, notifies: true)
    try central.scan(central.resolvableType, isActive: true)
    stage.run(.milliseconds(200))
    try central.stopScanning()
    try peripheral.stopAdvertising()
    try peripheral.advertise(peripheral.resolvableType, to: central.identity, .legacyDirected)
    #expect(try central.connect(central.resolvableType, to: nil) == .success)
    try #require(stage.run { central.links.count == 1 && peripheral.links.count == 1 })
    #expect(!packets.isEmpty)
    for device in [peripheral, central] {
      let identity = device.identity.address.littleEndianOctets
      let sent = packets.filter { $0.sender == device.host.id && $0.direction == .advertising }
      #expect(!sent.isEmpty)
      for pdu in packets.map(\.pdu) {
        #expect(!(0..<max(1, pdu.count - 5)).contains { Array(pdu.dropFirst($0).prefix(6)) == identity })
      }
    }
  }

  @Test("addresses change during advertising; a scanner with the key sees one device, the others many")
  func advertisingGoesOn() throws {
    let advertiser = try PrivateDevice(stage, 1)
    let friend = try PrivateDevice(stage, 2)
    let stranger = try PrivateDevice(stage, 3)
    try advertiser.know(friend)
    try friend.know(advertiser)
    try advertiser.setTimeout(seconds: 30)
    try advertiser.advertise(advertiser.resolvableType, to: friend.identity)
    for device in [friend, stranger] { try device.scan(.publicDevice, filtersDuplicates: true) }
    stage.run(.seconds(299))
    #expect(friend.reports == [.init(type: .randomIdentity, address: advertiser.identity.address)])
    #expect(stranger.reports.count == 10)
    #expect(Set(stranger.reports).count == 10)
    #expect(stranger.reports.allSatisfy { $0.type == .random && advertiser.made($0.address) })
    #expect(try friend.peerAddress(of: advertiser).address == stranger.reports.last?.address)
  }

  @Test(
    "a controller without privacy reports the addresses unchanged, for its host to resolve",
    arguments: [ControllerConfiguration.zephyrExtended, .full])
  func softwareResolution(configuration: ControllerConfiguration) throws {
    let peripheral = try PrivateDevice(stage, 1)
    let central = try PrivateDevice(stage, 2, configuration: configuration)
    try peripheral.know(central)
    try peripheral.advertise(peripheral.resolvableType, to: central.identity)
    try central.scan(.random)
    try #require(stage.run { !central.reports.isEmpty })
    let report = central.reports[0]
    #expect(report.type == .random && peripheral.made(report.address))
    try central.stopScanning()

    let device = ListedDevice(type: .random, address: report.address)
    // The peripheral does not expect the central's identity address from a private peer.
    #expect(try central.connect(.random, to: device) == .success)
    stage.run(.seconds(1))
    #expect(peripheral.links.isEmpty)
    stage.run(.seconds(5))
    // The central's host generates its own address.
    var random = SplitMix64(seed: 5)
    let own = try #require(IdentityResolvingKey(central.key)).makeAddress(random: &random)
    central.host.forget()
    try #require(try central.host.status(LESetRandomAddress { $0.address = own }) == .success)
    #expect(try central.connect(.random, to: device) == .success)
    try #require(stage.run { peripheral.links.count == 1 })
    #expect(central.links[0].peerAddressType == .random)
    #expect(central.links[0].peerAddress == report.address)
    #expect(central.links[0].peerResolvablePrivateAddress == .zero)
    #expect(central.links[0].localResolvablePrivateAddress == .zero)
    #expect(peripheral.links[0].peerAddressType == .randomIdentity)
    #expect(peripheral.links[0].peerAddress == central.identity.address)
    #expect(peripheral.links[0].peerResolvablePrivateAddress == own)
  }

  @Test("a host that wants only the older event gets the identity as a device address")
  func olderEvent() throws {
    let peripheral = try PrivateDevice(stage, 1)
    let central = try PrivateDevice(stage, 2)
    try peripheral.know(central)
    try central.know(peripheral)
    try central.host.status(LESetEventMask { $0.eventMask = .specificationDefault })
    try peripheral.advertise(peripheral.resolvableType, to: central.identity)
    #expect(try central.connect(central.resolvableType, to: peripheral.identity) == .success)
    try #require(stage.run { !central.host.all(LEConnectionComplete.self).isEmpty })
    let event = central.host.all(LEConnectionComplete.self)[0]
    #expect(event.peerAddressType == .random && event.peerAddress == peripheral.identity.address)
  }

  @Test(
    "without a key on this side, the identity address is used, and reported as not resolvable",
    arguments: CommandFamily.allCases, [AddressType.random, .publicDevice])
  func fallback(family: CommandFamily, type: AddressType) throws {
    let peripheral = try PrivateDevice(stage, 1, family, type: type)
    let central = try PrivateDevice(stage, 2, family, type: type)
    try peripheral.know(central, mode: .device, hasOwnKey: false)
    try peripheral.advertise(peripheral.resolvableType, to: central.identity)
    #expect(try central.connect(central.resolvableType, to: peripheral.identity) == .success)
    try #require(stage.run { peripheral.links.count == 1 })
    #expect(central.links[0].peerAddressType == type)
    #expect(central.links[0].peerAddress == peripheral.identity.address)
    #expect(central.links[0].localResolvablePrivateAddress == .zero)
    #expect(peripheral.links[0].peerAddressType == type)
    #expect(peripheral.links[0].peerAddress == central.identity.address)
    #expect(peripheral.links[0].localResolvablePrivateAddress == .zero)
    #expect(peripheral.links[0].peerResolvablePrivateAddress == .zero)
  }

  // MARK: Directed advertising

  @Test("directed advertising uses an address generated with the peer's key, and only the peer answers")
  func directed() throws {
    let peripheral = try PrivateDevice(stage, 1)
    let central = try PrivateDevice(stage, 2)
    let other = try PrivateDevice(stage, 3)
    let bystander = try PrivateDevice(stage, 4)
    try peripheral.know(central)
    try central.know(peripheral)
    try other.know(peripheral)
    try bystander.scan(.random, .allAndUnresolvedDirected)
    try peripheral.advertise(peripheral.resolvableType, to: central.identity, .legacyDirected)
    #expect(try other.connect(other.resolvableType, to: peripheral.identity) == .success)
    stage.run(.seconds(2))
    #expect(other.links.isEmpty && peripheral.links.isEmpty)
    let heard = bystander.host.all(LEDirectedAdvertisingReport.self).flatMap(\.reports)
    #expect(!heard.isEmpty)
    #expect(heard.allSatisfy { peripheral.made($0.address) && central.made($0.directAddress) })
    #expect(heard.allSatisfy { $0.addressType == .random && $0.directAddressType == .random })
    #expect(try central.connect(central.resolvableType, to: peripheral.identity) == .success)
    try #require(stage.run { peripheral.links.count == 1 })
    #expect(peripheral.links[0].peerAddress == central.identity.address)
    #expect(central.links[0].peerAddress == peripheral.identity.address)
  }

  @Test("an initiator that is private to the peer does not answer to its identity address; one that is not does")
  func directedToIdentity() throws {
    for isPrivate in [true, false] {
      let stage = Stage()
      let peripheral = try PrivateDevice(stage, 1)
      let central = try PrivateDevice(stage, 2)
      try central.know(peripheral, mode: .device)
      // The peripheral's list is empty, so both addresses are the identities.
      try peripheral.advertise(peripheral.resolvableType, to: central.identity, .legacyDirected)
      let type = isPrivate ? central.resolvableType : central.identityType
      #expect(try central.connect(type, to: peripheral.identity) == .success)
      #expect(stage.run(until: .seconds(2)) { !central.links.isEmpty } == !isPrivate)
      #expect(peripheral.links.isEmpty == isPrivate)
    }
  }
}
