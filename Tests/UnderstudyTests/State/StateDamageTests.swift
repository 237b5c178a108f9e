import AccessoryProfile
import BLECore
import BLELink
import BLESMP
import Glibc
import Testing

@testable import Understudy

/// Damage to one file does not affect the others, and is reported.
@Suite("Damage to the store")
struct StateDamageTests {
  private let directory = TemporaryDirectory()
  private let bonds = (0..<2).map { StateSamples.bond($0) }

  /// Returns the folder of a complete store that no process has open.
  private func folder() throws -> String {
    var store = try StateStore.open(below: directory.path)
    for bond in bonds { store.keep(bond, at: .zero) }
    var runtime = RuntimeState()
    runtime.values = ["code": [1, 2]]
    runtime.advertising = ["main": false]
    runtime.psms = ["stream": 0x90]
    runtime.services = [
      .add(id: "log", json: #"{"id": "log"}"#), .remove(id: "extra"), .replace(id: "lock", json: "{}"),
    ]
    store.keep(runtime, at: .zero)
    try store.saveAll()
    return store.path
  }

  /// Opens the store with a damaged file, checks it, and restores the file.
  private func check(
    _ file: String, in folder: String, _ damaged: [UInt8], _ whole: [UInt8], _ comment: String
  ) throws {
    TestFile.write(damaged, to: "\(folder)/\(file)")
    let (found, runtime, damages) = try {
      let store = try StateStore.open(below: directory.path)
      return (Set(store.bonds), store.runtime, store.damages)
    }()
    let lost = bonds.filter { file == "bonds/\($0.peer.fileName)" }
    #expect(found == Set(bonds).subtracting(lost), "\(comment)")
    #expect(runtime.values.isEmpty == (file == "runtime.json"), "\(comment)")
    #expect(damages.count == 1, "\(comment)")
    let damage = try #require(damages.first)
    #expect(damage.path == "\(folder)/\(file)" && !damage.reason.isEmpty && !damage.remedy.isEmpty)
    let aside = try #require(damage.asideName)
    let place = "\(folder)/\(file.hasPrefix("bonds/") ? "bonds/" : "")\(aside)"
    #expect(TestFile.read(place) == damaged, "\(comment)")
    unlink(place)
    TestFile.write(whole, to: "\(folder)/\(file)")
  }

  private static let files = ["identity.json", "runtime.json", "bonds/\(StateSamples.bond(1).peer.fileName)"]

  @Test("Every truncation", arguments: files)
  func truncations(_ file: String) throws {
    let folder = try folder()
    let whole = TestFile.read("\(folder)/\(file)")
    #expect(whole.count > 100)
    for length in 0..<whole.count - 1 {
      try check(file, in: folder, Array(whole.prefix(length)), whole, "\(file) of \(length) octets")
    }
  }

  @Test("Flipped bits at random positions", arguments: files)
  func flips(_ file: String) throws {
    let folder = try folder()
    let whole = TestFile.read("\(folder)/\(file)")
    var random = SplitMix64(seed: 7)
    for round in 0..<200 {
      var damaged = whole
      for _ in 0...random.upTo(2) {
        let place = Int(random.upTo(UInt64(whole.count - 1)))
        damaged[place] ^= UInt8(1 + random.upTo(254))
      }
      if damaged != whole { try check(file, in: folder, damaged, whole, "\(file), round \(round)") }
    }
  }

  @Test("Files of the wrong kind: too large, of another version, accessible to others, links, folders, another bond's")
  func others() throws {
    let folder = try folder()
    let name = "bonds/\(bonds[1].peer.fileName)"
    let path = "\(folder)/\(name)"
    let whole = TestFile.read(path)
    try check(name, in: folder, whole + [UInt8](repeating: 0x20, count: 65_536), whole, "large")
    let newer = StateDocument.encode(.bond, bonds[1].json).withText {
      $0.replacing("\"version\": 1", with: "\"version\": 2")
    }
    try check(name, in: folder, newer, whole, "version")
    try check(name, in: folder, StateDocument.encode(.runtime, bonds[1].json), whole, "kind")
    try check(name, in: folder, StateDocument.encode(.bond, StateSamples.bond(9).json), whole, "another bond's")
    try check(name, in: folder, StateDocument.encode(.bond, bonds[1].json.merging(["x": .null]) { $1 }), whole, "field")
    try check(name, in: folder, Array("[]".utf8), whole, "no object")
    try check(name, in: folder, [UInt8](repeating: UInt8(ascii: "["), count: 60_000), whole, "deep")
    for make in [
      { chmod($0, 0o644) }, { chmod($0, 0o660) },
      { path in
        unlink(path)
        return symlink("/dev/zero", path)
      },
      { path in
        unlink(path)
        return mkfifo(path, 0o600)
      },
      { path in
        unlink(path)
        return mkdir(path, 0o700)
      },
    ] as [(String) -> CInt] {
      TestFile.write(whole, to: path)
      #expect(make(path) == 0)
      let store = try StateStore.open(below: directory.path)
      #expect(Set(store.bonds) == Set(bonds).subtracting([bonds[1]]) && store.damages.count == 1)
    }
    #expect(TestFile.names(in: "\(folder)/bonds").count { $0.contains(".damaged-") } == 5)
  }

  @Test("An edited file is accepted once the line with the check is removed")
  func edits() throws {
    let folder = try folder()
    let name = "bonds/\(bonds[1].peer.fileName)"
    let whole = TestFile.read("\(folder)/\(name)")
    let edited = whole.withText { $0.replacing("\"counter\": 7", with: "\"counter\": 8") }
    try check(name, in: folder, edited, whole, "edited")
    let lines = edited.withText {
      $0.split(separator: "\n").filter { !$0.contains("\"check\"") }.joined(separator: "\n")
    }
    TestFile.write(lines, to: "\(folder)/\(name)")
    let store = try StateStore.open(below: directory.path)
    #expect(store.damages.isEmpty && store.bonds.contains { $0.bond.peerSigning?.counter == 8 })
  }

  @Test("Read-only access changes nothing: damaged files stay, and a new accessory gets no files")
  func inspection() throws {
    let folder = try folder()
    let damaged = "bonds/\(bonds[1].peer.fileName)"
    TestFile.write([1, 2, 3], to: "\(folder)/\(damaged)")
    func look(below directory: String) throws -> StateStore {
      var random = SplitMix64(seed: 1)
      return try StateStore(
        inspecting: try StateSamples.profile(), seed: 0, below: directory, random: &random)
    }
    let damages = try {
      let store = try look(below: directory.path)
      #expect(store.bonds == [bonds[0]])
      return store.damages
    }()
    #expect(damages.map(\.path) == ["\(folder)/\(damaged)"] && damages.first?.asideName == nil)
    #expect(TestFile.read("\(folder)/\(damaged)") == [1, 2, 3])
    #expect(!TestFile.names(in: "\(folder)/bonds").contains { $0.contains(".damaged-") })
    let fresh = try look(below: "\(directory.path)/fresh")
    #expect(fresh.bonds.isEmpty && !TestFile.names(in: fresh.path).contains("identity.json"))
  }

  @Test("Numbers after the name count up, so that no file that was set aside is lost")
  func numbers() throws {
    let folder = try folder()
    for _ in 0..<3 {
      TestFile.write([1], to: "\(folder)/runtime.json")
      _ = try StateStore.open(below: directory.path)
    }
    #expect(
      TestFile.names(in: folder).filter { $0.hasPrefix("runtime") }
        == ["runtime.json.damaged-1", "runtime.json.damaged-2", "runtime.json.damaged-3"])
  }

  @Test("The CRC-32 is the standard one")
  func checksum() { #expect(CRC32.checksum(of: Array("123456789".utf8)[...]) == 0xCBF4_3926) }
}

extension [UInt8] {
  fileprivate func withText(_ change: (String) -> String) -> [UInt8] {
    Array(change(String(decoding: self, as: UTF8.self)).utf8)
  }
}
