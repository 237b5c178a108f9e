import Glibc

/// A program that has a port open.
public struct PortHolder: Hashable, Sendable {
  /// Its number.
  public var process: Int32
  /// Its name, as the kernel has it.
  public var name: String

  /// That program.
  public init(process: Int32, name: String) {
    self.process = process
    self.name = name
  }
}

/// What can be known of a serial port without opening it.
package struct PortFacts: Hashable, Sendable {
  /// The path that was asked for.
  package var path: String
  /// Whether there is anything at that path.
  package var exists: Bool
  /// Whether the user may read and write it, as far as its permissions tell.
  package var isAccessible: Bool
  /// The group that owns it; nil where that is root's or has no name.
  package var group: String?
  /// The other programs that have it open, as far as this user may see.
  package var holders: [PortHolder]
  /// The port as udev knows it; nil for one that is not behind USB.
  package var port: SerialPort?
  /// Whether ModemManager runs.
  package var modemManagerRuns: Bool

  /// A port that is there, free and not behind USB.
  package init(path: String) {
    self.path = path
    (exists, isAccessible, holders, modemManagerRuns) = (true, true, [], false)
  }

  /// Looks at the port and at the programs of this machine.
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

/// The name of a group other than root's.
func groupName(_ number: gid_t) -> String? {
  guard number != 0, let entry = getgrgid(number), let name = entry.pointee.gr_name else { return nil }
  return String(cString: name)
}

/// The programs of this machine, by proc(5).
private enum Programs {
  /// All that run, with their names.
  static var running: [PortHolder] {
    names(in: "/proc").compactMap { entry in
      guard let number = Int32(entry), let name = firstLine(of: "/proc/\(entry)/comm") else { return nil }
      return PortHolder(process: number, name: name)
    }
  }

  /// Whether a program has that device open; false where this user may not look.
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
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
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
