import BLECore
import Glibc

/// The folder of one accessory: files that are replaced as a whole, and a lock that is held while the folder is open.
///
/// A file is written under a temporary name, synced to the disk, and then renamed. So if the process is
/// killed at any moment, either the old or the new file is complete.
final class StateFolder: StateFiles {
  /// The path of the folder.
  let path: String
  private let folder: Int32
  private let bonds: Int32
  private let lock: Int32

  /// The subfolder with a file for each bond.
  static let bondsName = "bonds"
  private static let lockName = "lock"
  private static let temporarySuffix = ".new"

  /// Opens and locks the folder, which is created if it is missing.
  init(opening path: String) throws(StateFailure) {
    self.path = path
    try Self.makeFolders(path)
    folder = try Self.openFolder(path, in: AT_FDCWD, path)
    var opened = [folder]
    do throws(StateFailure) {
      lock = try Self.lock(in: folder, path)
      opened.append(lock)
      if mkdirat(folder, Self.bondsName, 0o700) != 0, errno != EEXIST { throw Self.unusable(path, errno) }
      bonds = try Self.openFolder(Self.bondsName, in: folder, path)
    } catch {
      for descriptor in opened { close(descriptor) }
      throw error
    }
  }

  deinit {
    // Closing alone does not unlock: a process that is being started elsewhere holds a copy of the
    // descriptor, and with it the lock, until it executes its own program.
    flock(lock, LOCK_UN)
    for descriptor in [bonds, folder, lock] { close(descriptor) }
  }

  private static func unusable(_ path: String, _ code: CInt) -> StateFailure {
    .unusable(path: path, reason: text(code))
  }

