import BLECore
import BLEGATT

/// A step that an accessory performs automatically on the server of a connected central.
public struct ClientStep: Hashable, Sendable {
  /// The name in reports, such as `read current-time`.
  public var name: String
  /// The event that starts the step.
  public var trigger: Trigger
  /// The delay after that event.
  public var delay: Duration
  /// The action of the step.
  public var action: Action
  /// A condition that must hold when the step begins; nil for none.
  public var condition: Expression?
  /// The service of the characteristic; nil for the first matching characteristic in any service.
  public var service: BluetoothUUID?
  /// The effects of the value that was read, received or written.
  public var effects: [RuleEffect]
  /// The number of retries after failures.
  public var retries: Int
  /// The delay before each retry.
  public var retryInterval: Duration
  /// The formats of the triggering value and of the resulting value; nil for octets.
  var occasionFormat: ValueFormat?
  var valueFormat: ValueFormat?

  /// An event that starts a step.
  public enum Trigger: Hashable, Sendable {
    /// The central has connected.
    case connected
    /// The central has subscribed to a characteristic of the accessory.
    case subscribed(CharacteristicIndex)
    /// Another step has received a value of a characteristic of the central, by a read, a notification or an indication.
    case received(BluetoothUUID)
    /// The button of that name is pressed.
    case button(String)
  }

  /// The action of a step. Discovery always comes first.
  public enum Action: Hashable, Sendable {
    /// Discovers the central's server.
    case discover
    /// Reads a characteristic.
    case read(BluetoothUUID)
    /// Subscribes to the notifications of a characteristic, or to its indications if it has no notifications.
    case subscribe(BluetoothUUID)
    /// Writes a characteristic, without response if it supports no other writes.
    case write(BluetoothUUID, [UInt8])
    /// Writes a value that is computed when the step begins.
    case compute(BluetoothUUID, Expression)

    /// The characteristic of the action; nil for none.
    var characteristic: BluetoothUUID? {
      switch self {
      case .discover: nil
      case .read(let uuid), .subscribe(let uuid), .write(let uuid, _), .compute(let uuid, _): uuid
      }
    }
  }

  /// Creates a step without effects or retries.
  public init(_ action: Action, name: String, when trigger: Trigger = .connected, after delay: Duration = .zero) {
    self.action = action
    self.name = name
    self.trigger = trigger
    self.delay = delay
    effects = []
    retries = 0
    retryInterval = .zero
    if case .received(let uuid) = trigger { occasionFormat = ShippedFormats.format(of: uuid) }
    valueFormat = action.characteristic.flatMap { ShippedFormats.format(of: $0) }
  }
}

/// A report of a step's result, for observers.
public struct ClientStepReport: Hashable, Sendable {
  /// The central on whose server the step was performed.
  public var peer: ClientID
  /// The step's `ClientStep.name`.
  public var step: String
  /// The result of the step.
  public var outcome: Outcome

  /// Creates a report.
  public init(peer: ClientID, step: String, outcome: Outcome) {
    self.peer = peer
    self.step = step
    self.outcome = outcome
  }

  /// The result of a step.
  public enum Outcome: Hashable, Sendable {
    /// The step received a value that the profile logs.
    case value([UInt8])
    /// The step failed, and may be retried.
    case failed(Failure, isTriedAgain: Bool)
    /// The subscription was lost because the central's services have changed, for example because a phone removes services when its user
    /// withdraws consent. The step is retried.
    case lapsed
  }

  /// The reason for a failure.
  public enum Failure: Hashable, Sendable {
    /// The central has no such characteristic.
    case notThere
    /// The operation failed.
    case operation(GATTFailure)
  }
}

extension ClientStepReport.Failure: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .notThere: "the central has no such characteristic"
    case .operation(let failure): "\(failure)"
    }
  }
}
