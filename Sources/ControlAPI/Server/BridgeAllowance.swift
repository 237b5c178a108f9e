import AccessoryProfile
import Glibc
import HTTPTypes

/// What channels published over HTTP may be bridged to. A profile belongs to the user who runs it, and may name any file
/// and any address. HTTP clients can be anyone on the machine, so nothing else is allowed than what is listed here.
package struct BridgeAllowance: Sendable {
  /// The known forms, for help texts.
  package static let forms = ["file:DIRECTORY", "unix:DIRECTORY", "pty:DIRECTORY", "tcp:HOST:PORT", "tcp:HOST:*"]

  /// The error for the text of an invalid allowance.
  package struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text.
    package var text: String
    /// What is wrong with it.
    package var reason: String

    /// The text, the reason, and the known forms.
    package var description: String {
      "bad allowance '\(text)': \(reason) (known: \(BridgeAllowance.forms.joined(separator: ", ")))"
    }
  }

  private enum Kind: String { case file, unix, pty }
  /// The allowed directories, without symbolic links in their paths.
  private var directories: [(kind: Kind, path: String)] = []
  /// The allowed TCP servers. Without a port, all ports of the host are allowed.
  private var servers: [(host: String, port: UInt16?)] = []

  /// Allows nothing.
  package init() {}

  /// Allows what these texts say: everything below a directory, or a TCP server.
  package init(parsing texts: [String]) throws(ParseError) {
    for text in texts {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[1].isEmpty else { throw ParseError(text: text, reason: "it needs KIND:WHERE") }
      if parts[0] == "tcp" {
        guard let (host, port) = Self.server(parts[1]) else {
          throw ParseError(text: text, reason: "it needs HOST:PORT or HOST:*")
        }
        servers.append((host, port))
      } else if let kind = Kind(rawValue: parts[0]) {
        guard let path = Self.resolved(parts[1]), Self.isDirectory(path) else {
          throw ParseError(text: text, reason: "there is no directory \(parts[1])")
        }
        directories.append((kind, path))
      } else {
        throw ParseError(text: text, reason: "'\(parts[0])' is not a known kind")
      }
    }
  }

  /// Returns the handler with its path resolved, so that the path that is opened is the one that was checked.
  func admit(_ handler: ChannelHandler) throws(Refusal) -> ChannelHandler {
    switch handler {
    case .echo, .sink, .source, .rules, .pty(link: nil): return handler
    case .file(let path): return .file(path: try admit(.file, path))
    case .unix(let path): return .unix(path: try admit(.unix, path))
    case .pty(let link?): return .pty(link: try admit(.pty, link))
    case .tcp(let host, let port):
      let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
      guard servers.contains(where: { $0.host == bare.lowercased() && ($0.port ?? port) == port }) else {
        throw Self.refusal(of: "tcp:\(host):\(port)")
      }
      return handler
    }
  }

  private func admit(_ kind: Kind, _ path: String) throws(Refusal) -> String {
    // A link is at the place of its directory: an existing one is replaced, not followed.
    let target = kind == .pty ? Self.resolvedParent(path) : Self.resolved(path) ?? Self.resolvedParent(ofAbsent: path)
    guard let real = target,
      directories.contains(where: { $0.kind == kind && real.hasPrefix($0.path == "/" ? "/" : $0.path + "/") })
    else { throw Self.refusal(of: "\(kind):\(path)") }
    return real
  }

  private static func refusal(of place: String) -> Refusal {
    Refusal(
      .bridgeForbidden,
      "only a profile may name \(place): start with --allow-bridge to allow it over HTTP (known: "
        + "\(forms.joined(separator: ", ")))")
  }

  // MARK: - Paths

  /// Returns the path without symbolic links and dots; nil if it does not exist.
  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// Does the same for a path that need not exist, in a directory that does.
  private static func resolvedParent(_ path: String) -> String? {
    let slash = path.lastIndex(of: "/")
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    guard !name.isEmpty, name != ".", name != ".." else { return nil }
    guard let parent = resolved(slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".") else {
      return nil
    }
    return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
  }

  /// Does the same only if nothing exists at the path, including dangling links.
  private static func resolvedParent(ofAbsent path: String) -> String? {
    var status = stat()
    return lstat(path, &status) == 0 ? nil : resolvedParent(path)
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func server(_ text: String) -> (host: String, port: UInt16?)? {
    let isAnyPort = text.hasSuffix(":*")
    let number = isAnyPort ? String(text.dropLast()) + "1" : text
    guard let address = try? HTTPAddress(parsing: number), address.port != 0 else { return nil }
    return (address.host.lowercased(), isAnyPort ? nil : address.port)
  }
}
