import BLECore
import BLEGAP
import BLEHCI
import Testing

@Suite("Commands to a controller")
struct CommandFlowTests {
  private static let link = ConnectionHandle(rawValue: 0x40)

  /// A flow with its clock and the commands that it has sent.
  private struct Bench {
    var flow: CommandFlow<String>
    var now = Instant.zero
    private(set) var sent: [CommandOpcode] = []

    init(_ plan: BringUpPlan = BringUpPlan(leEvents: .connectionComplete, randomAddress: nil)) {
      flow = CommandFlow(plan)
    }

    mutating func send() {
      var out = OctetBuffer()
      flow.send(into: &out, at: now)
      note(out)
    }

    mutating func receive(_ event: some HCIEvent) throws -> CommandFlow<String>.Answer? {
      let h4 = event.h4
      let packet = h4.span.extracting(1..<h4.count)
      var out = OctetBuffer()
      let answer = flow.receive(try EventPacket(packet), in: packet, at: now, into: &out)
      note(out)
      return answer
    }

    /// Answers what is under way, and sends what follows.
    mutating func answer(_ parameters: [UInt8]) throws -> CommandFlow<String>.Answer? {
      let opcode = try #require(flow.current.map { type(of: $0.command).opcode })
      let answer = try receive(
        HCICommandComplete {
          $0.opcode = opcode
          $0.returnParameters = parameters
        })
      send()
      return answer
    }

    /// Brings the controller up: one that knows these commands and has these features.
    mutating func bringUp(_ commands: [CommandOpcode] = [], features: LEFeatures = []) throws {
      send()
      while let command = flow.current?.command, !flow.isUp {
        let parameters: [UInt8] =
          switch command {
          case is HCIReadLocalSupportedCommands: SupportedCommands(commands).octets
          case is LEReadLocalSupportedFeatures:
            (0..<8).map { UInt8(truncatingIfNeeded: features.rawValue >> (8 * UInt64($0))) }
          case is LEReadBufferSize: [251, 0, 4]
          default: []
          }
        _ = try answer([0] + parameters)
      }
    }

    /// Lets the controller be silent until the deadline.
    mutating func wait() throws -> CommandFlow<String>.Silence? {
      now = try #require(flow.nextDeadline)
      return flow.advance(to: now)
    }

    private mutating func note(_ out: borrowing OctetBuffer) {
      let octets = out.copy()
      if octets.count > 2 { sent.append(CommandOpcode(rawValue: UInt16(octets[1]) | UInt16(octets[2]) << 8)) }
    }
  }

  /// What every role needs of a controller that says it knows nothing more.
  private static let least: [CommandOpcode] = [
    .reset, .readLocalVersionInformation, .readLocalSupportedCommands, .leReadLocalSupportedFeatures, .setEventMask,
    .leSetEventMask, .leReadBufferSize,
  ]

  @Test("Bring-up comes before everything, and asks for what the plan wants and the controller knows")
  func plan() throws {
    let known: [CommandOpcode] = [
      .writeLEHostSupport, .leWriteSuggestedDefaultDataLength, .leSetDefaultPHY, .hostBufferSize,
      .setControllerToHostFlowControl, .hostNumberOfCompletedPackets, .leSetExtendedAdvertisingEnable,
      .leReadNumberOfSupportedAdvertisingSets, .leReadMaximumAdvertisingDataLength,
    ]
    var modest = Bench()
    modest.flow.add(LERand(), for: "number")
    try modest.bringUp(known, features: [.extendedAdvertising, .dataPacketLengthExtension, .phy2M])
    let rest: [CommandOpcode] = [.writeLEHostSupport, .leReadBufferSize, .leSetDefaultPHY, .leRand]
    #expect(modest.sent == Self.least.dropLast() + rest)

    var plan = BringUpPlan(leEvents: .connectionComplete, randomAddress: .randomStatic(from: 1))
    plan.isAdvertiser = true
    plan.suggestedDataLength = 251
    plan.hostBuffers = 8
    var eager = Bench(plan)
    try eager.bringUp(known, features: [.extendedAdvertising, .dataPacketLengthExtension, .phy2M])
    for opcode in known where opcode != .leSetExtendedAdvertisingEnable && opcode != .hostNumberOfCompletedPackets {
      #expect(eager.sent.contains(opcode), "\(opcode)")
    }
    #expect(eager.sent.last == .leSetRandomAddress && eager.flow.bringUp.profile.hostBufferCount == 8)
    var poor = Bench(plan)
    try poor.bringUp()
    #expect(poor.sent == Self.least + [.leSetRandomAddress])
  }

