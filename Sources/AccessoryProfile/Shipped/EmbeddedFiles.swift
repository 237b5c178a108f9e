import CEmbedded

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that are embedded in the program.
package struct EmbeddedFiles: Sendable {
  private let first: @Sendable () -> UnsafePointer<CEmbeddedFile>

  /// The folders Profiles and Scenarios. Paths are such as `Profiles/services/battery.yaml`.
  package static let shipped = EmbeddedFiles(first: cembedded_shipped)
  /// The dashboard. Paths are the names of its files.
  package static let dashboard = EmbeddedFiles(first: cembedded_dashboard)
  /// What the page of a report has besides modules of the dashboard. Paths are the names of its files.
  package static let report = EmbeddedFiles(first: cembedded_report)

  /// The path of each file.
  package var paths: [String] { all.map { String(cString: $0.path) } }

  /// Returns the text of a file; nil if there is no such file.
  package func text(at path: String) -> String? {
    all.first { strcmp($0.path, path) == 0 }.map { String(cString: $0.text) }
  }

  /// Returns a part of the text of a file, given its number and the range of the part.
  func text(_ number: Int, _ part: Range<Int>) -> String? {
    first()[number].text.map { text in
      String(decoding: UnsafeRawBufferPointer(start: text + part.lowerBound, count: part.count), as: UTF8.self)
    }
  }

  /// Calls `body` for each file below a folder, without copying: with its number, its path relative to the folder, and its text.
  func forEach(
    below folder: StaticString,
    _ body: (_ number: Int, _ path: UnsafePointer<CChar>, _ text: UnsafePointer<CChar>) -> Void
  ) {
    for (number, file) in all.enumerated() where strncmp(file.path, folder.utf8Start, folder.utf8CodeUnitCount) == 0 {
      body(number, file.path + folder.utf8CodeUnitCount, file.text)
    }
  }

  /// Returns the names of the files directly in a folder, without their extension.
  func names(in folder: StaticString) -> [String] {
    var names: [String] = []
    forEach(below: folder) { _, path, _ in
      guard strchr(path, Int32(UInt8(ascii: "/"))) == nil, let dot = strrchr(path, Int32(UInt8(ascii: "."))) else {
        return
      }
      let name = UnsafeRawBufferPointer(start: path, count: UnsafePointer(dot) - path)
      names.append(String(decoding: name, as: UTF8.self))
    }
    return names
  }

  private var all: some Sequence<(path: UnsafePointer<CChar>, text: UnsafePointer<CChar>)> {
    sequence(state: first()) { file in
      guard let path = file.pointee.path, let text = file.pointee.text else { return nil }
      file += 1
      return (path, text)
    }
  }
}

extension StringProtocol {
  /// Returns the text without a suffix; nil if the text does not end with it.
  func dropping(suffix: String) -> String? { hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil }
}
