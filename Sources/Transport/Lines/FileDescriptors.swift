import BLECore
import Glibc

/// Where a symbolic link leads, or nil when there is none.
func linkTarget(of path: String) -> String? {
  let size = Int(PATH_MAX)
  let target = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    count = buffer.withMemoryRebound(to: CChar.self) { room in
      room.baseAddress.map { max(0, readlink(path, $0, room.count)) } ?? 0
    }
  }
  return target.isEmpty ? nil : String(decoding: target, as: UTF8.self)
}

/// Which device a path leads to, itself or by links; nil when it is none, or nothing is there.
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

/// Which socket is at a path, to tell it from another that took its place.
struct SocketFile: Hashable, Sendable {
  private let device: UInt
  private let node: UInt

  /// The socket at `path`; nil when there is nothing, or anything else, which is never ours to remove.
  init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    device = UInt(status.st_dev)
    node = UInt(status.st_ino)
  }
}

/// Waits until a descriptor is ready for `events`; false when `deadline` came first.
func waitReady(_ descriptor: CInt, _ events: PollEvents, until deadline: Instant) -> Bool {
  while true {
    let left = (deadline - SystemClock.now()).inNanoseconds
    guard left > 0 else { return false }
    var entry = pollfd(fd: descriptor, events: events.rawValue, revents: 0)
    // Rounded up, so that the last wait does not end just before the deadline and spin.
    if poll(&entry, 1, CInt(clamping: (left + 999_999) / 1_000_000)) > 0 { return true }
  }
}
