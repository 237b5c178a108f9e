import Capture
import Glibc

/// An archive with captures from a phone: Apple's sysdiagnose (a compressed tar file), Android's bug report (a zip file), or a single
/// compressed capture. The system's tar, gzip and unzip read them.
///
/// A path may continue inside the archive: `sysdiagnose.tar.gz/logs/Bluetooth/bluetoothd-hci-latest.pklg`.
struct CaptureArchive {
  /// The path of the archive.
  let path: String
  /// The path of a capture in the archive, if the user has named one.
  let member: String?
  private let kind: Kind

  private enum Kind { case gzip, zip }

  /// The longest list of members that is read, in octets.
  private static let listLimit = 64 << 20

  /// Returns the archive at a path, or the archive that the path continues inside; nil if there is none.
  init?(_ path: String) {
    var end = path.endIndex
    while true {
      let part = String(path[..<end])
      if let kind = Self.kind(of: part) {
        (self.path, self.kind) = (part, kind)
        member = end == path.endIndex ? nil : String(path[path.index(after: end)...])
        return
      }
      // Only the part of a path that does not exist can be inside an archive.
      guard access(part, F_OK) != 0, let slash = path[..<end].lastIndex(of: "/"), slash > path.startIndex else {
        return nil
      }
      end = slash
    }
  }

  /// Starts reading the capture. Returns a descriptor of its octets.
  ///
  /// - Throws: A failure if there is no capture in the archive, or several and none is named.
  func open() throws(ArchiveFailure) -> CInt {
    let captures = try captures()
    guard let captures else { return try Self.start(["gzip", "-dc", "--", path]).output }
    guard let name = member ?? (captures.count == 1 ? captures[0] : nil) else {
      throw ArchiveFailure(path: path, captures: captures)
    }
    guard captures.contains(name) else { throw ArchiveFailure(path: path, captures: captures, missing: name) }
    let words =
      switch kind {
      case .gzip: ["tar", "--force-local", "-xzOf", path, "--no-wildcards", "--", name]
      // unzip takes the name for a pattern.
      case .zip:
        ["unzip", "-p", path, name.flatMap { "*?[]\\".contains($0) ? "\\\($0)" : "\($0)" }.map(String.init).joined()]
      }
    return try Self.start(words).output
  }

  /// Returns the paths of the captures in the archive; nil if it is a single compressed file. To tar, a colon would mean another machine,
  /// hence `--force-local`.
  private func captures() throws(ArchiveFailure) -> [String]? {
    let (text, isWhole) = try Self.output(
      of: kind == .gzip ? ["tar", "--force-local", "-tzf", path] : ["unzip", "-Z1", path])
    if kind == .gzip, text.isEmpty, !isWhole {
      guard try Self.output(of: ["gzip", "-t", "--", path]).isWhole else { throw ArchiveFailure(damaged: path) }
      return nil
    }
    let captures = text.split(separator: "\n").map(String.init).filter(Self.isCapture)
    if captures.isEmpty, !isWhole { throw ArchiveFailure(damaged: path) }
    return captures
  }

  /// Whether a member looks like a capture, by its name: bluetoothd-hci-latest.pklg, btsnoop_hci.log, btsnoop_hci.log.last, run.pcapng.
  static func isCapture(_ member: String) -> Bool {
    let name = member.split(separator: "/").last.map { $0.lowercased() } ?? ""
    guard !member.hasSuffix("/") else { return false }
    return name.hasPrefix("btsnoop")
      || [".pklg", ".btsnoop", ".pcap", ".pcapng", ".cfa"].contains { name.hasSuffix($0) }
  }

  private static func kind(of path: String) -> Kind? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var head = [UInt8](repeating: 0, count: 4)
    let count = fread(&head, 1, 4, file)
    if count >= 2, head[0] == 0x1F, head[1] == 0x8B { return .gzip }
    return count == 4 && head == [0x50, 0x4B, 0x03, 0x04] ? .zip : nil
  }

  /// Starts a program. Returns the descriptor of its output.
  private static func start(
    _ words: [String], isQuiet: Bool = false
  ) throws(ArchiveFailure) -> (output: CInt, process: pid_t) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw ArchiveFailure(path: words[0], code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    if isQuiet { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw code == ENOENT
        ? ArchiveFailure(path: words.last ?? "", program: words[0]) : ArchiveFailure(path: words[0], code: code)
    }
    return (ends[0], process)
  }

  /// Runs a program to its end. Returns its output, and whether it found no error.
  private static func output(of words: [String]) throws(ArchiveFailure) -> (text: String, isWhole: Bool) {
    let (output, process) = try start(words, isQuiet: true)
    let text = text(of: output)
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return (text, status == 0)
  }

  private static func text(of descriptor: CInt) -> String {
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var run = [UInt8](repeating: 0, count: 65_536)
    while octets.count < listLimit {
      let count = read(descriptor, &run, run.count)
      if count > 0 { octets += run[..<count] } else if count == 0 || errno != EINTR { break }
    }
    return String(decoding: octets, as: UTF8.self)
  }
}

/// Why a capture in an archive cannot be read.
struct ArchiveFailure: Error, CustomStringConvertible {
  /// What failed, and what to do.
  let description: String

  /// The archive has no captures, or several of which none was named, or not the one that was named.
  init(path: String, captures: [String], missing: String? = nil) {
    let list = captures.map { "\n  \(path)/\($0)" }.joined()
    if let missing, !captures.isEmpty {
      description = "\(path) has no capture \(missing), but:\(list)"
    } else if captures.isEmpty {
      description =
        "\(path) has no capture (.pklg, btsnoop, .pcap, .pcapng): switch on the phone's Bluetooth logging, and record again"
    } else {
      description = "\(path) has \(captures.count) captures; name one:\(list)"
    }
  }

  /// The archive is cut off or otherwise damaged.
  init(damaged path: String) { description = "\(path) is damaged: copy it from the phone again" }

  /// A program that reads archives is missing.
  init(path: String, program: String) {
    description = "cannot read \(path): install \(program), which is missing"
  }

  /// The system could not start a program.
  init(path: String, code: CInt) {
    description = "cannot run \(path): \(String(cString: strerror(code)))"
  }
}
