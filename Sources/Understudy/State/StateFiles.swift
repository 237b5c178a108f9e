/// A file of the stored state of an accessory or a central.
package enum StateFile: Hashable, Sendable {
  case identity
  case runtime
  /// Everything that a central keeps (`CentralStore`).
  case central
  /// A bond, by the name of its file.
  case bond(String)

  var kind: StateDocument.Kind {
    switch self {
    case .identity: .identity
    case .runtime: .runtime
    case .central: .central
    case .bond: .bond
    }
  }

  /// The name of the file.
  package var name: String {
    switch self {
    case .identity: "identity.json"
    case .runtime: "runtime.json"
    case .central: "central.json"
    case .bond(let name): name
    }
  }
}

/// The files of one accessory: a folder (`StateFolder`), or a substitute.
package protocol StateFiles: Sendable {
  /// The path of the folder, for messages.
  var path: String { get }
  /// The path of a file, for messages.
  func path(of file: StateFile) -> String
  /// The files of all bonds, by name.
  func bondFiles() -> [StateFile]
  /// Returns the octets of a file; nil if it does not exist.
  func read(_ file: StateFile) throws(StateFault) -> [UInt8]?
  /// Renames a file so that it is no longer read, and returns the new name; nil if that fails.
  func setAside(_ file: StateFile, as word: String) -> String?
  /// Replaces files, or removes those whose octets are nil. Returns when everything is on the disk. A failure
  /// does not prevent the other files from being written; the first failure is thrown.
  func write(_ files: [(file: StateFile, octets: [UInt8]?)]) throws(StateFailure)
}

extension StateFiles {
  /// Sets a damaged file aside.
  func setAside(_ file: StateFile) -> String? { setAside(file, as: "damaged") }
}
