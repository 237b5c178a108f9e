import AccessoryProfile
import BLECore
import Simulation
import Understudy
import VirtualRadio

/// Draws a plan from a seed. Each plan disables half of the features, so that rare combinations of the
/// others occur (Groce and others, Swarm Testing, 2012).
package struct PlanDrawing {
  private var random: SplitMix64
  private let seed: UInt64
  /// Draws faults from the language's tables for the plan's profile.
  private var faults: FaultDrawing?
  /// The plan's profile, if it loads.
  private var loaded: Profile?
  /// Draws values that the profile's characteristics accept.
  private var writes: WriteDrawing?

  /// Creates a drawing for a seed.
  package init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(seed: seed).generator(for: "plan")
  }

  /// Returns a plan with a drawn profile. Its run takes `duration` of virtual time.
  package mutating func plan(duration: Duration) -> SwarmPlan {
    var choice = ProfileChoice(random: random.generator(for: "profile"))
    return plan(profile: choice.draw(), duration: duration)
  }

  /// Returns a plan with this profile. Its run takes `duration` of virtual time.
  package mutating func plan(profile: String, duration: Duration) -> SwarmPlan {
    var plan = SwarmPlan(
      seed: seed, profile: profile, preset: pick(ControllerConfiguration.presets.map(\.name)), duration: duration)
    if random.upTo(7) == 0 { plan.companion = pick(["battery", "heart-rate", "health-thermometer"]) }
    loaded = try? Profile.load(swarm: profile)
    if let classic = loaded?.classic { chooseController(of: &plan, isDemanded: !classic.isOptional) }
    faults = loaded.map { FaultDrawing(random.generator(for: "faults"), for: $0) }
    writes = loaded.map { WriteDrawing($0) }
    let acts = features(Self.centralWords)
    // Most accessories have room for one central, and several interfere with each other.
    for _ in 0..<pick([1, 1, 1, 2, 2, 3, 4]) { plan.centrals.append(central(acts, over: duration)) }
    plan.owner = owner(over: duration)
    if loaded?.classic != nil, plan.hasClassicController, plan.companion == nil {
      var drawing = PeerDrawing(random: random.generator(for: "peers"), writes: writes)
      plan.peers = drawing.peers(over: duration, beside: plan.centrals)
      chooseDualCentrals(of: &plan)
    }
    return plan
  }

  /// Gives most profiles with BR/EDR a controller that has it, to themselves. The others show that it is missed.
  private func chooseController(of plan: inout SwarmPlan, isDemanded: Bool) {
    var random = random.generator(for: "controller")
    guard random.upTo(isDemanded ? 15 : 3) > 0 else { return }
    let fitting = ControllerConfiguration.presets.filter { $0.configuration.classic != nil }.map(\.name)
    plan.preset = fitting[Int(random.upTo(UInt64(fitting.count - 1)))]
    plan.companion = nil
  }

  /// Gives half of the centrals that are no peers a controller with BR/EDR. They page where they would have connected, sometimes.
  private func chooseDualCentrals(of plan: inout SwarmPlan) {
    var random = random.generator(for: "dual centrals")
    for index in plan.centrals.indices where !plan.peers.contains(where: { $0.central == index }) {
      guard random.upTo(1) == 0 else { continue }
      plan.centrals[index].isDual = true
      for step in plan.centrals[index].steps.indices where plan.centrals[index].steps[step].act == .connect {
        if random.upTo(1) == 0 { plan.centrals[index].steps[step].act = .page }
      }
    }
  }

  /// Returns a plan that explores a profile. In half of the plans, the first central reads everything at the
  /// beginning, and again after pairing.
  package mutating func exploration(of profile: String) -> SwarmPlan {
    let duration = Duration.seconds(pick([60, 60, 300, 1200]))
    var plan = plan(profile: profile, duration: duration)
    guard random.upTo(1) == 0, let count = writes?.count else { return plan }
    if plan.centrals[0].kind == .hostile { plan.centrals[0].kind = .phone }
    let reads = (0..<count).map { SwarmPlan.Step(after: .milliseconds(50), CentralAct.read($0)) }
    plan.centrals[0].steps.insert(
      contentsOf: [.init(after: .seconds(2), .exchangeMTU)] + reads + [.init(after: .seconds(2), .pair)]
        + [.init(after: .seconds(4), .exchangeMTU)] + reads, at: 1)
    return plan
  }

  // MARK: - Centrals

  /// The words of the centrals' acts. Connecting is always included.
  private static let centralWords = [
    "disconnect", "vanish", "exchange-mtu", "discover", "read", "write", "write-command", "write-signed",
    "take-notifications", "take-indications", "unsubscribe", "pair", "pair-anew", "forget-bonds", "open", "send",
    "close", "open-bearers", "raw", "records", "come-back", "read-configuration", "write-over",
    "replay-signed", "raw-over",
  ]

  private mutating func central(_ words: [String], over duration: Duration) -> SwarmPlan.Central {
    let kind = pick(CentralKind.allCases)
    var steps: [SwarmPlan.Step<CentralAct>] = [.init(after: pause(), .connect)]
    var time = Duration.seconds(2)
    while time < duration, steps.count < 120 {
      let act = act(words, kind)
      let isHabit = random.upTo(5) == 0
      let acts = isHabit ? habit(around: act) : [act]
      let isBack = acts.contains(.comeBack)
      let tempo: Tempo = isHabit ? pick(isBack ? [.brisk, .brisk, .any] : [.patient, .patient, .brisk, .any]) : .any
      for act in acts {
        let step = SwarmPlan.Step(after: pause(tempo), act)
        time += step.pause
        steps.append(step)
        switch act {
        case .vanish(let time) where tempo != .any: steps.append(.init(after: time + .milliseconds(100), .connect))
        case .disconnect, .vanish, .comeBack:
          steps.append(.init(after: tempo == .any ? pause() : .milliseconds(Int64(random.upTo(100))), .connect))
        default: if random.upTo(9) == 0 { steps.append(.init(after: pause(), .connect)) }
        }
      }
    }
    return SwarmPlan.Central(kind, steps)
  }

  /// Returns a typical sequence of an app, which single acts in random order would rarely produce.
  private mutating func habit(around act: CentralAct) -> [CentralAct] {
    // The characteristic that a habit comes back to.
    let same = number()
    // Bonds, writes with a signature on an unencrypted link, and then uses the same counter again.
    if let signable = writes?.signable, !signable.isEmpty, random.upTo(3) == 0 {
      let place = pick(signable)
      return [
        .pair, .disconnect, .writeSigned(place, octets(in: 4...8)), .replaySigned(place, octets(in: 8...8)), act,
      ]
    }
    // Uses a control point, and subscribes to its answers.
    if let points = writes?.points, !points.isEmpty, random.upTo(3) == 0 {
      let point = pick(points)
      return [
        .pair, .subscribe(point.configuration, toIndications: point.isIndicated), write(point.number), act,
        write(point.number),
      ]
    }
    return switch random.upTo(9) {
    // Bonds, and connects again before the link is encrypted.
    case 0: [.pair, .disconnect, act, act]
    // Bonds, and encrypts the next link before it goes on.
    case 1: [.pair, act, .disconnect, .pair, .readConfiguration(number()), act]
    // Comes back before the accessory has noticed the loss of the link, and checks whether the end of the old link changes anything.
    case 2:
      random.upTo(2) == 0
        ? [.pair, act, .comeBack, .pair, act]
        : [
          .pair, .subscribe(same, toIndications: random.upTo(1) == 0), .comeBack, .pair, .unsubscribe(same),
          .disconnect,
          .vanish(.seconds(10)), .pair, .readConfiguration(same), act,
        ]
    // Opens more bearers, and uses all of them.
    case 3:
      [
        .openBearers(2), random.upTo(1) == 0 ? rawOver() : .readConfiguration(number()),
        .writeOver(1, number(), octets(in: 1...60)), .raw(channel: 4, [0x18, 0]),
        .writeOver(0, number(), octets(in: 1...60)),
      ]
    // Comes back with its bond, and reads its subscription.
    case 4:
      [
        .pair, .subscribe(same, toIndications: random.upTo(1) == 0), act, .disconnect, .pair, .readConfiguration(same),
      ]
    // Comes back with its bond, but unsubscribes before the link is encrypted.
    case 5:
      [
        .pair, .subscribe(same, toIndications: random.upTo(1) == 0), .disconnect, .unsubscribe(same), .pair,
        .readConfiguration(same), act,
      ]
    // Writes values, and reads them back.
    case 6: [write(same), .read(same), write(same), .read(same), act]
    // Forgets its bond, and makes another one.
    case 7: [.pair, .writeSigned(same, octets(in: 4...8)), .forgetBonds, .pairAnew, act]
    // Subscribes before the link is encrypted, and waits.
    case 8: [.discover, .subscribe(same, toIndications: false), .read(same), act, .read(same)]
    default: [.subscribe(same, toIndications: random.upTo(1) == 0), .pair, .readConfiguration(same), act]
    }
  }

  private mutating func act(_ words: [String], _ kind: CentralKind) -> CentralAct {
    if kind == .hostile, random.upTo(1) == 0 { return raw() }
    var word = words.isEmpty ? "read" : pick(words)
    // A link that ends too soon shows little.
    if ["disconnect", "vanish", "come-back"].contains(word), random.upTo(2) > 0 { word = pick(words) }
    switch word {
    case "disconnect": return .disconnect
    case "vanish": return .vanish(.milliseconds(Int64(100 + random.upTo(20_000))))
    case "come-back": return .comeBack
    case "exchange-mtu": return .exchangeMTU
    case "discover": return .discover
    case "write":
      let (number, octets) = writing()
      return .write(number, octets)
    case "write-command":
      let (number, octets) = writing()
      return .writeCommand(number, octets)
    case "write-signed": return .writeSigned(number(), octets())
    case "replay-signed": return .replaySigned(number(), octets(in: 8...8))
    case "take-notifications": return .subscribe(number(), toIndications: false)
    case "take-indications": return .subscribe(number(), toIndications: true)
    case "unsubscribe": return .unsubscribe(number())
    case "read-configuration": return .readConfiguration(number())
    case "write-over": return .writeOver(Int(random.upTo(2)), number(), octets())
    case "pair": return .pair
    case "pair-anew": return .pairAnew
    case "forget-bonds": return .forgetBonds
    case "open": return .open(number())
    case "send": return .send(number(), count: Int(1 + random.upTo(600)))
    case "close": return .close(number())
    case "open-bearers": return .openBearers(Int(1 + random.upTo(3)))
    case "raw": return raw()
    case "raw-over": return rawOver()
    case "records": return .records
    default: return .read(number())
    }
  }

  private mutating func raw() -> CentralAct {
    var drawing = PDUDrawing(random: random)
    defer { random = drawing.random }
    return drawing.draw()
  }

  private mutating func rawOver() -> CentralAct {
    var drawing = PDUDrawing(random: random)
    defer { random = drawing.random }
    return .rawOver(Int(drawing.random.upTo(2)), drawing.drawAttribute())
  }

  /// Returns the number of a characteristic, channel or bond. There may be more than 64 characteristics.
  private mutating func number() -> Int { Int(random.upTo(UInt64(max(64, writes?.count ?? 0) - 1))) }

  /// Returns the number of a characteristic, and a value that it may accept, or random octets.
  private mutating func writing() -> (number: Int, octets: [UInt8]) {
    let number = number()
    if random.upTo(1) == 0, let fitting = writes?.octets(for: number, &random) { return (number, fitting) }
    return (number, octets())
  }

  /// Returns a write of a value that the characteristic probably accepts.
  private mutating func write(_ number: Int) -> CentralAct {
    .write(number, writes?.octets(for: number, &random) ?? octets())
  }

  private mutating func octets() -> [UInt8] {
    let lengths = [0, 1, 1, 2, 2, 3, 4, 8, 20, 40, 200]
    return (0..<pick(lengths)).map { _ in
      UInt8(truncatingIfNeeded: random.upTo(3) == 0 ? random.next() : random.upTo(4))
    }
  }

  private mutating func octets(in lengths: ClosedRange<Int>) -> [UInt8] {
    let count = lengths.lowerBound + Int(random.upTo(UInt64(lengths.count - 1)))
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  // MARK: - The accessory's side

  private static let ownerWords = [
    "set", "notify", "indicate", "disconnect", "rotate-identity", "forget-bonds", "kill", "snapshot", "restore", "arm",
    "disarm", "restart-controller", "lose", "silence", "line", "disk", "advertise", "press",
    "service", "channel", "sleep", "reset", "ask-security", "ask-parameters", "open-bearers", "alter-bond",
    "remove-bond", "import-bond", "clock", "suspend", "kill-within",
  ]

  /// Acts after which many judges cannot decide.
  private static let disturbances: Set = [
    "kill", "restore", "arm", "restart-controller", "line", "silence", "reset", "alter-bond", "import-bond", "suspend",
    "kill-within",
  ]

  private mutating func owner(over duration: Duration) -> [SwarmPlan.Step<OwnerAct>] {
    // Most rules have exceptions for these acts, so a third of the plans do without them.
    let isUndisturbed = random.upTo(2) == 0
    let words = features(Self.ownerWords.filter { !isUndisturbed || !Self.disturbances.contains($0) })
    var steps: [SwarmPlan.Step<OwnerAct>] = []
    var time = Duration.zero
    while !words.isEmpty, time < duration, steps.count < 60 {
      guard let act = ownerAct(pick(words)) else { continue }
      let step = SwarmPlan.Step(after: pause() * 2, act)
      time += step.pause
      steps.append(step)
    }
    return steps
  }

  private mutating func ownerAct(_ word: String) -> OwnerAct? {
    switch word {
    case "set": .set(number(), octets())
    case "notify": .notify(number())
    case "advertise": .advertise(number(), random.upTo(1) == 0)
    case "press": .press(number())
    case "indicate": .indicate(number())
    case "service": .service(number(), random.upTo(1) == 0)
    case "channel": .channel(number(), random.upTo(1) == 0)
    case "sleep": .sleep(random.upTo(2) == 0)
    case "reset": .reset(forgetsBonds: random.upTo(3) == 0)
    case "ask-security": .askSecurity(number())
    case "ask-parameters": .askParameters(number())
    case "open-bearers": .openBearers(number(), count: Int(1 + random.upTo(2)))
    case "alter-bond": .alterBond(number(), pick(BondAlteration.names))
    case "remove-bond": .removeBond(number())
    case "clock": .clock(.seconds(pick([-86_400, -3600, -1, 1, 60, 3600, 86_400, 400_000_000])))
    case "suspend": .suspend(.milliseconds(Int64(100 + random.upTo(40_000))))
    case "kill": .kill
    case "arm": .arm(fault())
    case "restart-controller": .restartController(announced: random.upTo(1) == 0)
    case "lose": .lose(percent: pick([0, 0, 1, 10, 30]))
    case "silence": .silence(.milliseconds(Int64(200 + random.upTo(10_000))))
    case "line":
      .line(
        Int(random.upTo(5)), random.upTo(1) == 0 ? .towardsHost : .towardsController,
        pick([.lost, .lost, .doubled, .late(.milliseconds(Int64(1 + random.upTo(3000))))]))
    case "disk": .disk(isFull: random.upTo(2) == 0)
    default: OwnerAct(text: word)
    }
  }

  /// Returns a fault from the language's tables, or one of the important faults that fit any profile.
  private mutating func fault() -> String {
    if random.upTo(1) == 0, let drawn = faults?.draw() { return drawn }
    var text = FaultChoice.text(&random)
    // Not every action fits every occasion.
    for _ in 0..<20 where (try? loaded?.loadFault(text, number: 1)) == nil { text = FaultChoice.text(&random) }
    return text
  }

  // MARK: - Chance

  /// Returns some of the words, each with a probability of one half, so that whole features are absent.
  private mutating func features(_ words: [String]) -> [String] { words.filter { _ in random.upTo(1) == 0 } }

  /// The length of a central's pauses between its acts.
  private enum Tempo {
    /// Usually until each act has ended, which most habits need.
    case patient
    /// Long enough for most acts, but so short that an old link still exists after several.
    case brisk
    case any
  }

  private mutating func pause(_ tempo: Tempo) -> Duration {
    switch tempo {
    case .patient: .milliseconds(Int64(1000 + random.upTo(3000)))
    case .brisk: .milliseconds(Int64(400 + random.upTo(500)))
    case .any: pause()
    }
  }

  /// Returns a pause, which is usually short and sometimes lasts minutes.
  private mutating func pause() -> Duration {
    switch random.upTo(19) {
    case 0: .seconds(Int64(random.upTo(240)))
    case 1...8: .milliseconds(Int64(random.upTo(30)))
    case 9...15: .milliseconds(Int64(random.upTo(500)))
    default: .milliseconds(Int64(random.upTo(3000)))
    }
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(random.upTo(UInt64(elements.count - 1)))]
  }
}
