import ArgumentParser

@main
struct UnderstudyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "understudy")
}
