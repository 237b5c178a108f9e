import BLECore
import Glibc

/// Returns the target of a symbolic link; nil if there is none.
func linkTarget(of path: String) -> String? {
  let size = Int(PATH_MAX)
  let target = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    count = buffer.withMemoryRebound(to: CChar.self) { room in
      room.baseAddress.map { max(0, readlink(path, $0, room.count)) } ?? 0
    }
  }
  return target.isEmpty ? nil : String(decoding: target, as: UTF8.self)
}

/// The identity of the device at a path, with links resolved; nil if there is none.
struct DeviceNumber: Hashable, Sendable {
  private let value: UInt

  init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
    value = UInt(status.st_rdev)
  }

  /// Whether it is the side of a pseudo-terminal that programs open (Linux admin-guide/devices: 136 to 143).
  var isPseudoTerminal: Bool { (136...143).contains(value >> 8 & 0xFFF) }
}

/// The identity of the socket at a path, to tell it from another that replaced it.
struct SocketFile: Hashable, Sendable {
  private let device: UInt
  private let node: UInt

  /// Creates the identity of the socket at `path`; nil if there is nothing or another kind of file, which must never be removed.
  init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    device = UInt(status.st_dev)
    node = UInt(status.st_ino)
  }
}

/// Waits until a descriptor is ready for `events`; false if `deadline` comes first.
func waitReady(_ descriptor: CInt, _ events: PollEvents, until deadline: Instant) -> Bool {
  while true {
    let left = (deadline - SystemClock.now()).inNanoseconds
    guard left > 0 else { return false }
    var entry = pollfd(fd: descriptor, events: events.rawValue, revents: 0)
    // Rounded up, so that the last wait does not end just before the deadline and spin.
    if poll(&entry, 1, CInt(clamping: (left + 999_999) / 1_000_000)) > 0 { return true }
  }
}
