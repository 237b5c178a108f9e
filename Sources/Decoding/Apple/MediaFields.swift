import BLECore

/// The values of the Apple Media Service (Apple Media Service Reference).
enum MediaFields {
  private static let remoteCommands = [
    "Play", "Pause", "Toggle Play/Pause", "Next Track", "Previous Track", "Volume Up", "Volume Down",
    "Advance Repeat Mode", "Advance Shuffle Mode", "Skip Forward", "Skip Backward", "Like Track", "Dislike Track",
    "Bookmark Track",
  ]
  private static let entities = ["Player", "Queue", "Track"]
  private static let attributes = [
    ["Name", "Playback Info", "Volume"], ["Index", "Count", "Shuffle Mode", "Repeat Mode"],
    ["Artist", "Album", "Title", "Duration"],
  ]
  private static let playbackStates = ["Paused", "Playing", "Rewinding", "Fast Forwarding"]
  private static let modes = ["Off", "One", "All"]

  /// Adds the command that a client writes.
  static func command(_ list: inout FieldList) { list.named("RemoteCommandID", remoteCommands) }

  /// Adds the commands that are currently available.
  static func commands(_ list: inout FieldList) {
    while list.has(1) { list.named("Supported Command", remoteCommands) }
  }

  /// Adds the attributes that a client subscribes to or reads.
  static func wantedAttributes(_ list: inout FieldList) {
    let entity = list.named("EntityID", entities)
    while list.has(1) { list.named("AttributeID", names(entity)) }
  }

  /// Adds a change of an attribute.
  static func update(_ list: inout FieldList) {
    let entity = list.named("EntityID", entities)
    let attribute = list.named("AttributeID", names(entity))
    list.number("EntityUpdateFlags", 1) { $0 & 1 == 0 ? "none" : "Truncated" }
    value(&list, entity, attribute)
  }

  /// Adds a whole attribute. Only the request identifies it.
  static func attribute(_ list: inout FieldList) { value(&list, nil, nil) }

  private static func names(_ entity: UInt64?) -> [String] {
    entity.flatMap { $0 < attributes.count ? attributes[Int($0)] : nil } ?? []
  }

  private static func value(_ list: inout FieldList, _ entity: UInt64?, _ attribute: UInt64?) {
    let text = String(decoding: list.rest, as: UTF8.self)
    guard list.remaining > 0 else { return }
    list.text("Value", list.remaining)
    guard let meaning = meaning(of: text, entity, attribute) else { return }
    list.amend { $0.meaning = "\"\(text)\" (\(meaning))" }
  }

  /// Returns the meaning of the numbers in a text.
  private static func meaning(of text: String, _ entity: UInt64?, _ attribute: UInt64?) -> String? {
    func name(_ number: Substring?, _ names: [String]) -> String? {
      number.flatMap { Int($0) }.flatMap { names.indices.contains($0) ? names[$0] : nil }
    }
    switch (entity, attribute) {
    case (0, 1):
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      guard parts.count == 3, let state = name(parts[0], playbackStates) else { return nil }
      return "\(state), rate \(parts[1]), \(parts[2]) s"
    case (1, 2), (1, 3): return name(text[...], modes)
    case (2, 3): return "seconds"
    default: return nil
    }
  }
}
