#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension ProfileLoader {
  /// Loads the programs that play a part of the accessory.
  mutating func programs(_ node: SyntaxNode?) -> [ProgramDefinition] {
    guard let node else { return [] }
    guard let pairs = node.pairs else {
      error(node, "expected a mapping from names to programs, such as { sensor: [python3, sensor.py] }")
      return []
    }
    let folder = besideProfile(".")
    return pairs.compactMap { pair in
      guard Self.isIdentifier(pair.name) else {
        error(pair.key, "an id is made of letters, digits, '-' and '_', not '\(pair.name)'")
        return nil
      }
      guard let elements = list(pair.value) else { return nil }
      let words = elements.compactMap { text($0) }
      guard let program = words.first, words.count == elements.count else {
        if elements.isEmpty {
          error(pair.value, "expected a program and its arguments, such as [python3, sensor.py]")
        }
        return nil
      }
      if words.contains(where: { $0.utf8.contains(0) }) {
        error(pair.value, "an argument cannot contain a zero octet")
        return nil
      }
      if !isProgram(program) {
        warn(elements[0], "there is no program '\(program)' \(program.contains("/") ? "that can be run" : "on PATH")")
      } else if words.count > 1, Self.isInterpreter(program), !words[1].hasPrefix("-"),
        access(besideProfile(words[1]), R_OK) != 0
      {
        warn(elements[1], "there is no file \(besideProfile(words[1]))")
      }
      return ProgramDefinition(id: pair.name, command: words, folder: folder)
    }
  }

  /// Returns whether a program exists: a path relative to the profile's folder, or a name in one of the folders of PATH.
  private func isProgram(_ name: String) -> Bool {
    if name.contains("/") { return Self.isRunnable(besideProfile(name)) }
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
    return folders.split(separator: ":").contains { Self.isRunnable("\($0)/\(name)") }
  }

  private static func isRunnable(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// Returns whether a program's first argument is a file that it reads.
  private static func isInterpreter(_ program: String) -> Bool {
    let name = program.split(separator: "/").last.map { String($0) } ?? program
    return ["python", "python3", "sh", "bash", "node", "ruby", "perl"].contains(name)
  }
}
