import BLECore
import Glibc

/// A small file that makes something of a run known to other programs of the same user. Others cannot read
/// it. It is deleted with this object.
///
/// The files are in `understudy` below `$XDG_RUNTIME_DIR`, or in `/tmp/understudy-UID` if that is not set.
package final class RunFile: Sendable {
  /// The path of the file.
  package let path: String

  /// Why the file cannot be written.
  struct Failure: Error {
    var path: String
    var reason: String
  }

  /// Writes a line of text to a file with that name.
  init(_ text: String, named name: String) throws(Failure) {
    let directory = Self.directory
    let path = "\(directory)/\(name)"
    self.path = path
    func failure(_ code: CInt) -> Failure { Failure(path: path, reason: String(cString: strerror(code))) }
    var status = stat()
    if mkdir(directory, 0o700) != 0, errno != EEXIST { throw failure(errno) }
    // In a shared directory, another user may have created the folder first.
    guard lstat(directory, &status) == 0 else { throw failure(errno) }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
      throw Failure(path: path, reason: "others can write \(directory)")
    }
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(errno) }
    defer { close(descriptor) }
    let octets = Array((text + "\n").utf8)
    guard write(descriptor, octets, octets.count) == octets.count else { throw failure(errno) }
  }

  deinit { unlink(path) }

  /// Returns the line in the file with that name, if a run of the same user has written one.
  static func text(named name: String) -> String? {
    let descriptor = open("\(directory)/\(name)", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_uid == getuid() else { return nil }
    var octets = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &octets, octets.count)
    guard count > 0 else { return nil }
    return String(decoding: octets[..<count].prefix { $0 >= 0x20 }, as: UTF8.self)
  }

  /// The names of all such files, in alphabetical order.
  static var names: [String] {
    guard let folder = opendir(directory) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        entry.entryName)
    }
    return names.sorted()
  }

  /// The directory of all such files.
  private static var directory: String {
    if let runtime = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), runtime.hasPrefix("/") {
      return "\(runtime)/understudy"
    }
    return "/tmp/understudy-\(getuid())"
  }
}
