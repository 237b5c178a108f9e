import BLECore
import BLEGAP
import BLEGATT

/// A rule: effects that occur automatically when something happens.
public struct Rule: Hashable, Sendable {
  /// The event that triggers the rule.
  public var trigger: Trigger
  /// A condition that must hold at that time; nil for none.
  public var condition: Expression?
  /// The delay of the effects.
  public var delay: Duration
  /// The effects, in order.
  public var effects: [RuleEffect]
  /// The state in which the rule is active; nil for all.
  public var state: Int?

  /// An event that triggers a rule.
  public enum Trigger: Hashable, Sendable {
    /// The accessory has started.
    case start
    /// A device requests a connection over BR/EDR.
    case paged
    /// A central connected, disconnected, or paired.
    case connected, disconnected, paired
    /// The accessory fell asleep, or woke up.
    case asleep, awake
    /// A central is out of reach. The disconnection follows.
    case lost
    /// The rule's state was entered, or is left.
    case entered, left
    /// The button of that name is pressed.
    case button(String)
    /// An interval has passed, periodically since the start, or since the state was entered.
    case every(Duration)
    /// The accessory's local time reaches this number of seconds after midnight.
    case at(second: Int)
    /// A client subscribed to a characteristic, or ended its subscription.
    case subscribed(CharacteristicIndex), unsubscribed(CharacteristicIndex)
    /// A client wrote a characteristic successfully, or reads it.
    case written(CharacteristicIndex), read(CharacteristicIndex)
    /// A condition became true. It can fire again after the other condition, or by default the negated first one, has been true.
    case becomes(Expression, until: Expression?)

    /// Whether it means nothing any more once the client has disconnected.
    var isAboutConnection: Bool {
      switch self {
      case .connected, .paired, .subscribed, .unsubscribed: true
      default: false
      }
    }
  }
}

/// An effect of a rule.
public enum RuleEffect: Hashable, Sendable {
  /// Restarts generators and forgets values that were set, for one field or for the whole characteristic.
  case reset(CharacteristicIndex, field: String?)
  /// Sets a value.
  case set(CharacteristicIndex, ProfileValue)
  /// Sets a computed value.
  case compute(CharacteristicIndex, ComputedValue)
  /// Sets a variable.
  case assign(variable: Int, ComputedValue)
  /// Copies the written octets to a characteristic.
  case copy(CharacteristicIndex)
  /// Notifies subscribers.
  case notify(CharacteristicIndex)
  /// Sends an indication to subscribers.
  case indicate(CharacteristicIndex)
  /// Sends a value to the client, or to every subscriber if there is no client, in as many notifications as necessary.
  case reply(CharacteristicIndex, ComputedValue)
  /// Sends octets on the channel of that name, to the client, or to every client if there is no client.
  case transmit(channel: String, ComputedValue)
  /// Adds a record to a table.
  case add(table: String, ComputedValue)
  /// Enters a state.
  case enter(Int)
  /// Makes the accessory fall asleep, or wake up.
  case sleep(Bool)
  /// Logs the write in the runtime's journal.
  case log
  /// Requests an action from the owner of the host.
  case device(DeviceAction)
}

/// A value with parts that are computed when needed.
public indirect enum ComputedValue: Hashable, Sendable {
  case constant(ProfileValue)
  case expression(Expression)
  /// Some fields of a value.
  case fields([Field])

  /// A field and its value.
  public struct Field: Hashable, Sendable {
    /// The name of the field in the format.
    public var name: String
    /// The value of the field.
    public var value: ComputedValue
  }

  /// The value, if nothing has to be computed.
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

/// An effect of a rule outside the attributes.
public enum DeviceAction: Hashable, Sendable {
  /// Disconnects the client, or all clients if the rule has no client.
  case disconnect
  /// Starts or stops an advertising set.
  case advertise(set: String, isOn: Bool)
  /// Publishes or withdraws a channel of the profile.
  case publish(channel: String, isOn: Bool)
  /// Adds or removes a service of the profile.
  case service(id: String, isPresent: Bool)
  /// Restarts the accessory, as after a power cycle.
  case restart
  /// Changes whether devices find it over BR/EDR and connect to it.
  case setModes(ClassicModes)
  /// Deletes bonds.
  case forgetBonds(of: Bonded)

  /// The bonds that a rule deletes.
  public enum Bonded: String, Hashable, Sendable, CaseIterable {
    /// The bond of the client that triggered the rule, those of all others, or all.
    case client, others, all
  }
}

/// A variable of rules.
public struct Variable: Hashable, Sendable {
  /// Its name in expressions.
  public var name: String
  /// The initial value, at the start, or for each client when it connects.
  var initial: ExpressionValue
  /// The owner of each value.
  public var owner: ValueOwner
}

/// The owner of a value.
public enum ValueOwner: String, Hashable, Sendable, CaseIterable {
  /// The accessory. All clients share the value.
  case accessory
  /// Each client, while it is connected.
  case connection
  /// Each client. The value is kept with its bond.
  case bond
}

/// A report about rules, or about something noticed in what clients do, for observers of the accessory.
public enum RuleReport: Hashable, Sendable {
  /// A state was entered.
  case entered(state: String)
  /// The accessory fell asleep: it stops advertising and ends its connections.
  case asleep
  /// The accessory woke up, and advertises again.
  case awake
  /// Something could not be computed, with the place and the reason.
  case failed(place: String, reason: String)
  /// A written value does not have the expected number.
  case gap(WriteGap)
  /// A rule or the owner has changed a value to these octets.
  case changed(CharacteristicIndex, [UInt8])
}
