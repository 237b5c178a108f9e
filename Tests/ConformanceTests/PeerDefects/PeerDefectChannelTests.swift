import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Testing

/// Known mistakes of hosts with credit-based channels, one test each, through the whole host.
@Suite("Peer defects: channels")
struct PeerDefectChannelTests {
  @Test("An empty SDU is delivered, and the next one as well")
  func emptySDU() throws {
    let scene = try ChannelScene()
    try scene.open()
    try scene.central.send([0, 0], on: .first)
    try scene.central.send([1, 0, 7], on: .first)
    scene.simulation.run(for: .seconds(1))
    #expect(scene.sdus == [[], [7]])
  }

  static let violations: [([[UInt8]], ChannelViolation)] = [
    ([[101, 0, 1]], .sduTooLong(octets: 101)),
    ([[60, 0] + [UInt8](repeating: 1, count: 51)], .frameTooLong(octets: 51)),
    ([[60, 0, 1], [UInt8](repeating: 1, count: 51)], .frameTooLong(octets: 51)),
    ([[1]], .missingSDULength),
    ([[]], .missingSDULength),
    ([[2, 0, 1], [2, 3]], .sduOverflow),
  ]

  @Test("A frame that violates the protocol ends its channel, and the link stays", arguments: violations)
  func violation(_ frames: [[UInt8]], _ violation: ChannelViolation) throws {
    let scene = try ChannelScene()
    try scene.open()
    for frame in frames { try scene.central.send(frame, on: .first) }
    let request = try #require(scene.central.next(on: .signalling))
    #expect(request.hasPrefix("06") && request.hasSuffix("0400" + "5000" + "4000"))
    try scene.central.send("07" + request.dropFirst(2), on: .signalling)
    scene.simulation.run(for: .seconds(1))
    #expect(scene.closures == [.violation(violation)] && scene.sdus == [])
    try scene.central.exchange("0a 1200", "0b 74657874")
    #expect(scene.central.ends == [])
  }

  @Test("A frame without a credit ends the channel, and the link stays")
  func noCredit() throws {
    let scene = try ChannelScene()
    try scene.open()
    try scene.accessory.perform(.channel(.hold(try scene.link, .first, true)))
    for _ in 0..<5 { try scene.central.send([1, 0, 7], on: .first) }
    let request = try #require(scene.central.next(on: .signalling))
    #expect(request.hasPrefix("06"))
    try scene.central.send("07" + request.dropFirst(2), on: .signalling)
    scene.simulation.run(for: .seconds(1))
    #expect(scene.closures == [.violation(.noCredits)])
    try scene.central.exchange("0a 1200", "0b 74657874")
  }

  @Test("More than 65,535 credits end the channel, and the link stays")
  func creditOverflow() throws {
    let scene = try ChannelScene()
    try scene.open()
    try scene.central.send("16 02 0400 5000 fbff", on: .signalling)
    let request = try #require(scene.central.next(on: .signalling))
    #expect(request.hasPrefix("06"))
    try scene.central.send("07" + request.dropFirst(2), on: .signalling)
    scene.simulation.run(for: .seconds(1))
    #expect(scene.closures == [.violation(.creditOverflow)])
    try scene.central.exchange("0a 1200", "0b 74657874")
  }

  @Test("A central that mostly uses channels gets its ATT response at once, however full the link is")
  func attributesBesideChannels() throws {
    let scene = try ChannelScene()
    try scene.open(credits: 200)
    for _ in 0..<20 { try scene.send([UInt8](repeating: 1, count: 200)) }
    let begin = scene.simulation.now
    try scene.central.exchange("02 0502", "03 0502")
    #expect(scene.simulation.now - begin < .seconds(1))
    scene.simulation.run(for: .seconds(60))
    #expect(scene.central.ends == [] && scene.accessory.stack.linkStates.count == 1)
  }
}
