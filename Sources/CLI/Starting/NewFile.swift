import ArgumentParser
import Capture
import Glibc

/// Files that commands create for users.
enum NewFile {
  /// Writes a new file. Existing files are not overwritten.
  static func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "wxe") else { throw failure(path) }
    let isWritten = fputs(text, file) >= 0
    guard fclose(file) == 0, isWritten else { throw failure(path) }
  }

  /// Writes a whole file or nothing, by way of a temporary file beside it. Keeps an existing file unless `replacing` is true.
  static func writeWhole(_ text: String, to path: String, replacing: Bool) throws {
    if replacing { return try replace(path, with: text) }
    let temporary = "\(path).\(getpid())"
    guard let file = fopen(temporary, "wxe") else { throw failure(path) }
    defer { unlink(temporary) }
    let isWritten = fputs(text, file) >= 0 && fflush(file) == 0 && fsync(fileno(file)) == 0
    guard fclose(file) == 0, isWritten else { throw failure(path) }
    // link(2), unlike rename(2), does not replace an existing file.
    guard link(temporary, path) == 0 else { throw failure(path) }
  }

  /// Writes a whole file or nothing. Replaces an existing file.
  static func replace(_ path: String, with text: String) throws {
    do throws(CaptureFailure) {
      var file = try OutputFile(creating: path, permissions: 0o644)
      try file.write(Array(text.utf8).span)
      try file.finish()
    } catch {
      Terminal.error("\(error)")
      throw ExitStatus.inputOutput
    }
  }

  /// Reports why a file could not be written.
  static func failure(_ path: String) -> ExitCode {
    guard errno != EEXIST else {
      Terminal.error("\(path) exists, and is not overwritten; name another file")
      return ExitStatus.cannotKeepState
    }
    Terminal.error("cannot write \(path): \(String(cString: strerror(errno)))")
    return ExitStatus.inputOutput
  }

  /// Returns a path or another word, quoted for a shell if necessary.
  static func quoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { octet in
      switch octet {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      default: "/._-+@:,".utf8.contains(octet)
      }
    }
    guard !plain || word.isEmpty else { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
