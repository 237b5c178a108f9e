import AccessoryProfile
import BLECore
import Glibc
import Testing
import Transport

@testable import Understudy

@Suite("Programs", .timeLimit(.minutes(20)))
struct ProgramTests {
  private static func profile(_ script: String) throws -> Profile {
    try Profile.load(
      text: """
        understudy: 1
        name: Programs
        programs:
          sensor:
            - sh
            - -c
            - |
        \(script.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n"))
        rules: [ { when: { button: pair }, do: { set: { level: 77 } } } ]
        services:
          - uuid: FFF0
            characteristics:
              - { id: level, uuid: FFF1, format: u8, properties: [read, notify], value: 50, notify: on-change }
              - { id: text, uuid: FFF2, format: utf8, properties: [read, write], value: hello }
        """)
  }

  /// Runs an accessory with that script as its program, and stops the accessory at the end.
  private func withAccessory(
    _ script: String, _ body: (Accessory, AsyncStream<AccessoryEvent>) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      var options = AccessoryOptions()
      options.allowsPrograms = true
      let accessory = try Accessory(try Self.profile(script), options: options, loop: loop)
      let events = await accessory.events()
      try await accessory.start()
      try await body(accessory, events)
      await accessory.stop()
      #expect(await accessory.end().failure == nil)
      #expect(await !accessory.hasPrograms)
    }
  }

  private func wait(for value: ProfileValue, of name: String, _ accessory: Accessory) async throws {
    while try await accessory.value(of: name).value != value { await Task.yield() }
  }

  @Test func setsValuesAndPressesButtons() async throws {
    try await withAccessory(
      """
      echo '{"set":{"level":7,"text":"from the program"},"notify":"level"}'
      echo 'that is done' >&2
      cat > /dev/null
      """
    ) { accessory, events in
      #expect(try await events.named("program-said").json["text"] == "that is done")
      try await wait(for: "from the program", of: "text", accessory)
      #expect(try await accessory.value(of: "level").value == 7)
    }
    try await withAccessory("echo '{\"press\":\"pair\"}'; cat > /dev/null") { accessory, _ in
      try await wait(for: 77, of: "level", accessory)
    }
  }

  /// Refused lines are reported with the reason, and the program continues.
  @Test(arguments: [
    ("sensor", "is not JSON"),
    ("{}", "some of set, notify, indicate, press"),
    (#"{"sett":{"level":1}}"#, "some of set, notify, indicate, press"),
    (#"{"set":{"level":300}}"#, "300 is not within 0...255"),
    (#"{"set":{"levle":1}}"#, "no characteristic"),
    (#"{"set":"level"}"#, "values by the ids"),
    (#"{"press":"unpair"}"#, "no button 'unpair'"),
    (#"{"notify":7}"#, "values by the ids"),
  ])
  func refuses(_ line: String, _ reason: String) async throws {
    try await withAccessory("echo '\(line)'; cat > /dev/null") { _, events in
      let event = try await events.named("program-refused").json
      #expect(event["text"] == .string(line))
      #expect(event["reason"]?.string?.contains(reason) == true, "\(event)")
      #expect(event["program"] == "sensor")
    }
  }

  /// It first receives the connected clients, and then events, but none of advertising and of programs.
  @Test func hearsWhatHappens() async throws {
    try await withAccessory("while read -r line; do echo \"$line\" >&2; done") { accessory, events in
      let port = try await events.ready().ports[0]
      let central = try LineCentral(port: port)
      try central.connect(to: try #require(await accessory.state().address))
      var heard: [ProfileValue] = []
      for await event in events {
        guard case .program(.said(_, let text)) = event.kind else { continue }
        heard.append(try ProfileValue(json: Array(text.utf8)))
        if heard.last?["event"] == "connected" { break }
      }
      #expect(heard.first?["event"] == "program-started")
      #expect(heard.first?["connections"] == [])
      #expect(heard.dropFirst().allSatisfy { $0["event"]?.string?.hasPrefix("program-") == false })
      #expect(heard.last?["connection"] != nil)
      central.close()
    }
  }

  /// A program that ends with a status other than 0 is restarted, after a delay that doubles each time.
  @Test func isRunAgain() async throws {
    try await withAccessory("exit 3") { _, events in
      var ends: [ProfileValue] = []
      for await event in events where event.name == "program-ended" {
        ends.append(event.json)
        if ends.count == 2 { break }
      }
      #expect(ends.map { $0["reason"] } == ["exit status 3", "exit status 3"])
      #expect(ends.map { $0["again_ms"]?.number } == [1000, 2000])
    }
    try await withAccessory("exit 0") { _, events in
      let end = try await events.named("program-ended").json
      #expect(end["reason"] == "exit status 0")
      #expect(end["again_ms"] == nil)
    }
  }

  /// A program that ignores its end is killed.
  @Test func endsWithTheAccessory() async throws {
    try await withAccessory("trap '' TERM; echo ready >&2; while :; do sleep 0.05; done") { accessory, events in
      _ = try await events.named("program-said")
      #expect(await accessory.hasPrograms)
    }
  }

  /// A process that has left the program's group keeps its pipe, and writes without end.
  @Test func anOrphanThatWritesDoesNotHoldTheAccessory() async throws {
    try await withAccessory(
      """
      folder=$(mktemp -d); mkfifo $folder/begun
      setsid sh -c "echo > $folder/begun; exec yes '' >&2" &
      cat $folder/begun > /dev/null; rm -r $folder
      exit 3
      """
    ) { accessory, events in
      #expect(try await events.named("program-ended").json["reason"] == "exit status 3")
      try await accessory.setValue(7, of: "level")
      #expect(try await accessory.value(of: "level").value == 7)
    }
  }

  @Test func waitsLongerEachTimeUpToAMinute() {
    let program = RunningProgram(ProgramDefinition(id: "sensor", command: ["true"]))
    let waits = (0..<8).map { _ in program.takeWait(at: .zero, hasRun: false).inSeconds }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
    #expect(program.takeWait(at: .zero + .seconds(59), hasRun: true).inSeconds == 60)
    #expect(program.takeWait(at: .zero + .seconds(60), hasRun: true).inSeconds == 1)
  }

  @Test func runsOnlyWhenAllowed() async throws {
    try await withLoop { loop in
      let accessory = try Accessory(try Self.profile("exit 0"), options: AccessoryOptions(), loop: loop)
      let failure = await #expect(throws: AccessoryFailure.self) { try await accessory.start() }
      #expect(failure.map { "\($0)" }?.contains("runs programs (sh -c exit 0") == true)
      #expect(failure.map { "\($0)" }?.contains("--allow-programs") == true)
    }
  }

  @Test func linesAreCutWhereverTheyAreRead() {
    let text = Array("one\n\ntwo\r\nthree".utf8)
    for cut in 0...text.count {
      var lines = TextLines()
      let found = lines.take(Array(text[..<cut])) + lines.take(Array(text[cut...])) + lines.takeRest()
      #expect(found.map { String(decoding: $0, as: UTF8.self) } == ["one", "two", "three"])
    }
    var lines = TextLines()
    let long = lines.take([UInt8](repeating: 0x61, count: TextLines.limit + 1) + [0x0A, 0x62, 0x0A])
    #expect(long.map(\.count) == [TextLines.limit, 1])
  }
}
