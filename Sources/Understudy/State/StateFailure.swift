import AccessoryProfile

/// Why a file of the store is not used.
package enum StateFault: Error, Hashable {
  /// It is not as it was written; with the details.
  case damaged(String)
  /// It was written by another version.
  case version(Int64)
  /// It is larger than any such file.
  case tooLarge(limit: Int)
  /// Other users can access it; with its permissions.
  case permissions(UInt32)
  /// It is not a regular file, or belongs to another user.
  case foreign(String)
  /// It cannot be read.
  case unreadable(String)

  /// What is wrong with the file.
  var reason: String {
    switch self {
    case .damaged(let reason): reason
    case .version(let version): "it has version \(version), but this program supports version \(StateDocument.version)"
    case .tooLarge(let limit): "it has more than \(limit) octets"
    case .permissions(let mode): "others can access it (its mode is \(String(mode & 0o7777, radix: 8)))"
    case .foreign(let reason): reason
    case .unreadable(let reason): "it cannot be read: \(reason)"
    }
  }

  /// What to do about it.
  var remedy: String {
    switch self {
    case .version: "use the program that wrote it, or another --state"
    case .permissions: "if you still trust it, set its mode to 600 and restore its name"
    default: "repair it and restore its name, or delete it"
    }
  }
}

/// A file of the store that is not used, and was set aside if possible.
public struct StateDamage: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file.
  public var path: String
  /// What is wrong with it.
  public var reason: String
  /// Its new name; nil if it could not be set aside.
  public var asideName: String?
  /// What is lost with it, and what to do about it.
  public var remedy: String

  var json: [String: ProfileValue] {
    var fields: [String: ProfileValue] = [
      "path": .string(path), "reason": .string(reason), "remedy": .string(remedy),
    ]
    fields["aside"] = asideName.map { .string($0) }
    return fields
  }

  /// The file, its place, what is wrong with it, and what to do about it.
  public var description: String {
    let place = asideName.map { "set aside as \($0)" } ?? "not read"
    return "\(path) is \(place): \(reason); \(remedy)"
  }
}

/// Why the store cannot be used.
public enum StateFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process uses it; with the process number, if known.
  case inUse(path: String, process: Int?)
  /// The folder cannot be created or opened; with the reason.
  case unusable(path: String, reason: String)
  /// A file cannot be written; with the reason.
  case unwritable(path: String, reason: String)

  /// What failed, where, why, and what to do about it.
  public var description: String {
    switch self {
    case .inUse(let path, let process):
      "\(path) is in use by another run of this accessory\(process.map { " (process \($0))" } ?? ""): end that run, give this one another --state or --seed, or use --ephemeral; while it runs, its "
        + "bonds are at /v1/bonds of its control API"
    case .unusable(let path, let reason):
      "cannot keep state in \(path): \(reason); name another folder with --state, or run with --ephemeral"
    case .unwritable(let path, let reason): "cannot write \(path): \(reason)"
    }
  }
}
