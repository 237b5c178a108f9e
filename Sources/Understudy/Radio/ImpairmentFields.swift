import AccessoryProfile
import VirtualRadio

/// An invalid field of an impairment.
public struct ImpairmentFieldError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The field.
  public var field: String
  /// What is wrong with it, as text that follows the field's name.
  public var reason: String

  /// Creates the error for a field.
  public init(field: String, reason: String) {
    self.field = field
    self.reason = reason
  }

  /// The field, and what is wrong with it.
  public var description: String { "\(field) \(reason)" }
}

/// The fields of impairments as text: on the command line, and as the values of JSON.
extension PathImpairment {
  /// The fields of a path.
  public static let fieldNames = ["loss", "ber", "rssi", "reachable"]

  /// Sets a field: `loss` to `20%`, `0.2` or a pattern such as `LL...`; `ber` to `1e-5`; `rssi` to `-80`; `reachable` to
  /// `false`.
  public mutating func set(_ field: String, to text: String) throws(ImpairmentFieldError) {
    func wrong(_ reason: String) -> ImpairmentFieldError { ImpairmentFieldError(field: field, reason: reason) }
    switch field {
    case "loss":
      guard let loss = PacketLoss(text) else {
        throw wrong(
          "must be a fraction such as 20% or 0.2, or a pattern of L for lost and . for received, at most 1000 "
            + "long")
      }
      self.loss = loss
    case "ber":
      guard let rate = decimal(text), (0...1).contains(rate) else {
        throw wrong("must be the bit error rate, from 0 to 1, such as 1e-5")
      }
      bitErrorRate = rate
    case "rssi":
      // Core 5.4 Vol 4 Part E 7.5.4: the range of what a controller can report.
      guard let strength = Int8(text), (-127...20).contains(strength) else { throw wrong("must be -127 to 20, in dBm") }
      self.strength = strength
    case "reachable":
      guard let flag = Bool(text) else { throw wrong("must be true or false") }
      isReachable = flag
    default: throw wrong("is not a setting of a path (known: \(Self.fieldNames.joined(separator: ", ")))")
    }
  }

  /// The impairment, in the form that JSON uses for it.
  public var json: ProfileValue {
    .object([
      "loss": loss.json, "ber": .double(bitErrorRate), "rssi": .int(Int64(strength)), "reachable": .bool(isReachable),
    ])
  }
}

extension ControllerImpairment {
  /// The fields of a controller.
  public static let fieldNames = ["latency", "hung", "buffers"]

  /// Sets a field: `latency` to `5 ms`; `hung` to `true`; `buffers` to the number of ACL packets that the controller really holds.
  public mutating func set(_ field: String, to text: String) throws(ImpairmentFieldError) {
    func wrong(_ reason: String) -> ImpairmentFieldError { ImpairmentFieldError(field: field, reason: reason) }
    switch field {
    case "latency":
      guard let latency = Durations.parse(text), latency <= .seconds(60) else {
        throw wrong("must be a time from 0 to 60 s, with a unit")
      }
      self.latency = latency
    case "hung":
      guard let flag = Bool(text) else { throw wrong("must be true or false") }
      isHung = flag
    case "buffers":
      guard let count = UInt8(text) else { throw wrong("must be a number of packets from 0 to 255") }
      bufferLimit = Int(count)
    default: throw wrong("is not a setting of a controller (known: \(Self.fieldNames.joined(separator: ", ")))")
    }
  }

  /// The impairment, in the form that JSON uses for it.
  public var json: ProfileValue {
    .object([
      "latency_ms": latency.milliseconds, "hung": .bool(isHung),
      "buffers": bufferLimit.map { .int(Int64($0)) } ?? .null,
    ])
  }
}

extension PacketLoss {
  /// Parses `20%`, `0.2` or `LL...`; nil for anything else.
  init?(_ text: String) {
    if let share = text.hasSuffix("%") ? decimal(text.dropLast()).map({ $0 / 100 }) : decimal(text) {
      guard (0...1).contains(share) else { return nil }
      self = share == 0 ? .none : .fraction(share)
    } else {
      guard (1...1000).contains(text.utf8.count), text.utf8.allSatisfy({ "L.".utf8.contains($0) }) else { return nil }
      self = .pattern(text.utf8.map { $0 == UInt8(ascii: "L") })
    }
  }

  /// The loss for JSON: a fraction, or a pattern.
  var json: ProfileValue {
    switch self {
    case .none: .int(0)
    case .fraction(let share): .double(share)
    case .pattern(let pattern): .string(String(pattern.map { $0 ? "L" : "." }))
    }
  }
}

/// Parses a decimal number that may have an exponent. Other syntax that `Double` accepts is refused.
private func decimal(_ text: some StringProtocol) -> Double? {
  guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) else { return nil }
  return Double(text)
}
