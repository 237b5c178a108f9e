import Glibc

/// Reads text files without Foundation.
enum FileReading {
  struct Failure: Error {
    var reason: String
  }

  /// The text of a file in UTF-8.
  static func text(at path: String) -> Result<String, Failure> {
    guard let file = fopen(path, "rbe") else { return .failure(Failure(reason: message(errno))) }
    defer { fclose(file) }
    var octets: [UInt8] = []
    while true {
      let before = octets.count
      octets.append(contentsOf: repeatElement(0, count: 65_536))
      let count = octets.withUnsafeMutableBytes { buffer in
        fread(buffer.baseAddress.map { $0 + before }, 1, 65_536, file)
      }
      octets.removeLast(65_536 - count)
      if count == 0 { break }
    }
    if ferror(file) != 0 { return .failure(Failure(reason: message(errno))) }
    guard let text = String(validating: octets, as: UTF8.self) else {
      return .failure(Failure(reason: "it is not UTF-8 text"))
    }
    return .success(text)
  }

  private static func message(_ code: Int32) -> String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}
