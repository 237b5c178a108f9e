import AccessoryProfile

/// What is wrong with a file of the store.
package enum StateFault: Error, Hashable {
  /// It is not as it was written; how.
  case damaged(String)
  /// Another version has written it.
  case version(Int64)
  /// It is larger than any such file.
  case tooLarge(limit: Int)
  /// Others may read or change it: its permissions.
  case permissions(UInt32)
  /// It is no regular file, or belongs to somebody else.
  case foreign(String)
  /// It cannot be read.
  case unreadable(String)

  /// What is wrong.
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

  /// What somebody can do about it.
  var remedy: String {
    switch self {
    case .version: "use the program that wrote it, or another --state"
    case .permissions: "if you still trust it, set its mode to 600 and restore its name"
    default: "repair it and restore its name, or delete it"
    }
  }
}

/// A file of the store that was left out, and set aside where that was possible.
public struct StateDamage: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file.
  public var path: String
  /// What is wrong with it.
  public var reason: String
  /// What it is called now; nil where it could not be set aside.
  public var asideName: String?
  /// What is lost with it, and what somebody can do about it.
  public var remedy: String

  var json: [String: ProfileValue] {
    var fields: [String: ProfileValue] = [
      "path": .string(path), "reason": .string(reason), "remedy": .string(remedy),
    ]
    fields["aside"] = asideName.map { .string($0) }
    return fields
  }

  /// What, where, why and what to do.
  public var description: String {
    let place = asideName.map { "set aside as \($0)" } ?? "not read"
    return "\(path) is \(place): \(reason); \(remedy)"
  }
}

/// Why the store cannot be used.
public enum StateFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process uses it: its number, where it is known.
  case inUse(path: String, process: Int?)
  /// The folder cannot be made or opened; why.
  case unusable(path: String, reason: String)
  /// A file cannot be written; why.
  case unwritable(path: String, reason: String)

  /// What, where, why and what to do.
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
