/// A change of one key of a profile, as by `--set PATH=VALUE`.
public struct ProfileSetting: Hashable, Sendable {
  /// The names on the path to the key.
  var path: [String]
  /// The value, in YAML.
  var value: String

  /// Creates a change of the key at a path: `connection.mtu`, `services.battery.level`, or the name of a parameter.
  public init(_ path: String, _ value: String) {
    self.path = path.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    self.value = value
  }

  /// Parses a change written as `PATH=VALUE`. Returns nil if it is invalid.
  public init?(parsing text: String) {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { return nil }
    self.init(String(text[..<sign]), String(text[text.index(after: sign)...]))
    guard path.allSatisfy({ !$0.isEmpty }) else { return nil }
  }

  /// The notation of the change, for messages.
  package var text: String { "\(path.joined(separator: "."))=\(value)" }
}

/// What a profile was loaded from.
package struct ProfileSource: Hashable, Sendable {
  /// The text of the file, without those that it includes.
  package var text = ""
  /// The changes of its keys and parameters, in order.
  package var settings: [ProfileSetting] = []
}

/// The reason why a path is invalid.
struct PathFault: Error {
  var reason: String
}

extension SyntaxNode {
  /// Returns the node with the one at `path` replaced by `value`. Missing keys are added.
  func setting(_ path: ArraySlice<String>, to value: SyntaxNode) throws(PathFault) -> SyntaxNode {
    guard let name = path.first else { return value }
    let rest = path.dropFirst()
    switch content {
    case .mapping(var pairs):
      if pairs.contains(where: { $0.name == "include" }), rest.count > 0, !Language.include.names.contains(name) {
        return try setting(["set", path.joined(separator: ".")], to: value)
      }
      if let place = pairs.firstIndex(where: { $0.name == name }) {
        pairs[place].value = try pairs[place].value.setting(rest, to: value)
      } else {
        let empty = value.with(.mapping([]))
        let key = value.with(.scalar(name, isQuoted: false))
        pairs.append(SyntaxPair(key: key, value: try empty.setting(rest, to: value)))
      }
      return with(.mapping(pairs))
    case .sequence(var elements):
      guard let place = Self.place(name, in: elements) else {
        let known = elements.compactMap { $0.name }
        throw PathFault(reason: "this list has no member '\(name)'\(Spelling.hint(for: name, among: known))")
      }
      elements[place] = try elements[place].setting(rest, to: value)
      return with(.sequence(elements))
    case .scalar:
      guard isNull else { throw PathFault(reason: "there is no '\(name)' in \(kindName)") }
      return try with(.mapping([])).setting(path, to: value)
    }
  }

  /// Returns the position of the member of a list with a name, or with a number starting at 0.
  private static func place(_ name: String, in elements: [SyntaxNode]) -> Int? {
    if let place = elements.firstIndex(where: { $0.name == name }) { return place }
    return Int(name).flatMap { elements.indices.contains($0) ? $0 : nil }
  }

  /// The name of a member of a list: its id, the include, or its UUID.
  private var name: String? { ["id", "include", "uuid"].lazy.compactMap { self.value(of: $0)?.text }.first }
}
