import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESDP
import BLESMP
import PeripheralHost
import Simulation
import Testing
import UnderstudyTesting
import VirtualRadio

@testable import Swarm

/// Peers over BR/EDR, and the judges of BR/EDR in made-up situations.
@Suite("The swarm's peers over BR/EDR")
struct PeerTests {
  private static let profile = """
    understudy: 1
    name: Both
    transports: [le, br-edr]
    security: { pairing: compare, keys: { distributed: [encryption, identity, link], wanted: [encryption, identity, link] } }
    services:
      - uuid: FFF0
        id: main
        characteristics:
          - { id: level, uuid: FFE0, properties: [read, write, notify], format: u8, value: 5 }

    """

  /// Returns the number of the profile's characteristic.
  private func level() throws -> Int {
    let profile = try Profile.load(swarm: Self.profile)
    let host = try #require(WriteDrawing.host(of: profile))
    return try #require(host.server.database.characteristics.firstIndex { $0.definition.id == "level" })
  }

  private func plan(
    _ acts: [PeerAct], by kind: PeerKind = .phone, preset: String = "dual", profile: String = profile
  ) -> SwarmPlan {
    let duration = Duration.seconds(Int64(4 * acts.count + 4))
    var plan = SwarmPlan(seed: 3, profile: profile, preset: preset, duration: duration)
    plan.peers = [.init(kind, acts.map { .init(after: .seconds(4), $0) })]
    return plan
  }

  /// Runs a plan on a stage, without judges.
  private func staged(_ plan: SwarmPlan, _ look: (SwarmStage, [HostEvent]) -> Void = { _, _ in }) throws -> SwarmStage {
    let stage = try SwarmStage(plan)
    let end = stage.simulation.now + plan.duration
    while stage.simulation.now < end {
      stage.step(until: end)
      look(stage, stage.takeFresh())
    }
    return stage
  }

  // MARK: - Plans

