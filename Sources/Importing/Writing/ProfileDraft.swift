import AccessoryProfile
import BLEGAP

/// A draft of a profile: a tree that changes until the language accepts its text.
struct ProfileDraft {
  private var entries: [YAMLEntry]
  private let file: String
  private(set) var text = ""
  private(set) var remarks: [WritingRemark] = []
  /// The maximum number of rounds. Each leaves out the parts of at most 100 errors, so only an enormous file needs more.
  private static let rounds = 60

  init(entries: [YAMLEntry], file: String) { (self.entries, self.file) = (entries, file) }

  /// Loads the text, and turns refused parts into comments until the language accepts the rest.
  mutating func settle() throws(ProfileError) -> Profile {
    for _ in 0..<Self.rounds {
      let lines = YAMLRendering.lines(of: entries)
      text = lines.map(\.text).joined(separator: "\n") + "\n"
      do throws(ProfileError) { return try Profile.load(text: text, file: file) } catch {
        let faults = Self.faults(of: error, in: lines)
        guard !faults.isEmpty else { throw error }
        // From the last part to the first, so that the other paths stay valid.
        for (path, reason) in faults.sorted(by: { $1.path.lexicographicallyPrecedes($0.path) }) {
          guard leaveOut(path, reason) else { throw error }
        }
      }
    }
    return try Profile.load(text: text, file: file)
  }

  /// Returns the parts with errors. If one part contains another, it returns only the first of the two.
  private static func faults(of error: ProfileError, in lines: [YAMLLine]) -> [(path: YAMLPath, reason: String)] {
    var faults: [(path: YAMLPath, reason: String)] = []
    for diagnostic in error.diagnostics where diagnostic.severity == .error {
      guard lines.indices.contains(diagnostic.line - 1) else { continue }
      let path = lines[diagnostic.line - 1].path
      if faults.contains(where: { $0.path.starts(with: path) || path.starts(with: $0.path) }) { continue }
      faults.append((path, diagnostic.message))
    }
    return faults
  }

  /// Leaves out a part, or first spreads it over several lines to find the wrong key. Returns false if the profile needs the part.
  private mutating func leaveOut(_ path: YAMLPath, _ reason: String) -> Bool {
    var content = YAMLContent.mapping(entries)
    var found: WritingRemark?
    let isDone = Self.leaveOut(path[...], reason, &content, &found)
    if case .mapping(let changed) = content { entries = changed }
    if let found { remarks.append(found) }
    return isDone
  }

  private static func leaveOut(
    _ path: YAMLPath.SubSequence, _ reason: String, _ content: inout YAMLContent, _ found: inout WritingRemark?
  ) -> Bool {
    guard let number = path.first else { return false }
    switch content {
    case .ready: return false
    case .shortMapping(var entries):
      let isDone = leaveOut(path, reason, in: &entries, &found)
      content = .shortMapping(entries)
      return isDone
    case .mapping(var entries):
      let isDone = leaveOut(path, reason, in: &entries, &found)
      content = .mapping(entries)
      return isDone
    case .list(var items):
      let isDone = leaveOut(path.dropFirst(), reason, ofItem: number, in: &items, &found)
      content = .list(items)
      return isDone
    }
  }

  /// Leaves out an entry of a mapping, or a part of an entry. Its text becomes a comment on the next entry, or on the previous one.
  private static func leaveOut(
    _ path: YAMLPath.SubSequence, _ reason: String, in entries: inout [YAMLEntry], _ found: inout WritingRemark?
  ) -> Bool {
    guard let number = path.first, entries.indices.contains(number) else { return false }
    let rest = path.dropFirst()
    if !rest.isEmpty {
      if leaveOut(rest, reason, &entries[number].value, &found) { return true }
    } else if case .shortMapping(let inner) = entries[number].value {
      // With each key on its own line, the error will show which one is wrong.
      entries[number].value = .mapping(inner)
      return true
    }
    guard !entries[number].isRequired, entries.count > 1 else { return false }
    let entry = entries.remove(at: number)
    let comment = comment(on: entry, reason)
    found = found ?? WritingRemark(place: nil, message: comment)
    entries[min(number, entries.count - 1)].comments.append(comment)
    return true
  }

  private static func leaveOut(
    _ path: YAMLPath.SubSequence, _ reason: String, ofItem number: Int, in items: inout [YAMLItem],
    _ found: inout WritingRemark?
  ) -> Bool {
    guard items.indices.contains(number) else { return false }
    if path.isEmpty, items[number].isShort, items[number].entries.count > 1 {
      items[number].isShort = false
      return true
    }
    if !path.isEmpty, leaveOut(path, reason, in: &items[number].entries, &found) {
      if found?.place == nil { found?.place = items[number].place }
      return true
    }
    let item = items.remove(at: number)
    let comment = "Left out: \(item.title.isEmpty ? "an entry" : item.title), because \(reason)."
    found = WritingRemark(place: item.place, message: comment)
    guard !items.isEmpty else { return true }
    items[min(number, items.count - 1)].comments.append(comment)
    return true
  }

  private static func comment(on entry: YAMLEntry, _ reason: String) -> String {
    let lines = YAMLRendering.lines(of: [entry]).map(\.text)
    let text = lines.count == 1 ? lines[0] : entry.key
    return "Left out: `\(text)`, because \(reason)."
  }

  // MARK: Advertising

  /// Writes the data of an advertising set as octets if its keys produce other octets. Returns whether there was such a set.
  mutating func restoreAdvertisingData(of database: ImportedDatabase, in profile: Profile) -> Bool {
    var isChanged = false
    for imported in database.advertising ?? [] {
      guard let set = profile.advertising.first(where: { $0.id == imported.id }) else { continue }
      for (key, data, octets) in [
        ("data", ImportedAdvertisingData?.some(imported.data), set.data),
        ("scan-response", imported.scanResponse, set.scanResponse),
      ] {
        guard case .octets(let wanted) = data, wanted != octets else { continue }
        isChanged = replace(key, with: wanted, inSet: imported.id) || isChanged
      }
    }
    return isChanged
  }

  private mutating func replace(_ key: String, with octets: [UInt8], inSet id: String) -> Bool {
    for position in entries.indices where entries[position].key == "advertising" {
      guard case .list(var items) = entries[position].value else { continue }
      for number in items.indices where items[number].entries.contains(YAMLEntry("id", id, isRequired: true)) {
        guard let place = items[number].entries.firstIndex(where: { $0.key == key }) else { continue }
        items[number].entries[place].value = .ready(YAMLScalar.octets(octets))
        entries[position].value = .list(items)
        return true
      }
    }
    return false
  }
}