  @Test("One command is under way at a time, and its answer comes back with it")
  func oneAtATime() throws {
    var bench = Bench()
    try bench.bringUp()
    #expect(bench.flow.isUp && bench.flow.isIdle && bench.flow.isFree)
    bench.flow.add(LERand(), for: "number")
    bench.flow.add(HCIDisconnect { $0.connectionHandle = Self.link }, for: "end")
    bench.send()
    bench.send()
    #expect(bench.sent.last == .leRand && bench.flow.waiting.count == 1 && !bench.flow.isFree)
    let answer = try #require(try bench.answer([0, 1, 2, 3, 4, 5, 6, 7, 8]))
    #expect(answer.command is LERand && answer.purpose == "number" && answer.place == 5..<14)
    #expect(bench.sent.last == .disconnect)
    let refusal = HCICommandStatus(.disconnect, .unknownConnectionIdentifier)
    let refused = try #require(try bench.receive(refusal))
    // The status stands first in Command Status.
    #expect(refused.command is HCIDisconnect && refused.purpose == "end" && refused.place == 2..<3)
    #expect(bench.flow.isIdle)
  }

  @Test("A reset without an answer is repeated, then given up; another controller has as many attempts")
  func resets() throws {
    var bench = Bench()
    bench.send()
    #expect(try bench.wait()?.text == "reset again after 1")
    bench.flow.bringUpAgain()
    bench.send()
    #expect(try bench.wait()?.text == "\(ControllerFailure.silent(.reset, after: .seconds(4)))")
    bench.flow.reset()
    bench.send()
    #expect(try bench.wait()?.text == "reset again after 1")
  }

  @Test(
    "A controller that falls silent may be brought up again, unless it never was healthy since",
    arguments: [false, true])
  func silences(isHealthy: Bool) throws {
    var bench = Bench()
    for attempt in 1...3 {
      try bench.bringUp()
      if isHealthy { bench.flow.isHealthy() }
      bench.flow.add(LERand(), for: "number")
      bench.send()
      #expect(try bench.wait()?.text == "no answer to the command for number")
      #expect(bench.flow.noteSilence() == (attempt < 3 || isHealthy))
      bench.flow.bringUpAgain()
      #expect(!bench.flow.isUp && bench.flow.isIdle)
    }
  }

  @Test("What was said before a reset is passed over")
  func outdated() throws {
    var bench = Bench()
    bench.send()
    let stale = HCICommandStatus(.leRand, .hardwareFailure)
    #expect(bench.flow.isResetting && bench.flow.isOutdated(.leMeta) && bench.flow.isOutdated(.disconnectionComplete))
    #expect(!bench.flow.isOutdated(.hardwareError) && !bench.flow.isOutdated(.vendor))
    #expect(try bench.receive(stale) == nil)
    _ = try bench.answer([0])
    #expect(!bench.flow.isResetting && !bench.flow.isOutdated(.leMeta))
    let unexpected = try #require(try bench.receive(stale))
    #expect(unexpected.command == nil && unexpected.place == 2..<3)
  }

  @Test("Commands whose purpose is gone are withdrawn, and one that is under way is answered to nobody")
  func withdrawal() throws {
    var bench = Bench()
    try bench.bringUp()
    for purpose in ["link", "number", "link"] { bench.flow.add(LERand(), for: purpose) }
    bench.send()
    bench.flow.withdraw { $0 == "link" }
    #expect(bench.flow.waiting.map(\.purpose) == ["number"])
    let answer = try #require(try bench.answer([0]))
    #expect(answer.command is LERand && answer.purpose == nil)
  }

  @Test("A flow goes on after a command that was not answered")
  func goingOn() throws {
    var bench = Bench()
    try bench.bringUp()
    bench.flow.add(LERand(), for: "lost")
    bench.flow.add(LERand(), for: "next")
    bench.send()
    _ = try bench.wait()
    bench.flow.goOn()
    bench.send()
    #expect(try #require(try bench.answer([0])).purpose == "next")
  }

  @Test("After commands were granted out of the blue what is under way is waited for no longer than a moment")
  func unexplainedGrant() throws {
    var bench = Bench()
    try bench.bringUp()
    bench.flow.add(LERand(), for: "number")
    bench.send()
    let answer = try #require(try bench.receive(HCICommandStatus(.none, .success)))
    #expect(answer.place == nil)
    #expect(bench.flow.nextDeadline == bench.now + .milliseconds(100))
  }
}

extension CommandFlow<String>.Answer {
  /// The command that was answered.
  fileprivate var command: (any HCICommand)? {
    if case .answered(let command, _, _) = self { command } else { nil }
  }

  /// What it was for.
  fileprivate var purpose: String? {
    if case .answered(_, let purpose, _) = self { purpose } else { nil }
  }

  /// Where its return parameters are.
  fileprivate var place: Range<Int>? {
    switch self {
    case .answered(_, _, let place), .unexpected(_, let place): place
    case .bringUp, .unexplainedGrant, .malformed: nil
    }
  }
}

extension CommandFlow<String>.Silence {
  /// What it means, in words.
  fileprivate var text: String {
    switch self {
    case .resetAgain(let resets): "reset again after \(resets)"
    case .noAnswer(let entry): "no answer to the command for \(entry.purpose ?? "nobody")"
    case .giveUp(let failure): "\(failure)"
    }
  }
}
