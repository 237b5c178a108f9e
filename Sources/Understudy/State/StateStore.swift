import AccessoryProfile
import BLECore
import BLELink
import BLESMP
import Glibc

/// What an accessory keeps from run to run, and when it comes to the disk.
///
/// The identity, and every bond that is new, has other keys or signing counters, or is gone, are on the disk before `save` returns in the same turn of
/// the loop, and that is before anything of the turn is sent or told. Everything else, such as subscriptions,
/// follows within `delay`, a few files at a time, so that the loop never waits long.
package struct StateStore {
  /// How long what is not urgent may wait for more of its kind.
  package static let delay = Duration.milliseconds(100)
  /// How long it waits before it tries again what could not be written.
  static let retryDelay = Duration.seconds(5)
  /// The most files that are written in one turn, unless they are urgent.
  static let batch = 8

  /// Who the accessory is.
  private(set) var identity: StoredIdentity
  /// What has changed of it at run time.
  private(set) var runtime = RuntimeState()
  /// Its bonds.
  package var bonds: [BondRecord] { records.values.sorted { $0.peer.fileName < $1.peer.fileName } }
  /// The files that could not be taken.
  package private(set) var damages: [StateDamage] = []
  /// When `save` has something to do; nil for never.
  package private(set) var due: Instant?

  private let folder: any StateFiles
  private var records: [PeerIdentity: BondRecord] = [:]
  private let profileName: String
  /// What has changed and is not on the disk, the first to change first; and of it what must be there at once.
  private var waiting: [StateFile] = []
  private var isWaiting: Set<StateFile> = []
  private var urgent: Set<StateFile> = []
  /// The records of bond files that wait; nil for those that go.
  private var bondFiles: [StateFile: BondRecord?] = [:]

  /// Opens the store of an accessory below a directory; no other process can, from now on. Files that cannot be taken are set aside,
  /// and are in `damages`.
  package init(
    of profile: Profile, seed: UInt64, below directory: String, random: inout some RandomNumberGenerator
  ) throws(StateFailure) {
    let folder = try StateFolder(opening: "\(directory)/\(profile.stateFolderName(seed: seed))")
    try self.init(of: profile, seed: seed, in: folder, random: &random)
  }

  /// Looks at the store of an accessory below a directory, and changes nothing of it: damaged files stay where they are, and are in
  /// `damages`.
  package init(
    inspecting profile: Profile, seed: UInt64, below directory: String, random: inout some RandomNumberGenerator
  ) throws(StateFailure) {
    let folder = try StateFolder(opening: "\(directory)/\(profile.stateFolderName(seed: seed))")
    try self.init(of: profile, seed: seed, in: InspectedStateFiles(folder), random: &random)
  }

  /// Opens the store of an accessory whose files are there.
  package init(
    of profile: Profile, seed: UInt64, in folder: any StateFiles, random: inout some RandomNumberGenerator
  ) throws(StateFailure) {
    self.folder = folder
    profileName = profile.name
    identity = StoredIdentity(of: profile, seed: seed, random: &random)
    let files = folder.bondFiles()
    let stored = read(
      .identity, "the accessory has its original identity again, so bonds made with another one are not valid"
    ) {
      fields throws(ProfileValueError) in try StoredIdentity(json: fields)
    }
    // What the profile fixes is not the store's to say.
    if let stored {
      identity.adopt(stored, policy: profile.identity)
    } else {
      change(.identity, isUrgent: true, at: .zero)
    }
    runtime =
      read(.runtime, "values, services, PSMs and advertising are as in the profile") {
        fields throws(ProfileValueError) in try RuntimeState(json: fields)
      } ?? runtime
    for file in files {
      let record = read(file, "its peer must pair again") { fields throws(ProfileValueError) in
        let record = try BondRecord(json: fields)
        guard record.peer.fileName == file.name else {
          throw ProfileValueError("it contains the bond of \(record.peer.address), but its name is that of another one")
        }
        return record
      }
      if let record { records[record.peer] = record }
    }
    try save(at: .zero)
  }

  /// The accessory's static address; nil where it has the controller's public one.
  package var address: DeviceAddress? { identity.address }

  /// Whether an accessory has a store there.
  package static func exists(of profile: Profile, seed: UInt64, below directory: String) -> Bool {
    access("\(directory)/\(profile.stateFolderName(seed: seed))", F_OK) == 0
  }

  /// Where it is.
  package var path: String { folder.path }

  /// The content of a file; nil when it is not there, or cannot be taken.
  private mutating func read<Content>(
    _ file: StateFile, _ loss: String, _ body: ([String: ProfileValue]) throws(ProfileValueError) -> Content
  ) -> Content? {
    do throws(StateFault) {
      guard let octets = try folder.read(file) else { return nil }
      let fields = try StateDocument.decode(octets, file.kind)
      do throws(ProfileValueError) { return try body(fields) } catch { throw .damaged(error.message) }
    } catch {
      damages.append(
        StateDamage(
          path: folder.path(of: file), reason: error.reason, asideName: folder.setAside(file),
          remedy: "\(loss); \(error.remedy)"))
      return nil
    }
  }

  // MARK: - What changes

  /// Keeps a bond as it is now.
  package mutating func keep(_ record: BondRecord, at now: Instant) {
    let old = records.updateValue(record, forKey: record.peer)
    guard old != record else { return }
    let file = StateFile.bond(record.peer.fileName)
    bondFiles[file] = record
    change(file, isUrgent: old?.bond != record.bond, at: now)
  }

  /// Forgets a bond.
  package mutating func forget(_ peer: PeerIdentity, at now: Instant) {
    guard records.removeValue(forKey: peer) != nil else { return }
    let file = StateFile.bond(peer.fileName)
    bondFiles[file] = .some(nil)
    change(file, isUrgent: true, at: now)
  }

  /// Keeps what has changed at run time.
  mutating func keep(_ runtime: RuntimeState, at now: Instant) {
    guard runtime != self.runtime else { return }
    self.runtime = runtime
    change(.runtime, isUrgent: false, at: now)
  }

  /// Makes the accessory another device: its identity is a new one, and its bonds are set aside. Returns the names that their files
  /// have now.
  package mutating func rotateIdentity(
    _ profile: Profile, random: inout some RandomNumberGenerator
  ) throws(StateFailure) -> [String] {
    try saveAll()
    let old = identity
    identity.rotate(profile.identity, random: &random)
    // First the bonds: they fit no other identity, while a new identity without bonds is sound.
    let names = records.keys.map { StateFile.bond($0.fileName) }.compactMap { file in
      folder.setAside(file, as: "rotated")
    }
    records = [:]
    change(.identity, isUrgent: true, at: .zero)
    do throws(StateFailure) { try saveAll() } catch {
      // The accessory is who it was as long as the disk says so.
      identity = old
      throw error
    }
    return names.sorted()
  }

  private mutating func change(_ file: StateFile, isUrgent: Bool, at now: Instant) {
    if isWaiting.insert(file).inserted { waiting.append(file) }
    if isUrgent { urgent.insert(file) }
    due = Instant.earliest(due, isUrgent ? now : now + Self.delay)
  }

  // MARK: - Writing

  /// Writes what is due. What fails waits, and is tried again later.
  package mutating func save(at now: Instant) throws(StateFailure) {
    guard let due, due <= now else { return }
    let files = urgent.isEmpty ? Array(waiting.prefix(Self.batch)) : waiting.filter { urgent.contains($0) }
    try write(files, at: now)
  }

  /// Writes everything that waits.
  package mutating func saveAll() throws(StateFailure) { try write(waiting, at: .zero) }

  private mutating func write(_ files: [StateFile], at now: Instant) throws(StateFailure) {
    let wereUrgent = !urgent.isEmpty
    do throws(StateFailure) {
      try folder.write(files.map { ($0, octets(of: $0)) })
    } catch {
      due = now + Self.retryDelay
      throw error
    }
    for file in files { bondFiles[file] = nil }
    isWaiting.subtract(files)
    urgent.subtract(files)
    waiting.removeAll { !isWaiting.contains($0) }
    due = waiting.isEmpty ? nil : wereUrgent ? now + Self.delay : now
  }

  private func octets(of file: StateFile) -> [UInt8]? {
    switch file {
    case .identity:
      StateDocument.encode(.identity, identity.json.merging(["profile": .string(profileName)]) { $1 })
    case .runtime: StateDocument.encode(.runtime, runtime.json)
    case .bond: (bondFiles[file] ?? nil).map { StateDocument.encode(.bond, $0.json) }
    }
  }
}
