import AccessoryProfile

/// A command of the shell: a verb and its arguments by name. A line has it as words, `read battery-level`, or as a JSON object,
/// `{"do": "read", "attribute": "battery-level"}`.
package struct ShellCommand: Hashable, Sendable {
  /// The verb.
  package var verb: ShellVerb
  /// The arguments by name.
  package var arguments: [String: ProfileValue] = [:]

  /// Parses a line. Returns nil for an empty line, or a comment that begins with `#`.
  package init?(_ line: String) throws(ShellError) {
    guard let first = line.first(where: { !$0.isWhitespace }), first != "#" else { return nil }
    if first == "{" { try self.init(json: line) } else { try self.init(words: line) }
  }

  private init(json line: String) throws(ShellError) {
    let value: ProfileValue
    do throws(ProfileValueError) { value = try ProfileValue(json: Array(line.utf8)) } catch {
      throw ShellError("\(error)")
    }
    guard case .object(var fields) = value, case .string(let name) = fields.removeValue(forKey: "do") else {
      throw ShellError("expected a JSON object with the command as 'do', such as {\"do\": \"scan\"}")
    }
    verb = try Self.verb(name)
    arguments = fields
  }

  private init(words line: String) throws(ShellError) {
    var words = Self.words(line)
    verb = try Self.verb(words.removeFirst())
    let names = verb.arguments
    // The last argument takes the rest of the line, such as a name with spaces.
    if names.count > 0, words.count > names.count {
      words = Array(words.prefix(names.count - 1)) + [words.dropFirst(names.count - 1).joined(separator: " ")]
    }
    guard words.count <= names.count, words.count >= verb.required else {
      throw ShellError("usage: \(verb.usage)")
    }
    for (name, word) in zip(names, words) { arguments[name] = .string(word) }
  }

  private static func verb(_ name: String) throws(ShellError) -> ShellVerb {
    guard let verb = ShellVerb(rawValue: name) else {
      throw ShellError("there is no command '\(name)'; 'help' lists all")
    }
    return verb
  }

  /// Returns the words of a line; quotes keep spaces.
  private static func words(_ line: String) -> [String] {
    var words: [String] = []
    var word = ""
    var isQuoted = false
    var isWord = false
    for character in line {
      switch character {
      case "\"":
        isQuoted.toggle()
        isWord = true
      case _ where character.isWhitespace && !isQuoted:
        if isWord { words.append(word) }
        (word, isWord) = ("", false)
      default:
        word.append(character)
        isWord = true
      }
    }
    return isWord ? words + [word] : words
  }

  /// Returns an argument as a text; nil if it is missing.
  func text(_ name: String) -> String? {
    switch arguments[name] {
    case .string(let text): text
    case .int(let number): String(number)
    case .bool(let flag): String(flag)
    default: nil
    }
  }
}

/// The commands of the shell.
package enum ShellVerb: String, Hashable, Sendable, CaseIterable {
  case scan, connect, inquire, page, records, disconnect, mtu, discover, services, read, write, command, subscribe,
    unsubscribe, pair, answer,
    forget,
    security, parameters, phy, open, send, close, wait, help, quit

  /// The names of the arguments, in order. Those beyond `required` are optional.
  var arguments: [String] { row.arguments.split(separator: " ").map { $0.filter { $0 != "[" && $0 != "]" } } }

  /// The number of mandatory arguments.
  var required: Int { row.arguments.split(separator: " ").count { !$0.hasPrefix("[") } }

  /// The command with its arguments.
  package var usage: String {
    row.arguments.isEmpty ? rawValue : "\(rawValue) \(row.arguments.uppercased())"
  }

  /// What it does.
  package var about: String { row.about }

  private var row: (arguments: String, about: String) {
    switch self {
    case .scan: ("[for]", "listens for 5 s, or for the given time, and lists the devices that advertise")
    case .connect:
      (
        "peer",
        "connects to a device by its name, service or address; 'random' or 'public' after the address saves the scan"
      )
    case .inquire: ("[for]", "finds devices over BR/EDR for 10 s, or for the given time, and lists them")
    case .page: ("peer", "connects over BR/EDR to a device by its name or address")
    case .records: ("", "lists the service records of a device on BR/EDR")
    case .disconnect: ("", "ends the link")
    case .mtu: ("", "exchanges the MTU")
    case .discover: ("", "discovers all services, and lists them")
    case .services: ("", "lists the services that have been discovered")
    case .read: ("attribute", "reads a characteristic, by its name, UUID or handle (0x0012)")
    case .write:
      (
        "attribute value",
        "writes a value: hex:0102, u16:500, \"text\", or a value in the format of the characteristic"
      )
    case .command: ("attribute value", "writes without a response")
    case .subscribe: ("attribute", "subscribes to notifications, or to indications if there are no notifications")
    case .unsubscribe: ("attribute", "ends a subscription")
    case .pair: ("[anew]", "pairs, or encrypts with the keys of the bond; 'anew' always pairs")
    case .answer: ("value", "answers a question of the pairing: with the passkey, 'yes' or 'no'")
    case .forget: ("", "deletes all bonds")
    case .security:
      ("pairing", "sets how this central pairs: just-works, display, compare, keyboard, keyboard-display, none")
    case .parameters: ("interval [latency] [timeout]", "changes the connection parameters")
    case .phy: ("phy", "changes the PHY: 1M, 2M or coded")
    case .open: ("psm", "opens a credit-based channel")
    case .send: ("value", "sends an SDU on the channel opened last")
    case .close: ("", "closes the channel opened last")
    case .wait: ("time", "waits, and prints what arrives")
    case .help: ("", "lists the commands")
    case .quit: ("", "ends the link and the program")
    }
  }
}

/// The error when a command cannot be performed.
package struct ShellError: Error, CustomStringConvertible {
  /// What is wrong, and what to do about it.
  package var description: String

  init(_ description: String) { self.description = description }
}
