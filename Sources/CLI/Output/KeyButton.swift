import AccessoryProfile
import Understudy

/// A button of an accessory that can be pressed at the terminal.
struct KeyButton: Sendable {
  var accessory: Accessory
  /// Its name in the profile.
  var name: String
  /// Its label, which includes the accessory's name if there are several accessories.
  var label: String
  /// The number that presses it.
  var number: Int

  /// Returns the buttons of all accessories.
  static func all(of members: [AccessoryGroup.Member]) async -> [KeyButton] {
    var all: [KeyButton] = []
    for member in members {
      for name in await member.accessory.buttons {
        let label = members.count > 1 ? "\(member.name)/\(name)" : name
        all.append(KeyButton(accessory: member.accessory, name: name, label: label, number: all.count + 1))
      }
    }
    return all
  }

  /// Returns the button with that number or label, or the only one whose label or name begins with the word.
  static func meant(by word: String, among buttons: [KeyButton]) -> KeyButton? {
    if let exact = buttons.first(where: { $0.label == word || String($0.number) == word }) { return exact }
    let fitting = buttons.filter { $0.label.hasPrefix(word) || $0.name.hasPrefix(word) }
    return fitting.count == 1 ? fitting[0] : nil
  }
}
