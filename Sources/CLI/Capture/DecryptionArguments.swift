import AccessoryProfile
import ArgumentParser
import BLECore
import BLELink
import BLESMP
import Understudy

/// The keys for decrypting captures of the air.
struct DecryptionArguments: ParsableArguments {
  @Option(
    name: .customLong("ltk"),
    help: ArgumentHelp(
      "A Long Term Key of 32 digits, to decrypt packets that were encrypted on the air; may be repeated.",
      valueName: "hex"))
  var longTermKeys: [String] = []

  @Option(
    help: ArgumentHelp(
      "A file with bonds, to decrypt with their keys: from `understudy bonds export`, Bumble or BlueZ.",
      valueName: "file"))
  var bonds: String?

  func validate() throws {
    for text in longTermKeys where Self.octets(text) == nil {
      throw ValidationError("--ltk \(text): a key has 32 hexadecimal digits")
    }
  }

  /// Returns all keys, of 16 octets each.
  func keys() throws -> [[UInt8]] {
    let given = longTermKeys.compactMap(Self.octets)
    guard let bonds else { return given }
    let octets = try BondSelecting.octets(of: bonds)
    let records = try BondSelecting.checked {
      try BondFormat.guess(octets).bonds(from: octets, peer: BondSelecting.folderAddress(of: bonds) ?? Self.nobody)
    }
    return given + records.flatMap { [$0.bond.keyAsPeripheral, $0.bond.keyAsCentral].compactMap { $0?.key } }
  }

  /// The owner of the keys does not matter here.
  private static let nobody = DeviceAddress(bits: 0)

  private static func octets(_ text: String) -> [UInt8]? {
    let digits = Array(text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...])
    guard digits.count == 32 else { return nil }
    let octets = stride(from: 0, to: 32, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    return octets.count == 16 ? octets : nil
  }
}
