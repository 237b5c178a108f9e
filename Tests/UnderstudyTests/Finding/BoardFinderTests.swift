import BLEHCI
import Testing
import Transport

@testable import Understudy

@Suite("Selecting the controller for `auto`")
struct BoardFinderTests {
  private static func finding(_ path: String, _ answer: PortFinding.Answer) -> PortFinding {
    PortFinding(port: SerialPort(path: path), answer: answer)
  }

  private static func controller(_ path: String, baud: UInt32 = 1_000_000) -> PortFinding {
    let identity = ControllerIdentity(version: .v5_4, subversion: 0, manufacturer: .zephyr, firmware: "Zephyr")
    return finding(path, .controller(identity, SerialSettings(path: path, baud: baud, flowControl: baud != 115_200)))
  }

  private static let busy = TransportError(
    kind: .busy, what: "cannot open", place: "serial:/dev/b", why: "another program is using it")

  @Test("The only port that answers is selected, with the settings at which it answered", arguments: [0, 1, 2, 3])
  func only(_ place: Int) throws {
    var findings = [
      Self.finding("/dev/a", .silent), Self.finding("/dev/b", .unavailable(Self.busy)),
      Self.finding("/dev/c", .garbled(octets: 9)),
    ]
    findings.insert(Self.controller("/dev/board", baud: 115_200), at: place)
    let settings = try BoardFinder.only(among: findings)
    #expect(settings == SerialSettings(path: "/dev/board", baud: 115_200, flowControl: false))
  }

  @Test("If no port answers, or several do, all are listed with their results")
  func neither() throws {
    let none = [
      Self.finding("/dev/a", .silent), Self.finding("/dev/b", .unavailable(Self.busy)),
      Self.finding("/dev/c", .garbled(octets: 9)),
    ]
    let unreachable = try #require(throws: TransportError.self) { try BoardFinder.only(among: none) }
    #expect(unreachable.kind == .unreachable)
    for words in ["/dev/a (silent)", "/dev/b (another program is using it)", "/dev/c (no controller: it sent 9 octets"]
    {
      #expect(unreachable.description.contains(words))
    }
    let several = [
      Self.controller("/dev/a"), Self.finding("/dev/b", .silent), Self.controller("/dev/c", baud: 115_200),
    ]
    let ambiguous = try #require(throws: TransportError.self) { try BoardFinder.only(among: several) }
    #expect(ambiguous.kind == .ambiguous && ambiguous.advice?.contains("--controller serial:PATH") == true)
    for words in [
      "/dev/a (a controller, HCI 5.4", "Zephyr, at 1000000 bit/s)", "at 115200 bit/s without flow control)",
    ] {
      #expect(ambiguous.description.contains(words))
    }
    #expect(try #require(throws: TransportError.self) { try BoardFinder.only(among: []) }.kind == .unreachable)
  }
}
