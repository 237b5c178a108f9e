import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import BLESMP
import Glibc
import PeripheralHost
import Testing

@testable import Understudy

@Suite("The store of an accessory")
struct StateStoreTests {
  private let directory = TemporaryDirectory()

  @Test("Everything in a bond is restored")
  func bonds() throws {
    let bonds = (0..<20).map { StateSamples.bond($0) }
    do {
      var store = try StateStore.open(below: directory.path)
      for bond in bonds { store.keep(bond, at: .zero) }
      try store.save(at: .zero)
    }
    let store = try StateStore.open(below: directory.path)
    #expect(Set(store.bonds) == Set(bonds))
    #expect(store.damages.isEmpty)
  }

  @Test("An empty bond is also restored")
  func barestBond() throws {
    let bare = BondRecord(
      bond: Bond(
        peer: TypedAddress(address: DeviceAddress(bits: 1), isRandom: false),
        strength: KeyStrength(isAuthenticated: false, isSecureConnections: false, keySize: 7)))
    #expect(try BondRecord(json: bare.json) == bare)
  }

  @Test("New keys and signing counters are on disk at once; the server's data of a client follows")
  func durability() throws {
    var store = try StateStore.open(below: directory.path)
    var bond = StateSamples.bond(1)
    store.keep(bond, at: .zero)
    #expect(store.due == .zero)
    try store.save(at: .zero)
    #expect(store.due == nil && stored(bond, in: store))
    bond.bond.peerSigning?.counter += 1
    store.keep(bond, at: .zero)
    try store.save(at: .zero)
    #expect(stored(bond, in: store))
    bond.gatt.configurations["note"] = 0
    store.keep(bond, at: .zero)
    try store.save(at: .zero)
    #expect(store.due == .zero + StateStore.delay && !stored(bond, in: store))
    try store.save(at: .zero + StateStore.delay)
    #expect(store.due == nil && stored(bond, in: store))
    bond.bond.strength.keySize = 7
    store.keep(bond, at: .zero)
    try store.save(at: .zero)
    #expect(stored(bond, in: store))
    store.forget(bond.peer, at: .zero)
    try store.save(at: .zero)
    #expect(TestFile.names(in: "\(store.path)/bonds").isEmpty)
  }

  @Test("A thousand bonds that change together are written a few at a time")
  func batches() throws {
    var store = try StateStore.open(below: directory.path)
    let bonds = (0..<50).map { StateSamples.bond($0) }
    for bond in bonds { store.keep(bond, at: .zero) }
    try store.saveAll()
    for bond in bonds {
      var changed = bond
      changed.gatt.isChangeAware = true
      store.keep(changed, at: .zero)
    }
    var turns = 0
    while let due = store.due {
      try store.save(at: due)
      turns += 1
    }
    #expect(turns == (50 + StateStore.batch - 1) / StateStore.batch)
  }

  private func stored(_ bond: BondRecord, in store: StateStore) -> Bool {
    let octets = TestFile.read("\(store.path)/bonds/\(bond.peer.fileName)")
    guard let fields = try? StateDocument.decode(octets, .bond) else { return false }
    return (try? BondRecord(json: fields)) == bond
  }

  @Test("An accessory keeps its identity, and another profile, seed or run has a different one")
  func identity() throws {
    let first = try StateStore.open(below: directory.path)
    let derived = try StateSamples.profile().identity.randomAddress(seed: 0)
    #expect(first.address == derived)
    let other = try StateStore.open(below: directory.path, seed: 1)
    #expect(other.path != first.path && other.address != first.address)
    let (path, identity) = (first.path, first.identity)
    let elsewhere = TemporaryDirectory()
    let same = try StateStore.open(below: elsewhere.path).identity.address
    #expect(same == identity.address)
    #expect(path.hasPrefix("\(directory.path)/door-lock-"))
  }

  @Test("After a change of identity, it has a new address and key, and its bonds are set aside")
  func rotation() throws {
    let profile = try StateSamples.profile()
    var random = SplitMix64(seed: 5)
    var old: StoredIdentity?
    var new: StoredIdentity?
    do {
      var store = try StateStore.open(below: directory.path)
      old = store.identity
      store.keep(StateSamples.bond(1), at: .zero)
      let names = try store.rotateIdentity(profile, random: &random)
      #expect(names == ["\(StateSamples.bond(1).peer.fileName).rotated-1"] && store.bonds.isEmpty)
      new = store.identity
    }
    let store = try StateStore.open(below: directory.path)
    #expect(store.identity == new && store.bonds.isEmpty && store.damages.isEmpty)
    #expect(new?.address != old?.address && new?.identityResolvingKey != old?.identityResolvingKey)
    #expect(new?.address?.isValidRandomStatic == true && new?.rotations == 1)
  }

  @Test("Only its owner can read it, whatever the process's umask")
  func modes() throws {
    var store = try StateStore.open(below: directory.path)
    store.keep(StateSamples.bond(1), at: .zero)
    try store.saveAll()
    #expect(TestFile.mode(store.path) == 0o700 && TestFile.mode("\(store.path)/bonds") == 0o700)
    for file in ["identity.json", "lock", "bonds/\(StateSamples.bond(1).peer.fileName)"] {
      #expect(TestFile.mode("\(store.path)/\(file)") == 0o600)
    }
  }

  @Test("A second process with the same accessory gets the owner's name; when the first has ended, it succeeds")
  func lock() throws {
    var first: StateStore? = try StateStore.open(below: directory.path)
    let path = try #require(first?.path)
    #expect(throws: StateFailure.inUse(path: path, process: Int(getpid()))) {
      try StateStore.open(below: directory.path)
    }
    first = nil
    _ = try StateStore.open(below: directory.path)
  }

  @Test("A path that cannot be a folder is reported, and nothing is created")
  func impossible() throws {
    TestFile.write([], to: "\(directory.path)/file")
    #expect(throws: StateFailure.self) { try StateStore.open(below: "\(directory.path)/file") }
    let path = "\(directory.path)/\(try StateSamples.profile().stateFolderName(seed: 0))"
    symlink("/tmp", path)
    #expect(throws: StateFailure.self) { try StateStore.open(below: directory.path) }
  }

  @Test("Partial files of a killed process are ignored and removed")
  func leftovers() throws {
    let path: String
    do {
      var store = try StateStore.open(below: directory.path)
      path = store.path
      store.keep(StateSamples.bond(1), at: .zero)
      try store.saveAll()
    }
    let names = ["\(path)/identity.json.new", "\(path)/bonds/\(StateSamples.bond(2).peer.fileName).new"]
    for name in names { TestFile.write(Array("{".utf8), to: name) }
    let store = try StateStore.open(below: directory.path)
    #expect(store.bonds == [StateSamples.bond(1)] && store.damages.isEmpty)
    for name in names { #expect(access(name, F_OK) != 0) }
  }
}
