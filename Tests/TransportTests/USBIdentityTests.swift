import Testing
import Transport

@Suite("USB identities of serial ports")
struct USBIdentityTests {
  private static func port(_ vendor: UInt16, _ product: UInt16, _ name: String? = nil) -> SerialPort {
    var port = SerialPort(path: "/dev/ttyACM0")
    (port.vendorID, port.productID, port.product) = (vendor, product, name)
    return port
  }

  @Test(
    "The numbers identify the device of the port",
    arguments: [
      (0x1366, 0x1015, USBIdentity.Role.probe, USBIdentity.Certainty.read), (0x1366, 0x1051, .probe, .read),
      (0x1366, 0x0105, .probe, .read), (0x1366, 0x1001, .probe, .read), (0x1366, 0x106F, .probe, .read),
      (0x1366, 0x1055, .probe, .read), (0x1366, 0x1061, .probe, .read), (0x2FE3, 0x0004, .board, .read),
      (0x2FE3, 0x0100, .board, .read), (0x1915, 0x521F, .bootloader, .remembered),
      (0x239A, 0x8029, .board, .remembered), (0x2886, 0x8045, .board, .remembered), (0x0403, 0x6001, .adapter, .read),
      (0x10C4, 0xEA60, .adapter, .read), (0x1A86, 0x7523, .adapter, .read),
    ] as [(UInt16, UInt16, USBIdentity.Role, USBIdentity.Certainty)])
  func known(
    _ vendor: UInt16, _ product: UInt16, _ role: USBIdentity.Role, _ certainty: USBIdentity.Certainty
  ) throws {
    let port = Self.port(vendor, product)
    let identity = try #require(port.identity)
    #expect(identity.role == role && identity.certainty == certainty && !identity.board.isEmpty)
    #expect(port.mayCarryController == (role != .bootloader))
  }

  @Test("The product name distinguishes our firmware from other Zephyr builds")
  func productName() {
    #expect(Self.port(0x2FE3, 0x0004, "Understudy HCI").identity?.role == .controller)
    #expect(Self.port(0x2FE3, 0x1234, "Understudy HCI").identity?.role == .controller)
    #expect(Self.port(0x2FE3, 0x0004, "USB-DEV").identity?.role == .board)
    #expect(Self.port(0x1915, 0x0004, "Understudy HCI").identity == nil)
  }

  @Test(
    "An unknown device may be a controller",
    arguments: [(0x2FE3, 0x000B), (0x2FE3, 0x000C), (0x1366, 0x1000), (0x1366, 0x1070), (0x1915, 0x520F)]
      as [(UInt16, UInt16)])
  func unknown(_ vendor: UInt16, _ product: UInt16) {
    let port = Self.port(vendor, product)
    #expect(port.identity == nil && port.mayCarryController)
  }

  @Test("Numbers are written with four digits, and only together")
  func text() {
    #expect(Self.port(0x0403, 0x0004).usbID == "0403:0004")
    var half = Self.port(0x0403, 0x0004)
    half.productID = nil
    #expect(half.usbID == nil && half.identity == nil && SerialPort(path: "/dev/ttyS0").usbID == nil)
  }

  @Test("A port is the same under any path and link, and different on another device or interface")
  func sameness() {
    var port = Self.port(0x1366, 0x1051)
    (port.serialNumber, port.interface, port.stablePath) = ("000683000001", 0, "/dev/serial/by-id/a")
    func changed(_ change: (inout SerialPort) -> Void) -> SerialPort {
      var other = port
      change(&other)
      return other
    }
    #expect(port.isSame(as: changed { ($0.path, $0.stablePath) = ("/dev/ttyACM7", nil) }))
    #expect(!port.isSame(as: changed { $0.serialNumber = "000683000002" }))
    #expect(!port.isSame(as: changed { $0.serialNumber = nil }))
    #expect(!port.isSame(as: changed { $0.interface = 2 }))
    #expect(!port.isSame(as: changed { $0.productID = 0x1015 }))
    #expect(!port.isSame(as: changed { $0.vendorID = 0x2FE3 }))
    // Without a serial number, only the kind is known.
    let nameless = changed { $0.serialNumber = nil }
    #expect(nameless.isSame(as: nameless))
  }

  @Test(
    "Boards may return, and programs may not",
    arguments: [
      ("auto", true), ("serial:/dev/ttyACM0", true), ("serial:/dev/nonexistent", true), ("virtual", false),
      ("tcp-client:127.0.0.1:1", false), ("tcp-server:_:0", false), ("unix:/tmp/x", false), ("pty", false),
    ])
  func comingBack(_ text: String, _ mayComeBack: Bool) throws {
    let address = try ControllerAddress(parsing: text)
    #expect(address.mayComeBack == mayComeBack)
  }

  @Test("Terminals of programs do not return")
  func terminals() throws {
    let terminal = try PseudoTerminal.open()
    #expect(!ControllerAddress.serial(SerialSettings(path: terminal.devicePath)).mayComeBack)
    terminal.line.close()
  }
}
