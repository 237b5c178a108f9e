import AccessoryProfile
import ArgumentParser

struct ProfilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profiles", abstract: "List the shipped profiles, or print the text of one.",
    discussion: """
      They are inside of the program. The environment variable UNDERSTUDY_PROFILES names a directory of others that stand in for \
      them.
      """)

  @Argument(help: "The profile to print, to begin one of your own with.")
  var name: String?

  @Flag(help: "Print a JSON array: name, path and about of each.")
  var json = false

  func run() throws {
    if let name { return try print(name) }
    let list = ShippedProfiles.list.map { ($0, about: try? Profile.load(contentsOf: $0.path).about) }
    if json {
      return Terminal.print(
        json: .array(
          list.map { entry, about in
            .object([
              "name": .string(entry.name), "path": .string(entry.path), "about": about.map { .string($0) } ?? .null,
            ])
          }))
    }
    for (entry, about) in list {
      let padding = String(repeating: " ", count: max(1, 16 - entry.name.count))
      Terminal.print(
        "\(Terminal.styled(entry.name, .bold))\(padding)\(about ?? "cannot be loaded: try `understudy check`")")
      if ShippedProfiles.directory != nil { Terminal.print(Terminal.styled(padding + entry.path, .dim)) }
    }
  }

  private func print(_ name: String) throws {
    guard let entry = ShippedProfiles.list.first(where: { $0.name == name }),
      let text = ShippedProfiles.text(at: entry.path)
    else {
      Terminal.error(
        "no profile \(name) is in the program (known: \(ShippedProfiles.list.map(\.name).joined(separator: ", ")))")
      throw ExitStatus.noProfile
    }
    Terminal.print(TerminalText(lines: text.hasSuffix("\n") ? text.dropLast() : text[...]))
  }
}