  static func text(_ code: CInt) -> String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }

  /// Creates a folder and its parents. New ones are accessible to their owner only.
  private static func makeFolders(_ path: String) throws(StateFailure) {
    var end = path.startIndex
    while let slash = path[end...].dropFirst().firstIndex(of: "/") {
      end = slash
      let folder = String(path[..<end])
      guard mkdir(folder, 0o700) != 0 else { continue }
      // The next call changes errno.
      let code = errno
      if code != EEXIST, access(folder, F_OK) != 0 { throw unusable(folder, code) }
    }
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw unusable(path, errno) }
  }

  /// Opens a folder that belongs to this user, and makes it inaccessible to others.
  private static func openFolder(_ name: String, in parent: Int32, _ path: String) throws(StateFailure) -> Int32 {
    let descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw unusable(path, errno) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_uid == geteuid() {
      if status.st_mode & 0o077 == 0 || fchmod(descriptor, 0o700) == 0 { return descriptor }
    }
    close(descriptor)
    throw .unusable(path: path, reason: "it belongs to another user")
  }

  private static func lock(in folder: Int32, _ path: String) throws(StateFailure) -> Int32 {
    let descriptor = openat(folder, lockName, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw unusable(path, errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      defer { close(descriptor) }
      guard code == EWOULDBLOCK else { throw unusable(path, code) }
      var octets = [UInt8](repeating: 0, count: 32)
      let count = Glibc.read(descriptor, &octets, octets.count)
      let owner = String(decoding: octets.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self)
      throw .inUse(path: path, process: Int(owner))
    }
    let owner = Array("\(getpid())\n".utf8)
    _ = ftruncate(descriptor, 0)
    _ = pwrite(descriptor, owner, owner.count, 0)
    return descriptor
  }

  // MARK: - Reading

  private func parent(of file: StateFile) -> Int32 { if case .bond = file { bonds } else { folder } }

  /// The path of a file, for messages.
  func path(of file: StateFile) -> String {
    if case .bond = file { "\(path)/\(Self.bondsName)/\(file.name)" } else { "\(path)/\(file.name)" }
  }

  /// Returns the files of all bonds, by name, and removes temporary files that a killed process has left.
  func bondFiles() -> [StateFile] {
    removeTemporaries(in: folder)
    return names(in: bonds).compactMap { name in
      guard !removeTemporary(name, in: bonds) else { return nil }
      return name.hasSuffix(".json") ? .bond(name) : nil
    }
  }

  private func removeTemporaries(in folder: Int32) {
    for name in names(in: folder) { removeTemporary(name, in: folder) }
  }

  @discardableResult
  private func removeTemporary(_ name: String, in folder: Int32) -> Bool {
    guard name.hasSuffix(Self.temporarySuffix) else { return false }
    unlinkat(folder, name, 0)
    return true
  }

  private func names(in folder: Int32) -> [String] {
    let descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, let stream = fdopendir(descriptor) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = entry.entryName
      names.append(name)
    }
    return names.sorted()
  }

  /// Returns the octets of a file; nil if it does not exist.
  func read(_ file: StateFile) throws(StateFault) -> [UInt8]? {
    let descriptor = openat(parent(of: file), file.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw errno == ELOOP ? .foreign("it is a symbolic link") : .unreadable(Self.text(errno))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(Self.text(errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .foreign("it is not a regular file") }
    guard status.st_uid == geteuid() else { throw .foreign("it belongs to another user") }
    guard status.st_mode & 0o077 == 0 else { throw .permissions(status.st_mode) }
    guard status.st_size <= file.kind.limit else { throw .tooLarge(limit: file.kind.limit) }
    var octets = [UInt8](repeating: 0, count: Int(status.st_size))
    var length = 0
    while length < octets.count {
      let count = octets.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + length }, $0.count - length)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(Self.text(errno)) }
      if count == 0 { break }
      length += count
    }
    octets.removeLast(octets.count - length)
    return octets
  }

  /// Renames a file so that it is no longer read, and returns the new name; nil if that fails.
  func setAside(_ file: StateFile, as word: String) -> String? {
    for number in 1...9999 {
      let name = "\(file.name).\(word)-\(number)"
      // Never overwrite a file that was set aside before.
      if faccessat(parent(of: file), name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { continue }
      return renameat(parent(of: file), file.name, parent(of: file), name) == 0 ? name : nil
    }
    return nil
  }

  // MARK: - Writing

  /// Replaces files, or removes those whose octets are nil. Returns when everything is on the disk. A failure
  /// does not prevent the other files from being written; the first failure is thrown.
  func write(_ files: [(file: StateFile, octets: [UInt8]?)]) throws(StateFailure) {
    var failure: StateFailure?
    var changed: Set<Int32> = []
    for (file, octets) in files {
      let parent = parent(of: file)
      do throws(StateFailure) {
        if let octets {
          try replace(file, with: octets, in: parent)
        } else if unlinkat(parent, file.name, 0) != 0, errno != ENOENT {
          throw .unwritable(path: path(of: file), reason: Self.text(errno))
        }
        changed.insert(parent)
      } catch {
        failure = failure ?? error
      }
    }
    for folder in changed where fsync(folder) != 0 {
      failure = failure ?? .unwritable(path: path, reason: Self.text(errno))
    }
    if let failure { throw failure }
  }

  private func replace(_ file: StateFile, with octets: [UInt8], in parent: Int32) throws(StateFailure) {
    let temporary = file.name + Self.temporarySuffix
    func fail(_ code: CInt) -> StateFailure {
      unlinkat(parent, temporary, 0)
      return .unwritable(path: path(of: file), reason: Self.text(code))
    }
    let descriptor = openat(parent, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw fail(errno) }
    defer { close(descriptor) }
    // Neither the umask of the process nor an old file of that name may change the permissions.
    guard fchmod(descriptor, 0o600) == 0 else { throw fail(errno) }
    var written = 0
    while written < octets.count {
      let count = octets[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw fail(errno) }
      written += count
    }
    guard fsync(descriptor) == 0, renameat(parent, temporary, parent, file.name) == 0 else { throw fail(errno) }
  }
}
