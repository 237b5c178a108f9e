import AccessoryProfile
import BLECore
import BLELink
import Glibc

/// The stored state of an accessory, and when it is written to the disk.
///
/// The identity, and every bond that is new, removed, or has changed keys or signing counters, are on the disk before
/// `save` returns in the same turn of the loop, which is before anything of the turn is sent or reported. Everything else,
/// such as subscriptions, follows within `delay`, a few files at a time, so that the loop is never blocked for long.
package struct StateStore {
  /// How long a change that is not urgent may wait for others.
  package static let delay = Duration.milliseconds(100)
  /// The delay before a failed write is retried.
  static let retryDelay = Duration.seconds(5)
  /// The maximum number of files that are written in one turn, unless they are urgent.
  static let batch = 8

  /// The accessory's identity.
  private(set) var identity: StoredIdentity
  /// The changes at run time.
  private(set) var runtime = RuntimeState()
  /// The bonds, in the order of their files' names.
  package var bonds: [BondRecord] { records.values.sorted { $0.peer.fileName < $1.peer.fileName } }
  /// The files that could not be used.
  package private(set) var damages: [StateDamage] = []
  /// When `save` has something to do; nil if never.
  package private(set) var due: Instant?

  private let folder: any StateFiles
  private var records: [TypedAddress: BondRecord] = [:]
  private let profileName: String
  /// The changed files that are not yet on the disk, in the order of their changes (`waiting`, `isWaiting`),
  /// and those of them that are urgent.
  private var waiting: [StateFile] = []
  private var isWaiting: Set<StateFile> = []
  private var urgent: Set<StateFile> = []
  /// The records of pending bond files; nil for files to remove.
  private var bondFiles: [StateFile: BondRecord?] = [:]

  /// Opens and locks the store of an accessory in a directory. Files that cannot be used are set aside, and listed in `damages`.
  package init(
    of profile: Profile, seed: UInt64, below directory: String, random: inout some RandomNumberGenerator
  ) throws(StateFailure) {
    let folder = try StateFolder(opening: "\(directory)/\(profile.stateFolderName(seed: seed))")
    try self.init(of: profile, seed: seed, in: folder, random: &random)
  }

  /// Opens the store of an accessory in a directory for reading only: damaged files stay where they are, and are listed in `damages`.
  package init(
    inspecting profile: Profile, seed: UInt64, below directory: String, random: inout some RandomNumberGenerator
  ) throws(StateFailure) {
    let folder = try StateFolder(opening: "\(directory)/\(profile.stateFolderName(seed: seed))")
    try self.init(of: profile, seed: seed, in: InspectedStateFiles(folder), random: &random)
  }

  /// Opens the store of an accessory in these files.
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
    // What the profile fixes takes precedence over the store.
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

  /// The accessory's static address; nil if it uses the controller's public one.
  package var address: DeviceAddress? { identity.address }

  /// Returns whether an accessory has a store in that directory.
  package static func exists(of profile: Profile, seed: UInt64, below directory: String) -> Bool {
    access("\(directory)/\(profile.stateFolderName(seed: seed))", F_OK) == 0
  }

  /// The path of the folder.
  package var path: String { folder.path }

  /// Returns the content of a file; nil if it does not exist or cannot be used.
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

  // MARK: - Changes

  /// Stores a bond.
  package mutating func keep(_ record: BondRecord, at now: Instant) {
    let old = records.updateValue(record, forKey: record.peer)
    guard old != record else { return }
    let file = StateFile.bond(record.peer.fileName)
    bondFiles[file] = record
    change(file, isUrgent: old?.bond != record.bond, at: now)
  }

  /// Removes a bond.
  package mutating func forget(_ peer: TypedAddress, at now: Instant) {
    guard records.removeValue(forKey: peer) != nil else { return }
    let file = StateFile.bond(peer.fileName)
    bondFiles[file] = .some(nil)
    change(file, isUrgent: true, at: now)
  }

  /// Stores the changes at run time.
  mutating func keep(_ runtime: RuntimeState, at now: Instant) {
    guard runtime != self.runtime else { return }
    self.runtime = runtime
    change(.runtime, isUrgent: false, at: now)
  }

  /// Makes the accessory a different device: creates a new identity, and sets the bonds aside. Returns the new names of their files.
  package mutating func rotateIdentity(
    _ profile: Profile, random: inout some RandomNumberGenerator
  ) throws(StateFailure) -> [String] {
    try saveAll()
    let old = identity
    identity.rotate(profile.identity, random: &random)
    // The bonds first: they are invalid with another identity, while a new identity without bonds is valid.
    let names = records.keys.map { StateFile.bond($0.fileName) }.compactMap { file in
      folder.setAside(file, as: "rotated")
    }
    records = [:]
    change(.identity, isUrgent: true, at: .zero)
    do throws(StateFailure) { try saveAll() } catch {
      // The accessory keeps its old identity as long as that is the one on the disk.
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

  /// Writes what is due. If that fails, it stays pending and is retried later.
  package mutating func save(at now: Instant) throws(StateFailure) {
    guard let due, due <= now else { return }
    let files = urgent.isEmpty ? Array(waiting.prefix(Self.batch)) : waiting.filter { urgent.contains($0) }
    try write(files, at: now)
  }

  /// Writes everything that is pending.
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
    // No accessory has one.
    case .central: nil
    }
  }
}