  @Test("An act is unchanged after writing and reading")
  func actText() {
    let acts: [PeerAct] = [
      .inquire, .askName, .connect, .disconnect, .vanish(.milliseconds(1500)), .authenticate, .encrypt(true),
      .encrypt(false), .answer(.late), .become(.headset), .forgetKey, .open(31, mtu: 48), .close(1),
      .query(.search, 1, octets: 7),
      .query(.attributes, 2, octets: 30), .query(.browse, 0, octets: 65535), .exchangeMTU, .discover, .read(3),
      .write(3, [1, 2]), .writeCommand(4, []), .subscribe(0, toIndications: true), .subscribe(1, toIndications: false),
      .unsubscribe(0), .derive, .sdu(1, [2]), .raw(channel: 7, [1]), .pdu([0, 1, 2]),
    ]
    for act in acts { #expect(PeerAct(text: act.text) == act) }
    #expect(Set(acts.map(\.word)).count == 27)
    for text in ["", "read", "answer", "answer never", "become nobody", "jump 3"] {
      #expect(PeerAct(text: text) == nil)
    }
  }

  @Test("A plan with peers is unchanged after writing and reading, and without peers it has no key for them")
  func planText() throws {
    var plan = self.plan([.connect, .open(31, mtu: 48)])
    plan.centrals = [.init(.phone)]
    plan.peers[0].central = 0
    #expect(try SwarmPlan(text: plan.text) == plan)
    plan.peers = []
    #expect(!plan.text.contains("peers"))
  }

  @Test("Only profiles with BR/EDR get peers, and every act and kind of peer is drawn")
  func drawing() throws {
    var (words, kinds, transports) = (Set<String>(), Set<PeerKind>(), 0)
    for seed in 1...300 as ClosedRange<UInt64> {
      let plan = SwarmRunTests.plan(seed)
      guard !plan.peers.isEmpty else { continue }
      transports += 1
      #expect(ControllerConfiguration.named(plan.preset)?.classic != nil)
      #expect(try Profile.load(swarm: plan.profile).classic != nil)
      words.formUnion(plan.peers.flatMap { $0.steps.map(\.act.word) })
      kinds.formUnion(plan.peers.map(\.kind))
    }
    #expect(transports > 40)
    #expect(words.count == 27)
    #expect(kinds == Set(PeerKind.allCases))
  }

  @Test("An accessory that needs BR/EDR does not start on a controller without it")
  func absent() {
    let plan = self.plan([], preset: "full")
    let error = #expect(throws: SimulationFailure.self) { try SwarmRun(plan) }
    guard case .controllerFailed(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason == "\(ControllerFailure.noClassic)")
  }

  @Test("A plan with peers shrinks to the steps that a failure needs")
  func shrinking() {
    let plan = self.plan([.connect, .authenticate, .read(1), .disconnect])
    let smallest = plan.shrunk(attempts: 500) { $0.peers.first?.steps.contains { $0.act == .read(1) } ?? false }
    #expect(smallest.peers.first?.steps.map(\.act) == [.read(1)])
    #expect(smallest.preset == "dual")
  }

  // MARK: - Visits

  @Test("A peer finds, pairs, asks for records and keys, uses the database, and comes back with its key")
  func visit() throws {
    let level = try level()
    let acts: [PeerAct] = [
      .inquire, .connect, .open(1, mtu: 48), .query(.search, 0, octets: 12), .query(.attributes, 1, octets: 7),
      .query(.browse, 0, octets: 30), .open(0x1F, mtu: 100), .discover, .write(level, [9]), .read(level), .derive,
      .disconnect,
      .connect, .authenticate,
    ]
    let plan = self.plan(acts)
    var (answers, reads) = ([DiscoveryExchange.Answer](), [Answered]())
    let stage = try staged(plan) { stage, _ in
      answers += stage.peers[0].discovery.answers
      reads += stage.peers[0].answered
      stage.peers[0].forgetAnswers()
    }
    #expect(answers.count == 3)
    for answer in answers { #expect(throws: Never.self) { try answer.answer.get() } }
    #expect(reads.map(\.result) == [.value([]), .value([9])])
    let bond = try #require(stage.accessory.simulated.stack.bonds.first?.bond)
    #expect(bond.linkKey != nil && bond.keyAsPeripheral != nil)
    #expect(stage.accessory.simulated.stack.linkStates.map(\.security.protection) == [.secureConnections])
    #expect(try SwarmRun(plan).findings.map(\.message) == [])
  }

  @Test("Passkeys are typed at either side", arguments: [(PeerKind.keyboard, "display"), (.display, "keyboard")])
  func passkeys(kind: PeerKind, pairing: String) throws {
    let profile = Self.profile.replacing("compare", with: pairing)
    let stage = try staged(self.plan([.connect, .authenticate], by: kind, profile: profile))
    let links = stage.accessory.simulated.stack.linkStates
    #expect(links.map(\.security.protection) == [.secureConnections])
  }

  @Test("A user who refuses, or does not answer, gets no bearer", arguments: [PeerAnswer.refuse, .silence])
  func refusals(answer: PeerAnswer) throws {
    let stage = try staged(self.plan([.answer(answer), .connect, .open(0x1F, mtu: 100)]))
    #expect(stage.accessory.simulated.stack.bonds.isEmpty)
    #expect(stage.peers[0].channel(.attributeProtocol) == nil)
  }

  @Test("A central that is also a peer has one bond for both transports")
  func bothTransports() throws {
    var plan = self.plan([.connect, .authenticate, .open(0x1F, mtu: 100), .read(5)])
    let acts: [CentralAct] = [.connect, .pair, .read(5)]
    plan.centrals = [.init(.phone, acts.map { .init(after: .seconds(2), $0) })]
    plan.peers[0].central = 0
    let stage = try staged(plan)
    #expect(stage.accessory.simulated.stack.bonds.map(\.peer.address) == [stage.peers[0].peer.address])
    #expect(Set(stage.accessory.simulated.stack.linkStates.map(\.details.transport)) == [.le, .classic])
  }

  @Test("The same plan gives the same transcript")
  func determinism() throws {
    let plan = self.plan(
      [.connect, .raw(channel: 1, [2, 1, 4, 0, 1, 0, 0x45, 0]), .pdu([9]), .sdu(1, [1])], by: .hostile)
    #expect(try SwarmRun.twice(plan).findings.map(\.message) == [])
  }
}

extension PeerTests {
  // MARK: - Judges

  @Test("What a peer must not be sent is a finding")
  func wire() throws {
    let stage = try staged(self.plan([.connect]))
    let driver = stage.peers[0]
    driver.received = [
      .init(place: .attribute, octets: [0x0B, 1], isEncrypted: false),
      .init(place: .attribute, octets: [0x03, 23, 0], isEncrypted: true),
      .init(place: .other(ChannelID(rawValue: 0x55)), octets: [1], isEncrypted: true),
      .init(place: .attribute, octets: [0x0B, 1], isEncrypted: true),
    ]
    driver.closed = [(.attributeProtocol, .sduTooLong(octets: 99)), (.attributeProtocol, .remote)]
    var findings: [Finding] = []
    var judge = ClassicWireJudge(isFaulty: false)
    judge.look(at: [], on: stage, findings: &findings)
    #expect(findings.map(\.rule) == ["security", "wire", "wire", "wire"])
  }

  @Test("A second request or indication before the answer to the first, and an answer without a request, are findings")
  func oneAtATime() {
    var (exchange, findings) = (AttributeExchange(), [String]())
    exchange.receive([0x1D, 3, 0, 1], at: .zero, findings: &findings)
    exchange.receive([0x0A, 3, 0], at: .zero, findings: &findings)
    #expect(findings.isEmpty)
    exchange.receive([0x1D, 3, 0, 2], at: .zero, findings: &findings)
    exchange.receive([0x0B, 3], at: .zero, findings: &findings)
    #expect(findings.count == 2)
  }

  @Test("Responses of Service Discovery that are none, refusals, and records without services are findings")
  func discovery() throws {
    let stage = try staged(self.plan([.connect]))
    let driver = stage.peers[0]
    driver.received = [
      .init(place: .discovery, octets: [3, 0, 1, 0, 9, 0], isEncrypted: false),
      .init(place: .discovery, octets: [1, 0, 1, 0, 2, 0, 3], isEncrypted: false),
    ]
    let browse = SDPClient.Query.searchAttributes(.publicBrowseRoot, .all)
    let now = stage.simulation.now
    driver.discovery.answers = [
      .init(query: browse, answer: .success(.records([])), since: now),
      .init(query: browse, answer: .failure(.refused(.invalidRequestSyntax)), since: now),
    ]
    var findings: [Finding] = []
    var judge = DiscoveryJudge(isFaulty: false)
    judge.look(at: [], on: stage, findings: &findings)
    #expect(findings.map(\.rule) == ["discovery", "discovery", "discovery"])
  }

  @Test("A read value that the model does not hold is a finding")
  func reads() throws {
    let stage = try staged(
      self.plan([.connect, .authenticate, .open(0x1F, mtu: 100), .read(try level())]))
    var findings: [Finding] = []
    var judge = ReadJudge(isFaulty: false)
    judge.look(at: [], on: stage, findings: &findings)
    #expect(findings.map(\.rule) == ["value"])
  }

  @Test("An accessory that is not found by inquiries, or to which nobody connects, is a finding")
  func scans() throws {
    let stage = try staged(self.plan([.connect, .disconnect]))
    var (judge, findings) = (ScanJudge(), [Finding]())
    judge.close(stage, findings: &findings)
    #expect(findings.map(\.message) == [])
    stage.accessory.simulated.shutDown()
    stage.simulation.run(for: .seconds(1))
    judge.close(stage, findings: &findings)
    #expect(findings.map(\.rule) == ["life", "life"])
  }

  @Test("A link key that is replaced by a weaker one is a finding")
  func linkKeys() throws {
    let stage = try staged(self.plan([.connect, .authenticate]))
    let record = try #require(stage.accessory.simulated.stack.bonds.first)
    var weaker = record
    weaker.bond.linkKey = [UInt8](repeating: 1, count: 16)
    weaker.bond.linkKeyStrength = KeyStrength(isAuthenticated: false, isSecureConnections: true, keySize: 16)
    var (judge, findings) = (BondJudge(stage.plan), [Finding]())
    judge.look(at: [.bondChanged(record), .bondChanged(weaker)], on: stage, findings: &findings)
    #expect(findings.map(\.rule) == ["bond"])
  }
}
