import AccessoryProfile
import BLECore
import CentralHost
import Simulation
import Testing
import UnderstudyTesting

@testable import RealCentral

@Suite("The shell of a central")
struct ShellTests {
  /// A shell with a central on the radio of an accessory, in virtual time.
  final class Stage {
    let air = TestAir(seed: 1)
    let central: ScriptedCentral
    private var shell: CentralShell?
    private(set) var lines: [String] = []

    convenience init(_ profile: String = "heart-rate") throws { try self.init(try Profile.load(profile)) }

    init(_ profile: Profile, usesClassic: Bool = false) throws {
      _ = try air.accessory(profile)
      var configuration = TestCentral.configuration(.randomStatic(from: 0xCE77))
      configuration.usesClassic = usesClassic
      central = try air.radio.addCentral(configuration, on: usesClassic ? .dual : .full)
      try central.start()
      shell = CentralShell(central) { [unowned self] report in
        // The belt asks for other parameters after 5 s.
        if case .line(let line) = report, !line.hasPrefix("the device asked for") { lines.append(line) }
      }
    }

    /// Performs commands, and returns the lines that the shell says.
    @discardableResult
    func perform(_ commands: String...) throws -> [String] {
      let before = lines.count
      for command in commands { _ = try shell?.perform(command) }
      return Array(lines[before...])
    }
  }

  @Test func aSession() throws {
    let stage = try Stage()
    let heard = try stage.perform("scan 1 s")
    #expect(heard.count == 1 && heard[0].contains("Heart Rate Belt") && heard[0].contains("[heart-rate]"))
    #expect(try stage.perform("connect Heart Rate Belt") == ["connected"])
    #expect(try stage.perform("mtu") == ["the MTU is 517"])
    let listed = try stage.perform("discover")
    #expect(listed.contains("  0x000E body-sensor-location: read"))
    #expect(try stage.perform("services") == listed)
    #expect(
      try stage.perform("read body-sensor-location", "read 0x0013") == [
        "body-sensor-location is \"chest\"", "battery-level is 100",
      ])
    try stage.perform("subscribe heart-rate-measurement")
    let notified = try stage.perform("wait 3 s")
    #expect(
      (2...4).contains(notified.count) && notified.allSatisfy { $0.hasPrefix("heart-rate-measurement notified {") })
    try stage.perform("unsubscribe heart-rate-measurement")
    #expect(try stage.perform("wait 3 s") == [])
    try stage.perform("write heart-rate-control-point u8:1")
    #expect(throws: (any Error).self) { try stage.perform("write heart-rate-control-point hex:02") }
    #expect(throws: ShellError.self) { try stage.perform("write heart-rate-control-point 1") }
    #expect(try stage.perform("disconnect").count == 1)
    #expect(throws: ShellError.self) { try stage.perform("read battery-level") }
  }

  @Test func jsonCommandsDoTheSame() throws {
    let stage = try Stage()
    try stage.perform(#"{"do": "connect", "peer": "Heart Rate Belt"}"#)
    #expect(try stage.perform(#"{"do": "read", "attribute": "battery-level"}"#) == ["battery-level is 100"])
    #expect(try stage.perform(#"{"do": "read", "handle": 19}"#) == ["battery-level is 100"])
  }

  @Test func pairingAsks() throws {
    let stage = try Stage("smart-lock")
    try stage.perform("security keyboard", "connect Smart Lock")
    let asked = try stage.perform("pair")
    #expect(asked.contains { $0.contains("'answer'") })
  }

  @Test func aChannel() throws {
    let stage = try Stage("l2cap")
    try stage.perform("connect Channel Rig")
    #expect(try stage.perform("open 0x0080").first?.hasPrefix("the channel is open") == true)
    #expect(try stage.perform("send hex:0102", "wait 1 s") == ["received hex:0102"])
    try stage.perform("close")
    #expect(throws: ShellError.self) { try stage.perform("send hex:01") }
  }

  @Test(arguments: [
    ("fly", "there is no command 'fly'; 'help' lists all"), ("read", "usage: read ATTRIBUTE"),
    ("disconnect", "there is no link: 'connect' to a device first"),
    ("wait soon", "'soon' is not a time: write 5 s or 500 ms"),
    ("{\"do\": 1}", #"expected a JSON object with the command as 'do', such as {"do": "scan"}"#),
    ("send hex:01", "there is no channel: 'open' one first"),
  ])
  func mistakesAreExplained(_ line: String, _ message: String) throws {
    let stage = try Stage()
    let error = #expect(throws: ShellError.self) { try stage.perform(line) }
    #expect(error?.description == message)
  }

  @Test func helpExplainsEveryCommand() throws {
    let help = try Stage().perform("help")
    #expect(help.count == ShellVerb.allCases.count && help.allSatisfy { $0.contains(": ") })
  }

  @Test func commentsAndEmptyLinesDoNothing() throws {
    #expect(try Stage().perform("", "   ", "# a comment") == [])
  }

  @Test("A session over BR/EDR")
  func classic() throws {
    let profile = try Profile.load(
      text: """
        understudy: 1
        name: Speaker
        transports: [le, br-edr]
        identity: { address: public }
        classic: { class: 0x240414 }
        security: { pairing: just-works }
        services:
          - { uuid: 180F, characteristics: [{ id: level, uuid: 2A19, properties: [read], value: 55 }] }
        """)
    let stage = try Stage(profile, usesClassic: true)
    let found = try stage.perform("inquire")
    #expect(found.count == 1 && found[0].hasSuffix("(0x240414)"), "\(found)")
    #expect(try stage.perform("page Speaker") == ["connected over BR/EDR"])
    #expect(try stage.perform("records").contains("battery, PSM 31"))
    // Values need encryption.
    #expect(throws: ShellError.self) { try stage.perform("read battery-level") }
    try stage.perform("security just-works")
    #expect(try stage.perform("pair") == ["paired and bonded"])
    #expect(try stage.perform("read battery-level", "mtu") == ["battery-level is 55", "the MTU is 517"])
    #expect(try stage.perform("disconnect").count == 1)
    // The bond is for both transports.
    try stage.perform("connect Speaker")
    #expect(try stage.perform("pair") == ["the link is encrypted"])
  }

  @Test("A central with LE alone says so")
  func leAlone() throws {
    let stage = try Stage()
    #expect(throws: ShellError.self) { try stage.perform("inquire") }
    #expect(throws: ShellError.self) { try stage.perform("page Speaker") }
    #expect(throws: (any Error).self) { try stage.perform("records") }
  }
}
