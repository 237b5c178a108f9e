import AccessoryProfile
import ArgumentParser

struct ProfilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profiles", abstract: "List the shipped profiles, or print the text of one.",
    discussion: """
      The shipped profiles are built into the program. The environment variable UNDERSTUDY_PROFILES names a directory of profiles \
      to use instead.
      """)

  @Argument(help: "The profile to print; `understudy new` copies it to a file.")
  var name: String?

  @Flag(help: "Print a JSON array: name, path, group and about of each.")
  var json = false

  func run() throws {
    if let name { return try print(name) }
    let list = ShippedProfiles.list.map { ($0, profile: try? Profile.load(contentsOf: $0.path)) }
    if json {
      return Terminal.print(
        json: .array(
          list.map { entry, profile in
            .object([
              "name": .string(entry.name), "path": .string(entry.path),
              "group": profile.map { .string($0.group) } ?? .null, "about": profile.map { .string($0.about) } ?? .null,
            ])
          }))
    }
    // Groups are in the order of their names. Profiles without a group come last.
    let groups = Dictionary(grouping: list) { $0.profile?.group ?? "" }
    let width = (list.map(\.0.name.count).max() ?? 0) + 2
    for (number, name) in groups.keys.sorted(by: { ($0.isEmpty ? 1 : 0, $0) < ($1.isEmpty ? 1 : 0, $1) }).enumerated() {
      if number > 0 { Terminal.print("") }
      if groups.count > 1 { Terminal.print(Terminal.styled(name.isEmpty ? "Others" : name, .dim)) }
      for (entry, profile) in groups[name] ?? [] {
        let padding = String(repeating: " ", count: width - entry.name.count)
        let about = profile?.about ?? "cannot be loaded: run `understudy check`"
        Terminal.print("\(Terminal.styled(entry.name, .bold))\(padding)\(about)")
        if ShippedProfiles.directory != nil {
          Terminal.print(Terminal.styled(String(repeating: " ", count: width) + entry.path, .dim))
        }
      }
    }
  }

  private func print(_ name: String) throws {
    let text = try ProfileCopy.text(of: name, beside: "")
    Terminal.print(TerminalText(lines: text.hasSuffix("\n") ? text.dropLast() : text[...]))
  }
}
