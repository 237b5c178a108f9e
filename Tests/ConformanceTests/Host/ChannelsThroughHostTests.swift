import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// The groups of L2CAP again, through the whole host and over the air; `BLEL2CAPTests` tests the layer alone.
/// The central's channel identifiers start at 0050, its MTU is 200 and its MPS 60.
@Suite("L2CAP through the whole host")
struct ChannelsThroughHostTests {
  static let signalling: [(sent: String, answer: String)] = [
    // A request of BR/EDR, a reserved code, and a request that only a central answers.
    ("0a 01 0200 0200", "01 01 0200 0000"), ("ff 02 0000", "01 02 0200 0000"),
    ("12 03 0800 0600 0600 0000 0a00", "01 03 0200 0000"),
    // PSMs that are not published, or that need security that the link does not have.
    ("14 04 0a00 8100 5000 c800 3c00 0500", "15 04 0a00 0000 0000 0000 0000 0200"),
    ("14 05 0a00 8200 5000 c800 3c00 0500", "15 05 0a00 0000 0000 0000 0000 0500"),
    ("14 06 0a00 8300 5000 c800 3c00 0500", "15 06 0a00 0000 0000 0000 0000 0600"),
    // A channel, and another one with the same source CID.
    ("14 07 0a00 8000 5000 c800 3c00 0500", "15 07 0a00 4000 6400 3200 0400 0000"),
    ("14 08 0a00 8000 5000 c800 3c00 0500", "15 08 0a00 0000 0000 0000 0000 0a00"),
    // A disconnection of a missing channel, and of an existing one.
    ("06 09 0400 4100 5100", "01 09 0600 0200 4100 5100"), ("06 0a 0400 4000 5000", "07 0a 0400 4000 5000"),
  ]

  private static let configuration: HostConfiguration = {
    var configuration = Specimen.configuration()
    let parameters = Specimen.channel.parameters
    configuration.channels += [
      PublishedChannel(
        psm: SPSM(rawValue: 0x82), parameters: parameters,
        requirement: AccessRequirement(protection: .authenticated)),
      PublishedChannel(
        psm: SPSM(rawValue: 0x83), parameters: parameters,
        requirement: AccessRequirement(needsAuthorization: true)),
    ]
    return configuration
  }()

  @Test("Transcript of the signalling channel")
  func transcript() throws {
    let scene = try RawScene(Self.configuration)
    for step in Self.signalling { try scene.central.exchange(step.sent, step.answer, on: .signalling) }
    try scene.central.exchange("0a 1200", "0b 74657874")
    #expect(scene.central.ends == [])
    #expect(scene.simulation.air.takeHostFaults(of: scene.accessory.controller) == [])
  }

  @Test("SDUs of one frame and of several arrive whole, and their credits come back")
  func receiving() throws {
    let scene = try ChannelScene()
    try scene.open()
    let long = [UInt8](0..<100)
    try scene.central.send([3, 0, 1, 2, 3], on: .first)
    try scene.central.send([100, 0] + long.prefix(48), on: .first)
    try scene.central.send(Array(long.dropFirst(48).prefix(50)), on: .first)
    try scene.central.send(Array(long.suffix(2)), on: .first)
    scene.simulation.run(for: .seconds(1))
    #expect(scene.sdus == [[1, 2, 3], long])
    #expect(scene.returnedCredits == 4)
  }

  @Test("SDUs are segmented for the central's MPS, and no more frames are sent than it gave credits for")
  func sending() throws {
    let scene = try ChannelScene()
    try scene.open(credits: 2)
    let sdu = [UInt8](0..<150)
    try scene.send(sdu)
    #expect(scene.central.next(on: .remote) == ([150, 0] + sdu.prefix(58)).hexadecimal)
    #expect(scene.central.next(on: .remote) == sdu.dropFirst(58).prefix(60).hexadecimal)
    #expect(scene.central.next(on: .remote) == nil)
    try scene.central.send("16 20 0400 5000 0100", on: .signalling)
    #expect(scene.central.next(on: .remote) == sdu.suffix(32).hexadecimal)
    #expect(throws: HostRequestError.sduTooLong(try scene.link, .first, limit: 200)) {
      try scene.send([UInt8](repeating: 0, count: 201))
    }
  }

  @Test("Two channels carry their own SDUs")
  func twoChannels() throws {
    let scene = try ChannelScene()
    try scene.open()
    try scene.central.exchange(
      "14 02 0a00 8000 5100 c800 3c00 0500", "15 02 0a00 4100 6400 3200 0400 0000", on: .signalling)
    try scene.central.send([4, 0, 1, 2], on: .first)
    try scene.central.send([2, 0, 8, 9], on: ChannelID(rawValue: 0x41))
    try scene.central.send([3, 4], on: .first)
    scene.simulation.run(for: .seconds(1))
    #expect(scene.sdus == [[8, 9], [1, 2, 3, 4]])
  }

  @Test("The accessory closes a channel, and the link stays")
  func closing() throws {
    let scene = try ChannelScene()
    try scene.open()
    try scene.accessory.perform(.channel(.close(try scene.link, .first)))
    let request = try #require(scene.central.next(on: .signalling))
    #expect(request.hasPrefix("06") && request.hasSuffix("0400" + "5000" + "4000"))
    try scene.central.send("07" + request.dropFirst(2), on: .signalling)
    scene.simulation.run(for: .seconds(1))
    #expect(scene.closures == [.local] && scene.accessory.stack.linkStates.first?.channels == [])
    try scene.central.exchange("0a 1200", "0b 74657874")
  }

  @Test(
    "L2CAP/LE/CID/BI-01-C: frames on channels that LE does not have are ignored",
    arguments: [0x0001, 0x0002, 0x0003, 0x0007, 0x0019, 0x003F, 0x0100, 0xFFFF] as [UInt16])
  func unsupportedCID(_ id: UInt16) throws {
    let scene = try RawScene()
    scene.simulation.run(for: .seconds(1))
    (scene.central.frames, scene.accessory.events) = ([], [])
    // Requests of protocols that would answer.
    for payload in ["0a 1200", "08 05 0100 aa", "14 06 0a00 8000 5000 c800 3c00 0500"] {
      try scene.central.send(payload, on: ChannelID(rawValue: id))
    }
    scene.simulation.run(for: .seconds(1))
    #expect(scene.central.frames.isEmpty && scene.accessory.events.allSatisfy { !$0.isOfData })
    try scene.central.exchange("0a 1200", "0b 74657874")
  }
}
