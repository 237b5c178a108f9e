import AccessoryProfile
import ArgumentParser
import BLECore
import BLEGATT
import BLELink
import BLESMP
import Glibc
import Understudy

/// Options for printing bonds.
struct BondOutputArguments: ParsableArguments {
  @Flag(help: "Show the keys, too. Anyone who has them can impersonate the peer.")
  var keys = false

  @Flag(help: "Print JSON.")
  var json = false

  /// Prints a list of bonds.
  func print(_ bonds: [BondRecord]) { Self.print(bonds, json: json, keys: keys) }

  static func print(_ bonds: [BondRecord], json: Bool, keys: Bool = false) {
    if json { return Terminal.print(json: bonds.report(withKeys: keys)) }
    if bonds.isEmpty { return Terminal.print("There are no bonds.") }
    for bond in bonds {
      Terminal.print(TerminalText(line(of: bond)))
      if keys { Terminal.print(TerminalText(lines: BondFormat.wireshark.text(of: [bond], own: nil).dropLast())) }
    }
  }

  /// Returns a value as JSON, on one line for programs.
  func text(of value: ProfileValue) -> TerminalText {
    json ? TerminalText(value.jsonText) : TerminalText(lines: value.indentedJSONText.dropLast())
  }

  private static func line(of bond: BondRecord) -> String {
    let strength = bond.bond.strength
    var words = [
      bond.peer.bondID, strength.isSecureConnections ? "Secure Connections" : "legacy",
      strength.isAuthenticated ? "authenticated" : "unauthenticated", "\(strength.keySize) octets",
    ]
    if !bond.gatt.configurations.isEmpty { words.append("\(bond.gatt.configurations.count) subscriptions") }
    if let name = bond.name { words.append(name) }
    return words.joined(separator: ", ")
  }
}

/// An address on the command line.
struct DeviceAddressArgument {
  var address: DeviceAddress
}

/// Functions that the subcommands of `bonds` share.
enum BondSelecting {
  /// The maximum number of octets in a file with bonds.
  private static let limit = 16 * 1024 * 1024

  @Sendable static func format(_ name: String) throws -> BondFormat {
    guard let format = BondFormat(rawValue: name) else {
      throw ValidationError("there is no format \(name) (known: \(BondFormat.names))")
    }
    return format
  }

  @Sendable static func address(_ text: String) throws -> DeviceAddressArgument {
    guard let address = DeviceAddress(text) else {
      throw ValidationError("\(text) is not an address such as C4:12:34:56:78:9A")
    }
    return DeviceAddressArgument(address: address)
  }

  static func bond(_ name: String, of store: StateStore) throws -> BondRecord {
    do throws(BondSelectionError) { return try store.bonds.named(name) } catch {
      Terminal.error("\(error)")
      throw ExitCode.failure
    }
  }

  static func checked<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as ProfileValueError {
      Terminal.error("\(error.message)")
      throw ExitStatus.invalidProfile
    }
  }

  static func save(_ store: inout StateStore) throws {
    do throws(StateFailure) { try store.saveAll() } catch { throw StoredAccessoryArguments.report(error) }
  }

  /// Returns the octets of a file, or of standard input.
  static func octets(of path: String) throws -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    func fail(_ reason: String) -> ExitCode {
      Terminal.error("\(path) cannot be read: \(reason)")
      return ExitStatus.noProfile
    }
    guard descriptor >= 0 else { throw fail(String(cString: strerror(errno))) }
    defer { if path != "-" { close(descriptor) } }
    var octets: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw fail(String(cString: strerror(errno))) }
      guard count > 0 else { return octets }
      octets += part.prefix(count)
      guard octets.count <= limit else { throw fail("it has more than \(limit) octets") }
    }
  }

  /// Returns the address that names a file's folder, as in BlueZ's layout; nil if none does.
  static func folderAddress(of path: String) -> DeviceAddress? {
    path.split(separator: "/").dropLast().last.flatMap { DeviceAddress($0) }
  }
}

extension BondFormat: ExpressibleByArgument {}
extension DeviceAddressArgument: ExpressibleByArgument {
  init?(argument: String) {
    guard let address = DeviceAddress(argument) else { return nil }
    self.address = address
  }
}
