import AccessoryProfile

/// An event in a group.
public struct GroupEvent: Sendable {
  /// The name of the accessory that it concerns; nil if it concerns the shared radio.
  public var accessory: String?
  /// What happened.
  public var event: AccessoryEvent

  /// The event as a JSON object, with the accessory's name as `accessory`.
  public var json: ProfileValue {
    guard let accessory, case .object(var fields) = event.json else { return event.json }
    fields["accessory"] = .string(accessory)
    return .object(fields)
  }
}

/// Why a group could not start or had to end: the first accessory that failed.
public struct GroupFailure: Error, Sendable, CustomStringConvertible {
  /// The accessory.
  public var accessory: String
  /// The failure.
  public var failure: AccessoryFailure

  /// The accessory, and what failed, where, why, and what to do about it.
  public var description: String { "\(accessory): \(failure)" }
}

/// How a group ended.
public enum GroupEnd: Sendable {
  /// Every accessory was stopped.
  case stopped
  /// An accessory failed, and the others were stopped.
  case failed(GroupFailure)
}
