import BLECore
import BLEGATT

/// Something that an accessory does by itself with the server of a central that has connected.
public struct ClientStep: Hashable, Sendable {
  /// How reports speak of it, such as `read current-time`.
  public var name: String
  /// What it waits for.
  public var trigger: Trigger
  /// How long after that it is done.
  public var delay: Duration
  /// What is done.
  public var action: Action
  /// What must hold when it begins; nil for nothing.
  public var condition: Expression?
  /// The service whose characteristic is meant; nil for the first characteristic in any.
  public var service: BluetoothUUID?
  /// What is done with the value that was read, sent or written.
  public var effects: [RuleEffect]
  /// How often it is tried again after a failure, and after how long each time.
  public var retries: Int
  /// How long it waits before it tries again.
  public var retryInterval: Duration
  /// What the value means that it waited for, and the one that it brings; nil for octets.
  var occasionFormat: ValueFormat?
  var valueFormat: ValueFormat?

  /// What a step waits for.
  public enum Trigger: Hashable, Sendable {
    /// The central has connected.
    case connected
    /// The central has subscribed to a characteristic of the accessory.
    case subscribed(CharacteristicIndex)
    /// Another step has brought a value of a characteristic of the central: it was read, or the central has sent it.
    case received(BluetoothUUID)
    /// Somebody presses a button of that name.
    case button(String)
  }

  /// What a step does. Everything is discovered before anything else is done.
  public enum Action: Hashable, Sendable {
    /// Finds out what the central offers.
    case discover
    /// Reads a characteristic.
    case read(BluetoothUUID)
    /// Wants the notifications of a characteristic, or the indications where it has no notifications.
    case subscribe(BluetoothUUID)
    /// Writes a characteristic, without a response where it takes no other writes.
    case write(BluetoothUUID, [UInt8])
    /// The same with a value that is computed when it begins.
    case compute(BluetoothUUID, Expression)

    /// The characteristic that it is about.
    var characteristic: BluetoothUUID? {
      switch self {
      case .discover: nil
      case .read(let uuid), .subscribe(let uuid), .write(let uuid, _), .compute(let uuid, _): uuid
      }
    }
  }

  /// A step without effects that is tried once.
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

/// What has become of a step, for those who watch.
public struct ClientStepReport: Hashable, Sendable {
  /// Whose server it was done on.
  public var peer: ClientID
  /// The step, as `ClientStep.name` has it.
  public var step: String
  /// What has become of it.
  public var outcome: Outcome

  /// A report.
  public init(peer: ClientID, step: String, outcome: Outcome) {
    self.peer = peer
    self.step = step
    self.outcome = outcome
  }

  /// What has become of a step.
  public enum Outcome: Hashable, Sendable {
    /// It has brought a value that the profile wants logged.
    case value([UInt8])
    /// It has failed, and whether it is tried again.
    case failed(Failure, isTriedAgain: Bool)
    /// Its subscription is gone, because the central's services have changed: a phone takes services away when its user withdraws
    /// the consent, for example. It is tried again.
    case lapsed
  }

  /// Why a step has failed.
  public enum Failure: Hashable, Sendable {
    /// The central has no such characteristic.
    case notThere
    /// The operation has failed.
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
