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

  /// The names, without `.yaml`, of the files in a folder, without those in folders below it.
  func names(in folder: String) -> [String] {
    paths.compactMap { path in
      guard let file = path.dropping(prefix: folder + "/"), !file.contains("/") else { return nil }
      return file.dropping(suffix: ".yaml")
    }
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
