import BLECore
import Glibc

/// A program that has a port open.
public struct PortHolder: Hashable, Sendable {
  /// The process number.
  public var process: Int32
  /// The name in the kernel.
  public var name: String

  /// Creates the holder with this number and name.
  public init(process: Int32, name: String) {
    self.process = process
    self.name = name
  }
}

/// The facts about a serial port that are known without opening it.
package struct PortFacts: Hashable, Sendable {
  /// The requested path.
  package var path: String
  /// Whether anything exists at that path.
  package var exists: Bool
  /// Whether the user may read and write it, according to its permissions.
  package var isAccessible: Bool
  /// The group that owns it; nil if that is root's or has no name.
  package var group: String?
  /// The other programs that have it open, as far as this user can see.
  package var holders: [PortHolder]
  /// The port in udev; nil if it is not on USB.
  package var port: SerialPort?
  /// Whether ModemManager runs.
  package var modemManagerRuns: Bool

  /// Creates the facts of a port that exists, is free and is not on USB.
  package init(path: String) {
    self.path = path
    (exists, isAccessible, holders, modemManagerRuns) = (true, true, [], false)
  }

  /// Gathers the facts about the port and the programs of this machine.
  package static func gather(at path: String) -> PortFacts {
    var facts = PortFacts(path: path)
    var status = stat()
    facts.exists = stat(path, &status) == 0
    guard facts.exists else { return facts }
    facts.isAccessible = access(path, R_OK | W_OK) == 0
    facts.group = groupName(status.st_gid)
    facts.port = SerialPorts.port(at: path)
    let programs = Programs.running
    facts.modemManagerRuns = programs.contains { $0.name == "ModemManager" }
    if status.st_mode & S_IFMT == S_IFCHR {
      facts.holders = programs.filter { $0.process != getpid() && Programs.has($0.process, open: status.st_rdev) }
    }
    return facts
  }
}

/// Returns the name of a group other than root's.
func groupName(_ number: gid_t) -> String? {
  guard number != 0, let entry = getgrgid(number), let name = entry.pointee.gr_name else { return nil }
  return String(cString: name)
}

/// The programs of this machine, by proc(5).
private enum Programs {
  /// All running programs with their names.
  static var running: [PortHolder] {
    names(in: "/proc").compactMap { entry in
      guard let number = Int32(entry), let name = firstLine(of: "/proc/\(entry)/comm") else { return nil }
      return PortHolder(process: number, name: name)
    }
  }

  /// Returns whether a program has this device open; false if this user may not look.
  static func has(_ process: Int32, open device: dev_t) -> Bool {
    let folder = "/proc/\(process)/fd"
    return names(in: folder).contains { entry in
      var status = stat()
      return stat("\(folder)/\(entry)", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == device
    }
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = entry.entryName
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func firstLine(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let octets = [UInt8](unsafeUninitializedCapacity: 64) { room, count in
      count = max(0, read(descriptor, room.baseAddress, room.count))
    }
    return String(decoding: octets.prefix { $0 != 10 }, as: UTF8.self)
  }
}
