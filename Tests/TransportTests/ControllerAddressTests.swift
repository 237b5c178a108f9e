import Testing
import Transport

@Suite("Controller address")
struct ControllerAddressTests {
  @Test(
    "Every form is parsed",
    arguments: [
      ("virtual", .virtual), ("auto", .auto), ("pty", .pty(link: nil)), ("pty:/tmp/radio", .pty(link: "/tmp/radio")),
      ("serial:/dev/ttyACM0", .serial(SerialSettings(path: "/dev/ttyACM0"))),
      ("serial:/dev/ttyACM0,115200", .serial(SerialSettings(path: "/dev/ttyACM0", baud: 115_200))),
      ("serial:/dev/ttyS1,noflow", .serial(SerialSettings(path: "/dev/ttyS1", flowControl: false))),
      (
        "serial:/dev/ttyS1,250000,noflow",
        .serial(SerialSettings(path: "/dev/ttyS1", baud: 250_000, flowControl: false))
      ),
      ("tcp-client:localhost:6402", .tcpClient(host: "localhost", port: 6402)),
      ("tcp-client:[::1]:6402", .tcpClient(host: "::1", port: 6402)),
      ("tcp-server:0.0.0.0:0", .tcpServer(host: "0.0.0.0", port: 0)),
      ("tcp-server:_:9000", .tcpServer(host: "127.0.0.1", port: 9000)),
      ("tcp-server::9000", .tcpServer(host: "127.0.0.1", port: 9000)),
      ("unix:/run/radio:1", .unix(path: "/run/radio:1")), ("hci:0", .hci(0)), ("hci:17", .hci(17)),
    ] as [(String, ControllerAddress)])
  func forms(_ text: String, _ address: ControllerAddress) throws {
    #expect(try ControllerAddress(parsing: text) == address)
    #expect(try ControllerAddress(parsing: address.description) == address)
  }

  @Test(
    "Errors are reported",
    arguments: [
      ("", "it is empty"), ("usb:0", "'usb' is not a kind of controller"), ("virtual:1", "takes no parameters"),
      ("/dev/ttyACM0", "did you mean serial:/dev/ttyACM0?"), ("serial", "the path of the port is missing"),
      ("serial:", "the path of the port is missing"), ("serial:,115200", "the path of the port is missing"),
      ("serial:/dev/ttyACM0,fast", "'fast' is not an option of serial"),
      ("serial:/dev/ttyACM0,", "'' is not an option of serial"),
      ("serial:/dev/ttyACM0,10", "'10' is not a speed"), ("serial:/dev/ttyACM0,99999999999", "is not a speed"),
      ("serial:/dev/ttyACM0,9600x", "'9600x' is not a speed"), ("tcp-client", "it needs HOST:PORT"),
      ("tcp-client:host", "it needs HOST:PORT"), ("tcp-client::9000", "the host is missing"),
      ("tcp-client:_:9000", "the host is missing"), ("tcp-client:host:", "the port is missing"),
      ("tcp-client:host:0", "port 0"), ("tcp-client:::1:9000", "an IPv6 address goes in brackets"),
      ("tcp-server:_:65536", "'65536' is not a port"), ("tcp-server:_:+1", "'+1' is not a port"),
      ("tcp-server:9000", "it needs HOST:PORT"), ("unix", "the path is missing"), ("unix:", "the path is missing"),
      ("pty:", "the path of the link is missing"), ("hci", "the number of the adapter is missing"),
      ("hci:", "the number of the adapter is missing"), ("hci:hci0", "'hci0' is not the number of an adapter"),
      ("hci:-1", "'-1' is not the number of an adapter"), ("hci:65535", "'65535' is not the number"),
      ("hci0", "did you mean hci:0?"),
    ])
  func errors(_ text: String, _ reason: String) throws {
    let error = try #require(throws: ControllerAddress.ParseError.self) { try ControllerAddress(parsing: text) }
    #expect(error.description.contains(reason))
    #expect(error.description.hasPrefix("bad controller address '\(text)': "))
    for form in ControllerAddress.forms { #expect(error.description.contains(form)) }
  }

  @Test("Controllers without a line cannot be opened", arguments: [ControllerAddress.virtual, .auto])
  func noLine(_ address: ControllerAddress) {
    #expect(throws: TransportError.self) { try address.open() }
  }
}
