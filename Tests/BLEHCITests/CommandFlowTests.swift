import BLECore
import BLEHCI
import Testing

@Suite("Commands to a controller")
struct CommandFlowTests {
  private static let link = ConnectionHandle(rawValue: 0x40)

  /// A flow with its clock and the sent commands.
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

    /// Answers the pending command, and sends the next.
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

    /// Brings up a controller with these commands and features.
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

  /// The commands that every role needs, even with a controller that reports nothing more.
  private static let least: [CommandOpcode] = [
    .reset, .readLocalVersionInformation, .readLocalSupportedCommands, .leReadLocalSupportedFeatures, .setEventMask,
    .leSetEventMask, .leReadBufferSize,
  ]

  @Test("Bring-up comes first, and sends the commands that the plan needs and the controller supports")
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

  @Test("One command is pending at a time, and is returned with its answer")
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
    // The status is first in Command Status.
    #expect(refused.command is HCIDisconnect && refused.purpose == "end" && refused.place == 2..<3)
    #expect(bench.flow.isIdle)
  }

  @Test("A reset without an answer is repeated, then given up; a new controller gets as many attempts")
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
    "A silent controller may be brought up again, unless it was never healthy since",
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

  @Test("Output before a reset is ignored")
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

  @Test("Commands without a purpose are withdrawn, and the answer to a pending one is dropped")
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

  @Test("A flow continues after a command that was not answered")
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

  @Test("After an unexpected permission for commands, the pending one is awaited only briefly")
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
  /// The answered command.
  fileprivate var command: (any HCICommand)? {
    if case .answered(let command, _, _) = self { command } else { nil }
  }

  /// The command's purpose.
  fileprivate var purpose: String? {
    if case .answered(_, let purpose, _) = self { purpose } else { nil }
  }

  /// The position of its return parameters.
  fileprivate var place: Range<Int>? {
    switch self {
    case .answered(_, _, let place), .unexpected(_, let place): place
    case .bringUp, .unexplainedGrant, .malformed: nil
    }
  }
}

extension CommandFlow<String>.Silence {
  /// The meaning, in words.
  fileprivate var text: String {
    switch self {
    case .resetAgain(let resets): "reset again after \(resets)"
    case .noAnswer(let entry): "no answer to the command for \(entry.purpose ?? "nobody")"
    case .giveUp(let failure): "\(failure)"
    }
  }
}
