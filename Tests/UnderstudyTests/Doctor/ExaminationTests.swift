import BLECore
import BLEHCI
import Testing
import VirtualRadio

@testable import Understudy

/// A preset, and the steps that show its real limits.
struct ExaminedPreset: Sendable, CustomTestStringConvertible {
  var configuration: ControllerConfiguration
  var limits: Set<ExaminationStep>

  var testDescription: String { configuration.name }

  /// NimBLE's controller restarts when octets are lost, so a fault of the line is found as a fault of its stability.
  private static let patientNimBLE: ControllerConfiguration = {
    var configuration = ControllerConfiguration.nimble
    configuration.deviations.subtract([.assertsPacketType, .assertsOneCommand])
    return configuration
  }()

  static let all = [
    ExaminedPreset(configuration: .full, limits: []),
    ExaminedPreset(
      configuration: .zephyrHCIUART, limits: [.extendedAdvertising, .phyCoded, .dataLength, .aclBuffers]),
    ExaminedPreset(configuration: .zephyrExtended, limits: []),
    ExaminedPreset(configuration: patientNimBLE, limits: []),
    ExaminedPreset(
      configuration: .v4_0, limits: [.extendedAdvertising, .phy2M, .phyCoded, .dataLength, .aclBuffers]),
    ExaminedPreset(configuration: .v4_2, limits: [.extendedAdvertising, .phy2M, .phyCoded]),
    ExaminedPreset(configuration: .v5_0, limits: []),
  ]
}

/// A fault, and the steps that show it on every preset.
struct PlantedFault: Sendable, CustomTestStringConvertible {
  var name: String
  var steps: Set<ExaminationStep>
  var configure: @Sendable (inout ExaminationBench.Fault) -> Void
  /// Whether the examination gets far enough to show the limits of the preset, too.
  var showsLimits = true
  var neighbours = 0
  var baud: UInt32?

  var testDescription: String { name }

  static let all: [PlantedFault] = [
    PlantedFault(name: "an octet of 997 is lost", steps: [.exchanges]) { $0.lossPeriod = 997 },
    PlantedFault(name: "an octet of 5003 is lost", steps: [.exchanges]) { $0.lossPeriod = 5003 },
    PlantedFault(name: "bursts beyond 32 octets are cut", steps: [.flowControl]) { $0.burstLimit = 32 },
    PlantedFault(name: "no buffer while nobody reads", steps: [.flowControl], configure: { $0.unreadLimit = 64 }),
    PlantedFault(
      name: "reports overflow while nobody reads", steps: [.flowControl], configure: { $0.unreadLimit = 200 },
      neighbours: 8),
    PlantedFault(name: "40 ms late", steps: [.latency]) { $0.latency = .milliseconds(40) },
    PlantedFault(name: "1.5 s late", steps: [.latency]) { $0.latency = .milliseconds(1500) },
    PlantedFault(name: "an answer 2 s late", steps: [.latency]) { $0.stall = (100, .seconds(2)) },
    PlantedFault(name: "an answer 3 s late while the firmware is asked", steps: [.latency]) {
      $0.stall = (3, .seconds(3))
    },
    PlantedFault(name: "a burst's answer 2 s late", steps: [.stability]) { $0.stall = (230, .seconds(2)) },
    PlantedFault(name: "stray octets", steps: [.exchanges]) { $0.stray = (50, 3) },
    PlantedFault(
      name: "a third of the speed", steps: [.throughput], configure: { $0.octetTime = .microseconds(30) },
      baud: 1_000_000),
    PlantedFault(name: "restart with NOP", steps: [.stability]) { $0.restart = (100, .nop) },
    PlantedFault(name: "restart with hardware error", steps: [.stability]) { $0.restart = (100, .hardwareError(7)) },
    PlantedFault(name: "restart with an assertion", steps: [.stability]) {
      $0.restart = (100, .zephyrAssertion(file: "ull.c", line: 7))
    },
    PlantedFault(name: "restart while bursts are sent", steps: [.stability]) { $0.restart = (230, .nop) },
    PlantedFault(name: "hangs in the midst", steps: [.stability]) { $0.hangsAt = 100 },
    PlantedFault(
      name: "hangs from the beginning", steps: [.synchronization], configure: { $0.hangsAt = 0 }, showsLimits: false),
    PlantedFault(
      name: "HTTP", steps: [.synchronization],
      configure: { $0.babble = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8) },
      showsLimits: false),
    PlantedFault(
      name: "an echo", steps: [.synchronization], configure: { $0.babble = HCIReset().h4 }, showsLimits: false),
    PlantedFault(name: "out of range", steps: [], configure: { $0.isUnreachable = true }),
  ]
}

