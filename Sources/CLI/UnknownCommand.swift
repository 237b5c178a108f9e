import AccessoryProfile
import ArgumentParser

/// A word on the command line in the place of a command, which is none. The argument parser takes it for an argument too many, and with
/// `--help` does not look at it at all.
struct UnknownCommand {
  /// The word.
  var word: String
  /// The command that it stands behind.
  var parent: any ParsableCommand.Type

  /// The first such word of a command line; nil where every command is known.
  static func first(
    in arguments: ArraySlice<String>, of parent: any ParsableCommand.Type = UnderstudyCommand.self
  ) -> UnknownCommand? {
    let configuration = parent.configuration
    // `understudy help` takes the names of commands, too.
    let rest = parent == UnderstudyCommand.self && arguments.first == "help" ? arguments.dropFirst() : arguments
    // What has a default takes any word, and passes it on to that.
    guard let word = rest.first, !word.hasPrefix("-"), !configuration.subcommands.isEmpty,
      configuration.defaultSubcommand == nil
    else { return nil }
    guard let command = configuration.subcommands.first(where: { $0._commandName == word }) else {
      return UnknownCommand(word: word, parent: parent)
    }
    return first(in: rest.dropFirst(), of: command)
  }

  /// What is wrong, and what was probably meant.
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
