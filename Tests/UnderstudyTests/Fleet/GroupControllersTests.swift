import BLEHCI
import Testing
import Transport

@testable import Understudy

@Suite("Controllers of groups")
struct GroupControllersTests {
  private static func serial(_ path: String) -> ControllerAddress { .serial(SerialSettings(path: path)) }

  private static let accepted: [([String], Int, GroupControllers)] = [
    ([], 1, .each([.virtual])), ([], 3, .each([.virtual, .virtual, .virtual])),
    (["virtual"], 1, .each([.virtual])), (["virtual"], 2, .each([.virtual, .virtual])),
    (["virtual", "virtual"], 2, .each([.virtual, .virtual])),
    (["auto"], 1, .each([.auto])), (["auto"], 2, .boards(2)),
    (["serial:/dev/a"], 1, .each([serial("/dev/a")])), (["serial:/dev/a"], 2, .shared(serial("/dev/a"), 2)),
    (["unix:/a"], 3, .shared(.unix(path: "/a"), 3)), (["pty:/tmp/a"], 2, .shared(.pty(link: "/tmp/a"), 2)),
    (["serial:/dev/b", "serial:/dev/a"], 2, .each([serial("/dev/b"), serial("/dev/a")])),
    (["serial:/dev/a", "virtual"], 2, .each([serial("/dev/a"), .virtual])),
    (["unix:/a", "unix:/a"], 2, .each([.unix(path: "/a"), .unix(path: "/a")])),
    (["pty", "pty"], 2, .each([.pty(link: nil), .pty(link: nil)])),
    (
      ["tcp-server:_:0", "tcp-server:_:0"], 2,
      .each([.tcpServer(host: "127.0.0.1", port: 0), .tcpServer(host: "127.0.0.1", port: 0)])
    ),
  ]

  @Test("One for each, or one for all if possible", arguments: accepted)
  func accepts(controllers: [String], count: Int, assignment: GroupControllers) throws {
    let addresses = try controllers.map { try ControllerAddress(parsing: $0) }
    #expect(try GroupControllers(addresses, accessories: count) == assignment)
  }

  private static let refused: [([String], Int, String)] = [
    (["serial:/dev/a", "serial:/dev/a"], 2, "give it once for all accessories"),
    (["virtual", "virtual"], 1, "2 controllers for one accessory"), (["virtual", "virtual"], 3, "give one for each"),
    (["auto", "auto"], 2, "auto chooses the boards for all accessories"),
    (["auto", "serial:/dev/a"], 2, "give it once"),
    (["serial:/dev/a", "serial:/dev/a,115200"], 2, "serial:/dev/a is given twice"),
    (["pty:/tmp/a", "pty:/tmp/a"], 2, "pty:/tmp/a is given twice"),
    (["tcp-server:_:5", "virtual", "tcp-server:_:5"], 3, "is given twice"),
  ]

  @Test("Impossible combinations are refused, with advice", arguments: refused)
  func refuses(controllers: [String], count: Int, reason: String) throws {
    let addresses = try controllers.map { try ControllerAddress(parsing: $0) }
    let error = try #require(throws: GroupControllersError.self) {
      try GroupControllers(addresses, accessories: count)
    }
    #expect(error.description.contains(reason))
  }

  @Test(
    "The kinds of controllers",
    arguments: [
      (["virtual"], true, false), (["serial:/a", "virtual"], true, true), (["unix:/a", "pty"], false, true),
      (["auto"], false, true), (["unix:/a"], false, true),
    ])
  func kinds(controllers: [String], hasVirtual: Bool, hasLine: Bool) throws {
    let assignment = try GroupControllers(
      try controllers.map { try ControllerAddress(parsing: $0) }, accessories: 2)
    #expect(assignment.hasVirtual == hasVirtual && assignment.hasLine == hasLine)
    #expect(assignment.isShared == (controllers == ["unix:/a"]))
  }

  // MARK: Boards

  private func finding(_ path: String, _ serial: String?, _ interface: UInt8 = 0, answers: Bool = true) -> PortFinding {
    var port = SerialPort(path: path)
    (port.serialNumber, port.interface) = (serial, interface)
    let identity = ControllerIdentity(version: .v5_4, subversion: 0, manufacturer: .zephyr, firmware: nil)
    return PortFinding(port: port, answer: answers ? .controller(identity, SerialSettings(path: path)) : .silent)
  }

  @Test("Boards are ordered by serial number, regardless of their paths")
  func order() throws {
    let findings = [
      finding("/dev/a", "3"), finding("/dev/b", "1", 2), finding("/dev/c", "1", 0, answers: false),
      finding("/dev/d", "2"), finding("/dev/e", nil), finding("/dev/f", "1", 1),
    ]
    let settings = try BoardFinder.boards(5, among: findings)
    #expect(settings.map(\.path) == ["/dev/e", "/dev/f", "/dev/b", "/dev/d", "/dev/a"])
  }

  @Test("A single board is shared by all")
  func singleBoard() throws {
    let settings = try BoardFinder.boards(
      3, among: [finding("/dev/a", "1", answers: false), finding("/dev/b", "2")])
    let assignment = GroupControllers.assignment(of: settings, to: 3)
    #expect(assignment == .shared(Self.serial("/dev/b"), 3))
    #expect(assignment.addresses == Array(repeating: Self.serial("/dev/b"), count: 3))
    #expect(GroupControllers.assignment(of: settings, to: 1) == .each([Self.serial("/dev/b")]))
  }

  @Test("If the number of boards differs from that of accessories, the error lists the boards", arguments: [1, 3])
  func number(count: Int) throws {
    let findings = [finding("/dev/a", "1"), finding("/dev/b", "2"), finding("/dev/c", "3", answers: false)]
    let error = try #require(throws: TransportError.self) { try BoardFinder.boards(count, among: findings) }
    #expect(error.kind == (count == 1 ? .ambiguous : .unreachable))
    for path in ["/dev/a", "/dev/b", "/dev/c (silent)"] { #expect(error.why.contains(path)) }
    #expect(error.why.contains("on 2 of the serial ports"))
  }
}
