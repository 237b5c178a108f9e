import AccessoryProfile
import BLECore
import Synchronization
import Testing
import Transport
import Understudy

@testable import Bench

@Suite("Ladder on two controllers behind lines")
struct BoardLadderTests {
  /// Runs `body` with a radio for two hosts, and ends it.
  private static func withRadio(
    _ body: (PollLoop, _ first: ControllerAddress, _ second: ControllerAddress) async throws -> Void
  ) async throws {
    // Time jumps over idle connection events, so that the slow steps are quick.
    let loop = try PollLoop(name: "boards", pace: .fast(settle: LoopPace.defaultSettle))
    try loop.start()
    let radio = RadioHub(loop: loop)
    let ports = [try await radio.openPort(port: 0), try await radio.openPort(port: 0)]
    let addresses = ports.map { ControllerAddress.tcpClient(host: ControllerAddress.loopback, port: $0) }
    do {
      try await body(loop, addresses[0], addresses[1])
    } catch {
      await radio.close()
      loop.stopAndWait()
      throw error
    }
    await radio.close()
    loop.stopAndWait()
  }

  private static func play(_ steps: [LadderStep], octets: Int, _ ladder: BoardLadder, on loop: PollLoop) async throws
    -> [StepResult]
  {
    let results = Mutex<[StepResult]>([])
    try await ladder.play(steps, octets: octets, on: loop) { result in results.withLock { $0.append(result) } }
    return results.withLock { $0 }
  }

  @Test("all steps one after another, and every octet arrives", .timeLimit(.minutes(20)))
  func ladder() async throws {
    try await Self.withRadio { loop, first, second in
      let ladder = BoardLadder(try throughputProfile(), accessory: first, central: second)
      let results = try await Self.play(Ladder.steps, octets: 600, ladder, on: loop)
      #expect(results.map(\.step.number) == Array(1...8))
      for result in results {
        let transfer = try result.outcome.get()
        #expect(transfer.octets == 600)
        #expect(transfer.link == result.step.link)
        #expect(transfer.notes == [])
        #expect(transfer.time > .zero && transfer.kbps > 0)
      }
    }
  }

  @Test("a step that fails says why, and the next one runs", .timeLimit(.minutes(20)))
  func failure() async throws {
    try await Self.withRadio { loop, first, second in
      let battery = try Profile.load(contentsOf: #require(ShippedProfiles.path(named: "battery")))
      let ladder = BoardLadder(battery, accessory: first, central: second)
      let results = try await Self.play([try step(3), try step(6)], octets: 10, ladder, on: loop)
      #expect(results.count == 2)
      for result in results {
        #expect(throws: StepFailure.self) { try result.outcome.get() }
      }
    }
  }

  @Test("a missing controller of the central is an error")
  func missing() async throws {
    try await Self.withRadio { loop, first, _ in
      let nowhere = ControllerAddress.unix(path: "/tmp/understudy-no-such-socket")
      let ladder = BoardLadder(try throughputProfile(), accessory: first, central: nowhere)
      await #expect(throws: TransportError.self) { _ = try await Self.play(Ladder.steps, octets: 1, ladder, on: loop) }
    }
  }
}
