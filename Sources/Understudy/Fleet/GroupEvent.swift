import AccessoryProfile

/// Something that happened in a group.
public struct GroupEvent: Sendable {
  /// The name of the accessory that it is about; nil for what concerns the radio that they share.
  public var accessory: String?
  /// What happened.
  public var event: AccessoryEvent

  /// The event as one JSON object, with the accessory's name as `accessory`.
  public var json: ProfileValue {
    guard let accessory, case .object(var fields) = event.json else { return event.json }
    fields["accessory"] = .string(accessory)
    return .object(fields)
  }
}

/// Why a group could not start, or had to end: the first of its accessories that failed.
public struct GroupFailure: Error, Sendable, CustomStringConvertible {
  /// The accessory.
  public var accessory: String
  /// Why.
  public var failure: AccessoryFailure

  /// Who, what, where, why and what to do.
  public var description: String { "\(accessory): \(failure)" }
}

/// How a group ended.
public enum GroupEnd: Sendable {
  /// Every accessory was stopped.
  case stopped
  /// One could not go on, and the others were stopped.
  case failed(GroupFailure)
}
