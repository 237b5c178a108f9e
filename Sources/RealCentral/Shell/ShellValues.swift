import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import CentralHost
import Simulation
import UnderstudyCore

/// The shell's commands about services and values.
extension CentralShell {
  func list(discovering: Bool) throws {
    let link = try linkedToAttributes()
    if discovering { try central.discover(on: link) }
    for service in central.stack.remoteDatabase(of: link)?.services ?? [] {
      let range = "\(service.handles.lowerBound.hexadecimalText)-\(service.handles.upperBound.hexadecimalText)"
      say("\(range) \(service.uuid.profileName)\(service.isPrimary ? "" : ", secondary")")
      for characteristic in service.characteristics {
        let held = CharacteristicProperties.names.filter { characteristic.properties.contains($0.property) }
        let properties = held.map(\.name).joined(separator: ", ")
        say("  \(characteristic.value.hexadecimalText) \(characteristic.uuid.profileName): \(properties)")
        for descriptor in characteristic.descriptors {
          say("    \(descriptor.handle.hexadecimalText) \(descriptor.uuid.profileName)")
        }
      }
    }
  }

  func read(_ command: ShellCommand) throws {
    let (handle, link) = try attribute(command)
    show(try central.read(handle, on: link), handle, link, "is")
  }

  func write(_ command: ShellCommand) throws {
    let (handle, link) = try attribute(command)
    // `{"do": "write", "hex": "0102"}` is the form of octets in JSON.
    let value = command.arguments["value"] ?? command.arguments["hex"].map { .object(["hex": $0]) }
    let octets = try AttributeNaming.octets(value, as: format(of: handle, on: link))
    if command.verb == .write {
      try central.write(octets, to: handle, on: link)
    } else {
      try central.writeWithoutResponse(octets, to: handle, on: link)
    }
  }

  func subscribe(_ command: ShellCommand) throws {
    let (handle, link) = try attribute(command)
    let properties = central.stack.remoteDatabase(of: link)?.characteristic(withValue: handle)?.properties ?? .notify
    let wanted: ClientConfiguration = properties.contains(.notify) ? .notification : .indication
    try central.configure(handle, command.verb == .subscribe ? wanted : [], on: link)
  }

  /// Prints a value in its format.
  func show(_ value: [UInt8], _ handle: UInt16, _ link: ConnectionHandle, _ verb: String) {
    let characteristic = central.stack.remoteDatabase(of: link)?.characteristic(withValue: handle)
    let name = characteristic.map { $0.uuid.profileName } ?? handle.hexadecimalText
    let decoded = format(of: handle, on: link).decode(value)
    let text = decoded.octets == nil ? decoded.jsonText : "hex:\(value.hexadecimal)"
    say("\(name) \(verb) \(text)")
  }

  private func format(of handle: UInt16, on link: ConnectionHandle) -> ValueFormat {
    central.stack.remoteDatabase(of: link)?.characteristic(withValue: handle).map { .assigned(to: $0.uuid) } ?? .octets
  }

  /// Returns the handle that a command names.
  private func attribute(_ command: ShellCommand) throws -> (UInt16, ConnectionHandle) {
    let link = try linkedToAttributes()
    let text = command.text("attribute") ?? command.text("handle") ?? ""
    if case .int(let number)? = command.arguments["handle"], let handle = UInt16(exactly: number) {
      return (handle, link)
    }
    if text.hasPrefix("0x"), text.count == 6, let handle = AttributeNaming.number(text) { return (handle, link) }
    guard let uuid = AttributeNaming.uuid(text, .characteristic) else {
      throw ShellError("'\(text)' is not a name, UUID or handle (0x0012) of a characteristic: 'services' lists them")
    }
    if central.stack.remoteDatabase(of: link)?.characteristics.isEmpty ?? true { try central.discover(on: link) }
    guard let found = central.stack.remoteDatabase(of: link)?.characteristic(uuid) else {
      throw ShellError("the device has no \(text): 'services' lists its characteristics")
    }
    return (found.value, link)
  }
}

/// Names and numbers as people write them.
enum AttributeNaming {
  /// Returns a UUID by its text or its assigned name.
  static func uuid(_ text: String, _ kind: AssignedName.Kind) -> BluetoothUUID? {
    BluetoothUUID(text) ?? AssignedName.uuid(named: text, kind: kind)
  }

  /// Returns a number in decimal, or in hexadecimal after `0x`.
  static func number(_ text: String) -> UInt16? {
    text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
  }

  /// Returns the octets of a value: a literal such as `hex:0102`, or what the format permits, as JSON or a plain word.
  static func octets(_ value: ProfileValue?, as format: ValueFormat) throws(ShellError) -> [UInt8] {
    guard let value else { throw ShellError("the value is missing: write hex:0102, u16:500 or \"text\"") }
    var given = value
    if case .string(let text) = value {
      if let octets = ProfileValue.octets(ofLiteral: text) { return octets }
      if let json = try? ProfileValue(json: Array(text.utf8)) { given = json }
      if format == .octets {
        guard given.number == nil else {
          throw ShellError(
            "the format of this value is not known, so a number needs its width: u8:\(text), u16:\(text)")
        }
        return Array(text.utf8)
      }
    }
    do throws(ProfileValueError) { return try format.encode(given) } catch { throw ShellError(error.message) }
  }
}