@Suite("Examination", .timeLimit(.minutes(20)))
struct ExaminationTests {
  @Test("A healthy controller shows only its own limits", arguments: ExaminedPreset.all)
  func healthy(_ preset: ExaminedPreset) {
    let bench = ExaminationBench(preset.configuration)
    let wrong = bench.findings()
    #expect(Set(wrong.keys) == preset.limits, "\(wrong)")
    #expect(bench.examination.findings.allSatisfy { !$0.found.isEmpty && !$0.step.why.isEmpty })
    let steps = bench.examination.findings.map(\.step)
    #expect(steps == ExaminationStep.allCases.filter(steps.contains), "in the order of the steps")
    let onAir: Observation = preset.limits.contains(.extendedAdvertising) ? .skipped(.noExtendedAdvertising) : .heard
    #expect(bench.examination.findings.first { $0.step == .extendedOnAir }?.observation == onAir)
    #expect(bench.examination.findings.first { $0.step == .legacyOnAir }?.observation == .heard)
  }

  @Test("The examination finds exactly the planted fault", arguments: ExaminedPreset.all, PlantedFault.all)
  func planted(_ preset: ExaminedPreset, _ planted: PlantedFault) {
    let bench = ExaminationBench(
      preset.configuration, ExaminationBench.Fault(planted.configure), neighbours: planted.neighbours
    ) { $0.baud = planted.baud }
    let wrong = bench.findings()
    var expected = planted.steps.union(planted.showsLimits ? preset.limits : [])
    if planted.name == "out of range" {
      expected.insert(.legacyOnAir)
      if !preset.limits.contains(.extendedAdvertising) { expected.insert(.extendedOnAir) }
    }
    #expect(bench.examination.isOver)
    #expect(Set(wrong.keys) == expected, "\(wrong)")
    for step in planted.steps {
      let finding = bench.examination.findings.first { $0.step == step }
      #expect(finding?.fix?.isEmpty == false)
    }
  }

  @Test(
    "A removed capability is reported as missing, and nothing else is",
    arguments: [
      (ExaminationStep.phy2M, LEFeatures.phy2M), (.phyCoded, .phyCoded), (.dataLength, .dataPacketLengthExtension),
      (.extendedAdvertising, .extendedAdvertising),
    ])
  func missingFeature(_ step: ExaminationStep, _ feature: LEFeatures) {
    for configuration in [ControllerConfiguration.full, .zephyrExtended, .nimble, .v5_0] {
      var configuration = configuration
      configuration.features.remove(feature)
      #expect(Set(ExaminationBench(configuration).findings().keys) == [step])
    }
  }

