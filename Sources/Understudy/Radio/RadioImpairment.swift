import VirtualRadio

/// An impairment of the radio and its place, as given on the command line.
public enum RadioImpairment: Hashable, Sendable {
  /// On every path that has no impairment of its own.
  case everywhere(PathImpairment)
  /// On the path from one controller to another, by their names.
  case path(from: String, to: String, PathImpairment)
  /// The impairment of the controller with that name.
  case controller(String, ControllerImpairment)

  /// The error for the text of an invalid impairment.
  public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text.
    public var text: String
    /// What is wrong with it.
    public var reason: String

    /// The text, the reason, and the known forms.
    public var description: String {
      "bad impairment '\(text)': \(reason) (known: \(RadioImpairment.forms.joined(separator: "; ")))"
    }
  }

  /// The known forms, for help texts.
  public static let forms = [
    "loss=20%,ber=1e-5,rssi=-80,unreachable", "from=NAME,to=NAME,loss=LL...",
    "controller=NAME,latency=5ms,hung,buffers=2",
  ]

  /// Parses an impairment.
  public init(parsing text: String) throws(ParseError) {
    func wrong(_ reason: String) -> ParseError { ParseError(text: text, reason: reason) }
    var names: [String: String] = [:]
    var settings: [(field: String, value: String)] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let (field, value) = try Self.setting(pair[0], pair.count > 1 ? pair[1] : nil, wrong)
      guard names[field] == nil, !settings.contains(where: { $0.field == field }) else {
        throw wrong("\(field) is given twice")
      }
      if ["from", "to", "controller"].contains(field) {
        guard RadioHub.isName(value) else {
          throw wrong("\(field) must be the name of a controller: \(RadioHub.names)")
        }
        names[field] = value
      } else {
        settings.append((field, value))
      }
    }
    do throws(ImpairmentFieldError) {
      self = try Self.placed(names, settings)
    } catch {
      throw wrong("\(error)")
    }
  }

  /// Returns a setting with its value. `hung` and `unreachable` need no value, everything else does.
  private static func setting(
    _ field: String, _ value: String?, _ wrong: (String) -> ParseError
  ) throws(ParseError) -> (field: String, value: String) {
    switch (field, value) {
    case ("hung", nil): return ("hung", "true")
    case ("unreachable", nil): return ("reachable", "false")
    case ("", nil): throw wrong("a setting is missing")
    case (_, nil): throw wrong("'\(field)' needs a value, as \(field)=VALUE")
    case (_, let value?): return (field, value)
    }
  }

  private static func placed(
    _ names: [String: String], _ settings: [(field: String, value: String)]
  ) throws(ImpairmentFieldError) -> RadioImpairment {
    guard let controller = names["controller"] else {
      var impairment = PathImpairment()
      for setting in settings { try impairment.set(setting.field, to: setting.value) }
      switch (names["from"], names["to"]) {
      case (let from?, let to?) where from != to: return .path(from: from, to: to, impairment)
      case (nil, nil): return .everywhere(impairment)
      case (_?, _?): throw ImpairmentFieldError(field: "to", reason: "must differ from from")
      case (nil, _?): throw ImpairmentFieldError(field: "from", reason: "is missing; to needs it")
      case (_?, nil): throw ImpairmentFieldError(field: "to", reason: "is missing; from needs it")
      }
    }
    guard names.count == 1 else {
      throw ImpairmentFieldError(field: "controller", reason: "cannot be combined with from and to")
    }
    var impairment = ControllerImpairment()
    for setting in settings { try impairment.set(setting.field, to: setting.value) }
    return .controller(controller, impairment)
  }
}
