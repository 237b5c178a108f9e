import BLECore
import BLEHCI
import Glibc
import Testing
import Transport

@testable import Understudy

@Suite("Judging a port")
struct PortCheckTests {
  private func facts(_ configure: (inout PortFacts) -> Void) -> PortFacts {
    var facts = PortFacts(path: "/dev/ttyACM0")
    configure(&facts)
    return facts
  }

  /// Returns the port of a board on USB.
  private func usb(_ configure: (inout SerialPort) -> Void = { _ in }) -> SerialPort {
    var port = SerialPort(path: "/dev/ttyACM0")
    (port.vendorID, port.productID) = (0x1366, 0x1051)
    port.stablePath = "/dev/understudy/1-if00"
    configure(&port)
    return port
  }

  @Test("A port that exists and is free")
  func ready() {
    #expect(
      PortCheck(facts: facts { $0.port = usb() }).port
        == .portReady(path: "/dev/ttyACM0", stablePath: "/dev/understudy/1-if00", isUSB: true))
    let plain = PortCheck(facts: facts { _ in }).port
    #expect(plain == .portReady(path: "/dev/ttyACM0", stablePath: nil, isUSB: false) && plain.verdict == .ok)
    let nameless = PortCheck(facts: facts { $0.port = usb { $0.stablePath = nil } }).port
    #expect(nameless.verdict == .warning)
  }

  @Test("Reasons why a port cannot be used")
  func obstacles() {
    #expect(PortCheck(facts: facts { $0.exists = false }).port == .portMissing(path: "/dev/ttyACM0"))
    let forbidden = PortCheck(
      facts: facts {
        $0.isAccessible = false
        $0.group = "uucp"
      }
    ).port
    #expect(forbidden.verdict == .failed)
    #expect(StepFinding(.port, forbidden).fix?.contains("usermod -aG uucp") == true)
    let holder = PortHolder(process: 7, name: "minicom")
    let held = PortCheck(facts: facts { $0.holders = [holder] })
    #expect(held.port.verdict == .warning)
    let busy = held.refused(TransportError(kind: .busy, what: "", place: "", why: ""))
    #expect(busy == .portHeld(path: "/dev/ttyACM0", by: [holder], isLocked: true) && busy.verdict == .failed)
    #expect(StepFinding(.port, busy).found.contains("minicom (7)"))
  }

  @Test("ModemManager matters for USB ports that it does not ignore")
  func modemManager() {
    #expect(PortCheck(facts: facts { $0.modemManagerRuns = true }).modemManager == .skipped(.notUSB))
    #expect(PortCheck(facts: facts { $0.port = usb() }).modemManager == .noModemManager)
    let near = facts {
      $0.port = usb()
      $0.modemManagerRuns = true
    }
    #expect(PortCheck(facts: near).modemManager == .modemManagerNear)
    let away = facts {
      $0.port = usb { $0.isIgnoredByModemManager = true }
      $0.modemManagerRuns = true
    }
    #expect(PortCheck(facts: away).modemManager == .modemManagerKeptAway)
  }

  @Test("CTS matters only with flow control")
  func modemLines() {
    let low = ModemLines(cts: false, dsr: true, dtr: true, rts: true)
    #expect(Observation.modemLines(low, flowControl: true).verdict == .failed)
    #expect(Observation.modemLines(low, flowControl: false).verdict == .ok)
    let high = ModemLines(cts: true, dsr: false, dtr: true, rts: true)
    #expect(Observation.modemLines(high, flowControl: true).verdict == .ok)
  }

  @Test("The given settings are tried first, and none twice")
  func alternatives() {
    let given = SerialSettings(path: "/dev/ttyACM0", baud: 115_200, flowControl: false)
    let tried = given.alternatives
    #expect(tried.first == given && Set(tried).count == tried.count && tried.allSatisfy { $0.path == given.path })
    #expect(
      PortProbe.speeds.allSatisfy { speed in
        tried.contains { $0.baud == speed.baud && $0.flowControl == speed.flowControl }
      })
    let odd = SerialSettings(path: "/dev/ttyACM0", baud: 31_250)
    #expect(odd.alternatives.count == tried.count + 1)
  }

  @Test("A process that has a port open is found")
  func holders() throws {
    let terminal = try PseudoTerminal.open()
    let line = try Line.openSerial(SerialSettings(path: terminal.devicePath))
    let facts = PortFacts.gather(at: terminal.devicePath)
    // This process itself does not count.
    #expect(facts.exists && facts.isAccessible && facts.holders.isEmpty && facts.port == nil)
    #expect(line.modemLines == nil)
    #expect(!PortFacts.gather(at: "/dev/understudy-absent").exists)
  }
}

@Suite("Firmware options that the doctor names")
struct DoctorConfigurationTests {
  private static let folder = URL.zephyr

  @Test("Hardware/zephyr sets and explains each of them")
  func options() throws {
    let configuration = try text("understudy.conf").split(separator: "\n")
    let symbols = try text("symbols.csv").split(separator: "\n").compactMap { $0.split(separator: ",").first }
    let findings: [StepFinding] = [
      StepFinding(.extendedAdvertising, .missing(.zephyr)), StepFinding(.phy2M, .missing(.zephyr)),
      StepFinding(.phyCoded, .missing(.zephyr)), StepFinding(.advertisingSets, .amount(1, wanted: 2, .zephyr)),
      StepFinding(.advertisingData, .amount(31, wanted: 191, .zephyr)),
      StepFinding(.dataLength, .amount(27, wanted: 251, .zephyr)),
      StepFinding(.aclBuffers, .buffers(length: 27, count: 7, .zephyr)),
    ]
    for finding in findings {
      #expect(!finding.configuration.isEmpty)
      for option in finding.configuration {
        #expect(configuration.contains(option[...]), "\(option)")
        let symbol = option.dropFirst("CONFIG_".count).prefix { $0 != "=" }
        #expect(symbols.contains(symbol), "\(symbol)")
        #expect(finding.fix?.contains(option) == true)
      }
    }
    #expect(StepFinding(.phy2M, .missing(.nimble)).configuration.isEmpty)
  }

  private func text(_ name: String) throws -> String {
    let line = try Line.openFile(path: Self.folder + name)
    var buffer = OctetBuffer()
    while case .octets = line.read(into: &buffer) {}
    return String(decoding: buffer.copy(), as: UTF8.self)
  }
}

/// The location of the firmware's configuration.
private enum URL {
  static var zephyr: String {
    var parts = #filePath.split(separator: "/")
    parts.removeLast(4)
    return "/" + parts.joined(separator: "/") + "/Hardware/zephyr/"
  }
}