  @Test("Small amounts are reported with the required ones")
  func smallAmounts() {
    var configuration = ControllerConfiguration.zephyrExtended
    configuration.advertisingSetCount = 1
    configuration.maximumAdvertisingDataLength = 31
    configuration.aclDataLength = 27
    configuration.aclPacketCount = 7
    configuration.maximumDataOctets = 27
    let wrong = ExaminationBench(configuration).findings()
    #expect(
      wrong == [
        .advertisingSets: .amount(1, wanted: 2, .zephyr), .advertisingData: .amount(31, wanted: 191, .zephyr),
        .aclBuffers: .buffers(length: 27, count: 7, .zephyr), .dataLength: .amount(27, wanted: 251, .zephyr),
      ])
  }

  @Test("How a loss shows in figures")
  func figures() {
    let bench = ExaminationBench(.full, ExaminationBench.Fault { $0.burstLimit = 100 })
    #expect(bench.findings() == [.flowControl: .burstsLost(exchanges: 2, lost: 2, flowControl: true)])
    let silent = ExaminationBench(.full, ExaminationBench.Fault { $0.hangsAt = 0 })
    #expect(silent.findings() == [.synchronization: .silent])
    let restarted = ExaminationBench(.full, ExaminationBench.Fault { $0.restart = (50, .hardwareError(0x42)) })
    #expect(restarted.findings() == [.stability: .restarted([.hardwareError(0x42)])])
    let stopped = ExaminationBench(.full, ExaminationBench.Fault { $0.hangsAt = 100 })
    #expect(stopped.findings() == [.stability: .stopped(during: .exchanges)])
  }

  @Test("Octets that come late are not lost", arguments: [ControllerConfiguration.zephyrExtended, .nimble])
  func late(_ configuration: ControllerConfiguration) {
    func wrong(_ configure: (inout ExaminationBench.Fault) -> Void) -> [ExaminationStep: Observation] {
      ExaminationBench(configuration, ExaminationBench.Fault(configure)).findings()
    }
    guard case .late(1, let answers, let longest) = wrong({ $0.stall = (100, .seconds(2)) })[.latency] else {
      Issue.record("not told as late")
      return
    }
    #expect(answers > 200 && longest == .seconds(2))
    let brief = StepFinding(.latency, .late(answers: 1, of: 212, longest: .milliseconds(1100)))
    let long = StepFinding(.latency, .late(answers: 1, of: 212, longest: .seconds(2)))
    #expect(brief.verdict == .warning && long.verdict == .failed)
    #expect(long.found == "1 of 212 answers were late, but complete, the last after 2000.00 ms")
    #expect(long.fix?.contains("not the cable") == true && long.fix?.contains("shorter") == false)
    // Lost answers are still reported as lost, in addition to late ones.
    let both = wrong {
      $0.stall = (40, .seconds(2))
      $0.lossPeriod = 5003
    }
    guard case .lossy(_, let unanswered, let different, let stray) = both[.exchanges] else {
      Issue.record("not told as lost: \(both)")
      return
    }
    #expect(unanswered + different + stray > 0)
    guard case .late(1, _, _) = both[.latency] else {
      Issue.record("not told as late: \(both)")
      return
    }
  }

  @Test("The rate of any line is measured", arguments: ExaminedPreset.all, [8, 10, 87])
  func lineRate(_ preset: ExaminedPreset, _ microseconds: Int) throws {
    // A UART of 1 Mbit/s takes 10 µs for an octet; nothing in the bench says that it is one.
    let bench = ExaminationBench(
      preset.configuration, ExaminationBench.Fault { $0.octetTime = .microseconds(microseconds) }
    ) {
      $0.scope = .lineRate
      $0.listening = .none
    }
    _ = bench.findings()
    let throughput = bench.examination.findings.first { $0.step == .throughput }
    guard case .rate(let octets, nil) = throughput?.observation else {
      Issue.record("\(String(describing: throughput))")
      return
    }
    #expect(abs(octets - 1_000_000 / microseconds) <= 1_000_000 / microseconds / 100)
    #expect(bench.examination.findings.last?.step == .stability)
  }

  @Test("A controller that keeps restarting is not queried forever")
  func restartsWithoutEnd() {
    var configuration = ControllerConfiguration.full
    configuration.name = "restarting"
    let bench = ExaminationBench(configuration, ExaminationBench.Fault { $0.stray = (1, 300) })
    // There are three hundred octets before every answer: nothing can be read, and the examination still ends.
    _ = bench.findings()
    #expect(bench.examination.isOver)
  }

  @Test("Without a second controller advertising is only accepted")
  func unheard() {
    let bench = ExaminationBench(.full) { $0.listening = .none }
    #expect(bench.findings().isEmpty)
    #expect(bench.examination.findings.first { $0.step == .legacyOnAir }?.observation == .advertised)
    let deaf = ExaminationBench(.full) { $0.listening = .legacy }
    #expect(deaf.findings().isEmpty)
    #expect(deaf.examination.findings.first { $0.step == .legacyOnAir }?.observation == .heard)
    #expect(deaf.examination.findings.first { $0.step == .extendedOnAir }?.observation == .advertised)
  }

  @Test("The same examination gives the same result")
  func deterministic() {
    func run() -> [StepFinding] {
      let bench = ExaminationBench(.zephyrExtended, ExaminationBench.Fault { $0.lossPeriod = 997 })
      _ = bench.findings()
      return bench.examination.findings
    }
    #expect(run() == run())
  }
}
