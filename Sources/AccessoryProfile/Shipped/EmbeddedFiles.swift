import CEmbedded
import Glibc

/// Files that the program contains.
package struct EmbeddedFiles: Sendable {
  private let first: @Sendable () -> UnsafePointer<CEmbeddedFile>

  /// The folders Profiles and Scenarios, by paths such as `Profiles/services/battery.yaml`.
  package static let shipped = EmbeddedFiles(first: cembedded_shipped)
  /// The dashboard, by the names of its files.
  package static let dashboard = EmbeddedFiles(first: cembedded_dashboard)

  /// The path of each file.
  package var paths: [String] { all.map { String(cString: $0.path) } }

  /// The text of a file; nil if there is no such file.
  package func text(at path: String) -> String? {
    all.first { strcmp($0.path, path) == 0 }.map { String(cString: $0.text) }
  }

  /// A part of the text of a file, by its number and the offsets of the part.
  func text(_ number: Int, _ part: Range<Int>) -> String? {
    first()[number].text.map { text in
      String(decoding: UnsafeRawBufferPointer(start: text + part.lowerBound, count: part.count), as: UTF8.self)
    }
  }

  /// Gives each file below a folder, without a copy: its number, its path from there, its text.
  func forEach(
    below folder: StaticString,
    _ body: (_ number: Int, _ path: UnsafePointer<CChar>, _ text: UnsafePointer<CChar>) -> Void
  ) {
    for (number, file) in all.enumerated() where strncmp(file.path, folder.utf8Start, folder.utf8CodeUnitCount) == 0 {
      body(number, file.path + folder.utf8CodeUnitCount, file.text)
    }
  }

  /// The names, without their ending, of the files in a folder, without those in folders below it.
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
  /// The text without that ending; nil if it ends otherwise.
  func dropping(suffix: String) -> String? { hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil }
}
