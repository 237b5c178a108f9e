import AccessoryProfile
import Transport
import Understudy

/// A report about a serial port.
struct PortReport {
  var port: SerialPort
  /// The answer of the device on it, if it was probed.
  var answer: PortFinding.Answer?

  /// The address for running an accessory on it.
  private var address: ControllerAddress {
    var settings = SerialSettings(path: port.path)
    if case .controller(_, let working) = answer { settings = working }
    settings.path = port.stablePath ?? port.path
    return .serial(settings)
  }

  /// The report for a person.
  var lines: [TerminalText] {
    var details = port.usbID.map { [$0] } ?? []
    if let number = port.serialNumber { details.append("serial number \(number)") }
    if let interface = port.interface { details.append("interface \(interface)") }
    var lines = [head(port.path, [port.manufacturer, port.product], details)]
    func add(_ name: String, _ text: String) { lines.append(detail(name, text)) }
    if let link = port.stablePath { add("stable name", link) }
    add("board", port.identity.map(\.words) ?? "unknown device")
    if !port.isAccessible, answer == nil {
      add("access", "you do not have permission to open it: run `sudo Hardware/udev/install`")
    }
    if let answer { add("controller", words(of: answer)) }
    if port.mayCarryController { add("use", "--controller \(address)") }
    return lines
  }

  private func words(of answer: PortFinding.Answer) -> String {
    if case .unavailable(let error) = answer { return error.why + (error.advice.map { ": \($0)" } ?? "") }
    return answer.text
  }

  /// The report for a program.
  var json: ProfileValue {
    var fields: [String: ProfileValue] = [
      "kind": .string("serial"), "path": .string(port.path), "stable_path": text(port.stablePath),
      "usb_id": text(port.usbID),
      "manufacturer": text(port.manufacturer), "product": text(port.product),
      "serial_number": text(port.serialNumber),
      "interface": port.interface.map { .int(Int64($0)) } ?? .null, "accessible": .bool(port.isAccessible),
      "board": text(port.identity?.board), "role": text(port.identity?.role.rawValue),
      "identity_source": text(port.identity?.source), "identity_certainty": text(port.identity?.certainty.rawValue),
      "may_carry_controller": .bool(port.mayCarryController), "address": .string(address.description),
    ]
    if let answer { fields["probe"] = .object(answer.fields) }
    return .object(fields)
  }
}

extension BluetoothAdapter {
  /// The report for a person.
  var lines: [TerminalText] {
    [
      head(name, [manufacturer, product], usbID.map { [$0] } ?? []),
      detail("board", "a Bluetooth adapter of this machine"),
      detail("use", "--controller \(address)"),
    ]
  }

  /// The report for a program.
  var json: ProfileValue {
    .object([
      "kind": .string("adapter"), "name": .string(name), "usb_id": text(usbID), "manufacturer": text(manufacturer),
      "product": text(product), "address": .string(address.description),
    ])
  }
}

/// Returns the name of a device, with its details in parentheses.
private func head(_ name: String, _ words: [String?], _ details: [String]) -> TerminalText {
  let device = words.compactMap(\.self).joined(separator: " ")
  return Terminal.styled(name, .bold) + (device.isEmpty ? "" : "  \(device)")
    + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
}

/// Returns one detail of a device.
private func detail(_ name: String, _ text: String) -> TerminalText {
  TerminalText("  \(name)\(String(repeating: " ", count: 13 - name.count))\(text)")
}

private func text(_ value: String?) -> ProfileValue { value.map { .string($0) } ?? .null }

extension USBIdentity {
  /// The board, and whether its number was verified.
  fileprivate var words: String {
    board + (certainty == .remembered ? " (by a number that has not been verified)" : "")
  }
}

extension PortFinding.Answer {
  fileprivate var fields: [String: ProfileValue] {
    switch self {
    case .controller(let identity, let settings):
      [
        "answer": .string("controller"), "version": .string("\(identity.version)"),
        "manufacturer": .string("\(identity.manufacturer)"),
        "firmware": identity.firmware.map { .string($0) } ?? .null, "baud": .int(Int64(settings.baud)),
        "flow_control": .bool(settings.flowControl),
      ]
    case .garbled(let octets): ["answer": .string("garbled"), "octets": .int(Int64(octets))]
    case .silent: ["answer": .string("silent")]
    case .unavailable(let error):
      [
        "answer": .string("unavailable"), "reason": .string(error.why),
        "advice": error.advice.map { .string($0) } ?? .null,
      ]
    }
  }
}
