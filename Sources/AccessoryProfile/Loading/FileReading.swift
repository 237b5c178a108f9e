#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads text files without Foundation.
package enum FileReading {
  package struct Failure: Error {
    package var reason: String
  }

  /// The maximum length of a profile, in octets.
  static let limit = 16 * 1024 * 1024

  /// Returns the UTF-8 text of a file.
  package static func text(at path: String) -> Result<String, Failure> {
    guard let file = fopen(path, "rbe") else { return .failure(Failure(reason: "cannot be read: \(message(errno))")) }
    defer { fclose(file) }
    var status = stat()
    if fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      return .failure(Failure(reason: "it is a directory; give a file"))
    }
    return text(of: file)
  }

  /// Returns the UTF-8 text of standard input.
  package static func standardInput() -> Result<String, Failure> {
    let copy = dup(STDIN_FILENO)
    guard copy >= 0, let file = fdopen(copy, "rb") else {
      return .failure(Failure(reason: "cannot be read: \(message(errno))"))
    }
    defer { fclose(file) }
    return text(of: file)
  }

  private static func text(of file: UnsafeMutablePointer<FILE>) -> Result<String, Failure> {
    var octets: [UInt8] = []
    while true {
      let block = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        count = fread(buffer.baseAddress, 1, buffer.count, file)
      }
      if block.isEmpty { break }
      octets += block
      guard octets.count <= limit else {
        return .failure(Failure(reason: "it has more than \(limit / 1_048_576) MB, the maximum for a profile"))
      }
    }
    if ferror(file) != 0 { return .failure(Failure(reason: "cannot be read: \(message(errno))")) }
    return text(of: octets)
  }

  /// Decodes octets as UTF-8, with or without a byte-order mark.
  static func text(of octets: [UInt8]) -> Result<String, Failure> {
    if octets.starts(with: [0xFF, 0xFE]) || octets.starts(with: [0xFE, 0xFF]) {
      return .failure(Failure(reason: "it is UTF-16; save it as UTF-8"))
    }
    let isMarked = octets.starts(with: [0xEF, 0xBB, 0xBF])
    guard !octets.dropFirst(isMarked ? 3 : 0).isEmpty else {
      return .failure(Failure(reason: "the file is empty; a profile begins with 'understudy: 1'"))
    }
    guard !octets.contains(0) else { return .failure(Failure(reason: "it is binary, but a profile is text")) }
    guard let text = String(validating: octets.dropFirst(isMarked ? 3 : 0), as: UTF8.self) else {
      return .failure(Failure(reason: "it is not UTF-8 text"))
    }
    return .success(text)
  }

  private static func message(_ code: Int32) -> String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}
