import AccessoryProfile
import ArgumentParser
import ControlAPI
import Glibc

/// An accessory of another run: `NAME`, or `http://HOST:PORT[/NAME]`. NAME is the name of the accessory or of its profile. An address needs
/// it if several accessories run there.
enum AttachedAccessory {
  /// An accessory that this user runs on this machine.
  case named(String)
  case at(HTTPAddress, name: String?)

  init(parsing text: String) throws {
    guard text.contains(where: { ":/".contains($0) }) else {
      self = .named(text)
      return
    }
    guard !text.hasPrefix("https://") else {
      throw ValidationError("the control API speaks http, not https")
    }
    let place = text.hasPrefix("http://") ? text.dropFirst(7) : text[...]
    let parts = place.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    do throws(HTTPAddress.ParseError) {
      let name = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
      self = .at(try HTTPAddress(parsing: String(parts[0])), name: name)
    } catch {
      throw ValidationError("\(error)")
    }
  }
}

/// Finds accessories of other runs through their control API.
enum RunningAccessory {
  /// Returns the accessory.
  static func found(_ wanted: AttachedAccessory) throws -> Found {
    switch wanted {
    case .named(let name): try runningAccessory(name)
    case .at(let address, let name): try accessory(name, at: address)
    }
  }

  /// An accessory: the client of its control API, its name there, that of its profile, and its path.
  struct Found {
    let client: ControlClient
    let name: String
    let profileName: String
    let path: String

    /// Both names, for messages, or one if only the case differs.
    var names: String { name.lowercased() == profileName.lowercased() ? name : "\(name) ('\(profileName)')" }
  }

  /// Returns the accessories with exactly this name in the control API. If there are none, returns those whose name or profile's name
  /// differs from it only in case.
  private static func all<Entry>(named wanted: String, in entries: [Entry], _ found: (Entry) -> Found) -> [Entry] {
    let exact = entries.filter { found($0).name == wanted }
    guard exact.isEmpty else { return exact }
    let word = wanted.lowercased()
    return entries.filter { found($0).name.lowercased() == word || found($0).profileName.lowercased() == word }
  }

  /// Returns all accessories at an address. The token in the environment may belong to another run. If it is
  /// refused, tries the generated token of the run at this address.
  private static func accessories(at address: HTTPAddress) throws(ControlClient.Failure) -> [Found] {
    guard let token = getenv("UNDERSTUDY_HTTP_TOKEN").map({ String(cString: $0) }) else {
      return try accessories(of: ControlClient(address, token: nil))
    }
    do throws(ControlClient.Failure) {
      return try accessories(of: ControlClient(address, token: token))
    } catch {
      guard error.isRefusal, let found = try? accessories(of: ControlClient(address, token: nil)) else { throw error }
      return found
    }
  }

  private static func accessories(of client: ControlClient) throws(ControlClient.Failure) -> [Found] {
    let answer = try client.get("/v1/accessories")
    return (answer["accessories"]?.elements ?? []).compactMap { entry in
      guard let id = entry["id"]?.string, let path = entry["path"]?.string else { return nil }
      return Found(client: client, name: id, profileName: entry["name"]?.string ?? id, path: path)
    }
  }

  /// Returns the accessory with this name among all that this user runs on this machine.
  private static func runningAccessory(_ wanted: String) throws -> Found {
    var all: [(place: String, found: Found)] = []
    var refusals: [ControlClient.Failure] = []
    for address in RunningAddress.all {
      do throws(ControlClient.Failure) {
        all += try accessories(at: address).map { ("http://\(address)/\($0.name)", $0) }
      } catch {
        if error.isRefusal { refusals.append(error) }
      }
    }
    let fitting = Self.all(named: wanted, in: all, \.found)
    guard fitting.count <= 1 else {
      let places = fitting.map { "\($0.found.names) at \($0.place)" }.joined(separator: ", ")
      throw ControlClient.Failure(
        description: "several accessories '\(wanted)' run: give the address of one (\(places))")
    }
    if let only = fitting.first {
      for refusal in refusals { Terminal.note("\(refusal), if another '\(wanted)' runs there") }
      return only.found
    }
    let running = all.isEmpty ? "none does" : "running: \(all.map(\.found.names).joined(separator: ", "))"
    let refused = refusals.map { "; \($0)" }.joined()
    throw ControlClient.Failure(
      description: "no accessory '\(wanted)' runs with --http on this machine for this user (\(running))\(refused)")
  }

  /// Returns the accessory with this name at an address, or the only one there.
  private static func accessory(_ wanted: String?, at address: HTTPAddress) throws -> Found {
    let all = try accessories(at: address)
    let place = "http://\(address)"
    let names = all.map(\.names).joined(separator: ", ")
    if let wanted {
      let fitting = Self.all(named: wanted, in: all) { $0 }
      guard fitting.count <= 1 else {
        throw ControlClient.Failure(
          description: "several accessories '\(wanted)' run at \(place): give the name of one (known: \(names))")
      }
      if let found = fitting.first { return found }
      throw ControlClient.Failure(description: "there is no accessory '\(wanted)' at \(place) (known: \(names))")
    }
    guard let only = all.first else {
      throw ControlClient.Failure(description: "no accessory runs at \(place)")
    }
    guard all.count == 1 else {
      throw ControlClient.Failure(
        description: "several accessories run at \(place): give one as \(place)/NAME (known: \(names))")
    }
    return only
  }
}

extension ProfileValue {
  /// The members of a list; empty for any other value.
  var elements: [ProfileValue] { if case .array(let elements) = self { elements } else { [] } }
}
