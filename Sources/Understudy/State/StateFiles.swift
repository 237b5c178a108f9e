/// A file of what an accessory keeps from run to run.
package enum StateFile: Hashable, Sendable {
  case identity
  case runtime
  /// A bond, by its file's name.
  case bond(String)

  var kind: StateDocument.Kind {
    switch self {
    case .identity: .identity
    case .runtime: .runtime
    case .bond: .bond
    }
  }

  /// What it is called.
  package var name: String {
    switch self {
    case .identity: "identity.json"
    case .runtime: "runtime.json"
    case .bond(let name): name
    }
  }
}

/// Where the files of one accessory are: a folder (`StateFolder`), or what stands in for one.
package protocol StateFiles: Sendable {
  /// Where it is, for messages.
  var path: String { get }
  /// The path of a file, for messages.
  func path(of file: StateFile) -> String
  /// The files of all bonds, by name.
  func bondFiles() -> [StateFile]
  /// The octets of a file; nil when it is not there.
  func read(_ file: StateFile) throws(StateFault) -> [UInt8]?
  /// Gives a file a name under which it is not read any longer; nil when that cannot be done.
  func setAside(_ file: StateFile, as word: String) -> String?
  /// Replaces or removes files, where nil stands for one that goes. It returns when everything is on the disk. What fails does not
  /// keep the others from being written; the first failure is thrown.
  func write(_ files: [(file: StateFile, octets: [UInt8]?)]) throws(StateFailure)
}

extension StateFiles {
  /// Sets a damaged file aside.
  func setAside(_ file: StateFile) -> String? { setAside(file, as: "damaged") }
}
