import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import BLESMP
import Foundation

@testable import Understudy

/// A temporary directory that is removed with this object.
final class TemporaryDirectory: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/understudy-state-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
  }

  deinit {
    guard path.hasPrefix("/tmp/understudy-state-") else { return }
    try? FileManager.default.removeItem(atPath: path)
  }
}

enum StateSamples {
  /// A profile with every kind of state that survives.
  static let text = """
    understudy: 1
    name: Door Lock
    advertising:
      - { id: main, kind: legacy, data: { flags: [general], name: complete } }
      - { id: beacon, kind: extended, data: { flags: [general] }, start: manual }
    services:
      - id: lock
        uuid: FFF0
        characteristics:
          - { id: code, uuid: FFF1, format: u16, properties: [read, write], value: 1234, persistent: true }
          - { id: label, uuid: FFF2, format: utf8, properties: [read, write], value: door, persistent: true }
          - { id: counter, uuid: FFF3, format: u8, properties: [read, write], value: 1 }
      - id: extra
        uuid: FFE0
        characteristics: [ { id: note, uuid: FFE1, format: u8, properties: [read, notify], value: 7 } ]
    l2cap: [ { id: stream, psm: new, psm-characteristic: { service: lock, id: psm }, handler: echo } ]
    """

  /// Loaded once, because some tests open a store thousands of times.
  private static let loaded = Result { try Profile.load(text: text) }

  static func profile() throws -> Profile { try loaded.get() }

  /// Returns a bond with all possible contents, a different one for each number.
  static func bond(_ number: UInt64) -> BondRecord {
    var random = SplitMix64(seed: number)
    func key() -> [UInt8] { [random.next(), random.next()].flatMap(\.littleEndianOctets) }
    var bond = Bond(
      peer: TypedAddress(address: .randomStatic(from: random.next()), isRandom: true),
      strength: KeyStrength(isAuthenticated: true, isSecureConnections: number % 2 == 0, keySize: 16))
    bond.keyAsPeripheral = LongTermKey(key: key(), diversifier: 0xFEDC, random: .max - number)
    bond.keyAsCentral = LongTermKey(key: key(), diversifier: 1, random: number)
    bond.identityResolvingKey = key()
    bond.ownSigning = SigningKey(key: key(), counter: .max)
    bond.peerSigning = SigningKey(key: key(), counter: 7)
    bond.linkKey = key()
    var gatt = GATTBondState()
    gatt.configurations = ["note": 1, "service-changed": 2]
    gatt.features = 7
    gatt.isChangeAware = false
    gatt.databaseFingerprint = random.next()
    gatt.unreportedChange = [3, 0xFFFF]
    var record = BondRecord(bond: bond, gatt: gatt, name: "Télé \"\(number)\"\n")
    record.values = ["brightness": [50], "offset": [0x18, 30], "empty": []]
    return record
  }
}

extension StateStore {
  /// Opens the store of the profile of these tests.
  static func open(below directory: String, seed: UInt64 = 0) throws(StateFailure) -> StateStore {
    var random = SplitMix64(seed: 1)
    guard let profile = try? StateSamples.profile() else { throw .unusable(path: "", reason: "profile") }
    return try StateStore(of: profile, seed: seed, below: directory, random: &random)
  }
}

/// The contents of files.
enum TestFile {
  static func read(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    var octets = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&octets, 1, octets.count, file)
    return Array(octets.prefix(count))
  }

  static func write(_ octets: [UInt8], to path: String, mode: mode_t = 0o600) {
    guard let file = fopen(path, "wb") else { return }
    fwrite(octets, 1, octets.count, file)
    fclose(file)
    chmod(path, mode)
  }

  static func names(in path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  static func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }
}
