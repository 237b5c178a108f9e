import AccessoryProfile
import ArgumentParser

struct ProfilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profiles", abstract: "List the shipped profiles.")

  func run() throws {
    for entry in ShippedProfiles.list {
      let about = (try? Profile.load(contentsOf: entry.path))?.about ?? "cannot be loaded: try `understudy check`"
      let padding = String(repeating: " ", count: max(1, 16 - entry.name.count))
      Terminal.print("\(Terminal.styled(entry.name, .bold))\(padding)\(about)")
      Terminal.print(Terminal.styled(String(repeating: " ", count: 16) + entry.path, .dim))
    }
  }
}
