import AccessoryProfile
import ArgumentParser

/// An unknown word in the place of a command. The argument parser would report it as a
/// superfluous argument, and ignore it with `--help`.
struct UnknownCommand {
  /// The word.
  var word: String
  /// The command before it.
  var parent: any ParsableCommand.Type

  /// Returns the first such word on a command line; nil if all commands are known.
  static func first(
    in arguments: ArraySlice<String>, of parent: any ParsableCommand.Type = UnderstudyCommand.self
  ) -> UnknownCommand? {
    let configuration = parent.configuration
    // `understudy help` also takes the names of commands.
    let rest = parent == UnderstudyCommand.self && arguments.first == "help" ? arguments.dropFirst() : arguments
    // A command with a default subcommand passes any word on to that.
    guard let word = rest.first, !word.hasPrefix("-"), !configuration.subcommands.isEmpty,
      configuration.defaultSubcommand == nil
    else { return nil }
    guard let command = configuration.subcommands.first(where: { $0._commandName == word }) else {
      return UnknownCommand(word: word, parent: parent)
    }
    return first(in: rest.dropFirst(), of: command)
  }

  /// The error, with a suggestion.
  var error: ValidationError {
    let known = parent.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .map { $0._commandName }
    let isProfile =
      parent == UnderstudyCommand.self && (word.hasSuffix(".yaml") || ShippedProfiles.entry(named: word) != nil)
    let hint = isProfile ? ", did you mean `understudy run \(word)`?" : Spelling.hint(for: word, among: known)
    let place = parent == UnderstudyCommand.self ? "" : "\(parent._commandName) "
    return ValidationError("there is no command '\(place)\(word)'\(hint)")
  }
}
