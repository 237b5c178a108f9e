import BLECore
import BLEGATT

/// Something that an accessory does by itself when something happens.
public struct Rule: Hashable, Sendable {
  /// What has to happen.
  public var trigger: Trigger
  /// What must hold then; nil for nothing.
  public var condition: Expression?
  /// How long after that it is done.
  public var delay: Duration
  /// What is done, in this order.
  public var effects: [RuleEffect]
  /// The state in which it is followed; nil for all.
  public var state: Int?

  /// What has to happen.
  public enum Trigger: Hashable, Sendable {
    /// The accessory has started.
    case start
    /// A central has connected, has gone, has paired.
    case connected, disconnected, paired
    /// The accessory has fallen asleep, or has woken up.
    case asleep, awake
    /// A central is not heard any longer; that it has gone follows.
    case lost
    /// The rule's state has begun, or ends.
    case entered, left
    /// Somebody presses a button of that name.
    case button(String)
    /// An interval has passed, again and again: since the start, or since the state began.
    case every(Duration)
    /// It is so many seconds after midnight, by the accessory's local time.
    case at(second: Int)
    /// A client has subscribed to a characteristic, or has ended that.
    case subscribed(CharacteristicIndex), unsubscribed(CharacteristicIndex)
    /// A client has written a characteristic, and that was accepted; or has read it.
    case written(CharacteristicIndex), read(CharacteristicIndex)
    /// A condition has become true; it can again when the other one, or the contrary of the first, has been true.
    case becomes(Expression, until: Expression?)
  }
}

/// Something that a rule does.
public enum RuleEffect: Hashable, Sendable {
  /// Generators begin again, and values that were set are forgotten: of one field, or of the whole characteristic.
  case reset(CharacteristicIndex, field: String?)
  /// A value is set.
  case set(CharacteristicIndex, ProfileValue)
  /// A value is set to what is computed.
  case compute(CharacteristicIndex, ComputedValue)
  /// A variable is set.
  case assign(variable: Int, ComputedValue)
  /// A characteristic gets the octets that were written.
  case copy(CharacteristicIndex)
  /// Subscribers are notified.
  case notify(CharacteristicIndex)
  /// Subscribers get an indication.
  case indicate(CharacteristicIndex)
  /// The client, or without one every subscriber, gets a value by as many notifications as it takes.
  case reply(CharacteristicIndex, ComputedValue)
  /// The client, or without one every client, gets octets on the channel of that name.
  case transmit(channel: String, ComputedValue)
  /// A record comes to a table.
  case add(table: String, ComputedValue)
  /// Another state begins.
  case enter(Int)
  /// The accessory falls asleep, or wakes up.
  case sleep(Bool)
  /// The write is noted in the runtime's journal.
  case log
  /// The owner of the host does something.
  case device(DeviceAction)
}

/// A value of which parts are computed when it is needed.
public indirect enum ComputedValue: Hashable, Sendable {
  case constant(ProfileValue)
  case expression(Expression)
  /// Some fields of a value.
  case fields([Field])

  /// A field and its value.
  public struct Field: Hashable, Sendable {
    /// The field, as the format calls it.
    public var name: String
    /// What it is set to.
    public var value: ComputedValue
  }

  /// The value where nothing has to be computed.
  var constant: ProfileValue? {
    switch self {
    case .constant(let value): return value
    case .expression: return nil
    case .fields(let fields):
      var values: [String: ProfileValue] = [:]
      for field in fields {
        guard let value = field.value.constant else { return nil }
        values[field.name] = value
      }
      return .object(values)
    }
  }
}

/// What a rule wants that is not of the attributes.
public enum DeviceAction: Hashable, Sendable {
  /// The client's connection ends, or all of them where the rule is about no client.
  case disconnect
  /// An advertising set goes on the air, or off it.
  case advertise(set: String, isOn: Bool)
  /// A channel of the profile is published, or no longer.
  case publish(channel: String, isOn: Bool)
  /// A service of the profile comes back, or goes.
  case service(id: String, isPresent: Bool)
  /// The accessory begins anew, as after its power was off.
  case restart
  /// Bonds are forgotten.
  case forgetBonds(of: Bonded)

  /// Whose bonds a rule forgets.
  public enum Bonded: String, Hashable, Sendable, CaseIterable {
    /// That of the client that the rule is about, those of all others, or all.
    case client, others, all
  }
}

/// A value that rules remember.
public struct Variable: Hashable, Sendable {
  /// Its name in expressions.
  public var name: String
  /// What it is at the start, or for each client when that connects.
  var initial: ExpressionValue
  /// Who has one of its own.
  public var owner: ValueOwner
}

/// Who has a value of its own.
public enum ValueOwner: String, Hashable, Sendable, CaseIterable {
  /// Nobody: it is the accessory's.
  case accessory
  /// Every client, as long as it is connected.
  case connection
  /// Every client; it is kept with its bond.
  case bond
}

/// What has become of rules, and what was noticed of what clients do, for whoever watches the accessory.
public enum RuleReport: Hashable, Sendable {
  /// A state has begun.
  case entered(state: String)
  /// The accessory has fallen asleep: it is off the air, and ends its connections.
  case asleep
  /// It has woken up, and is on the air again.
  case awake
  /// Something could not be computed; where, and why.
  case failed(place: String, reason: String)
  /// A written value is not the next one by its number.
  case gap(WriteGap)
}
