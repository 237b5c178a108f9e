import AccessoryProfile
import BLELink
import Synchronization
import Understudy

/// An event with its number. Its JSON is created when a reader first needs it, and shared by all readers.
final class NumberedEvent: Sendable {
  enum Event: Sendable {
    case accessory(AccessoryEvent)
    case group(GroupEvent)

    fileprivate var json: ProfileValue {
      switch self {
      case .accessory(let event): event.json
      case .group(let event): event.json
      }
    }

    fileprivate var accessory: AccessoryEvent {
      switch self {
      case .accessory(let event): event
      case .group(let event): event.event
      }
    }
  }

  /// A placeholder for a dropped event.
  static let none = NumberedEvent(id: 0, .accessory(AccessoryEvent.nothing))

  let id: Int
  /// Its maximum memory, in octets: its own, and its octets as digits in JSON.
  let cost: Int
  private let event: Event
  private let made = Mutex<ProfileValue?>(nil)
  private let text = Mutex<String?>(nil)

  init(id: Int, _ event: Event) {
    (self.id, self.event) = (id, event)
    cost = 1024 + 6 * event.accessory.octetCount
  }

  /// The event as JSON.
  var json: ProfileValue {
    made.withLock { made in
      let json = made ?? event.json
      made = json
      return json
    }
  }

  /// The event's name.
  var name: String {
    guard case .object(let fields) = json, case .string(let name) = fields["event"] else { return "" }
    return name
  }

  /// The event as a message of server-sent events.
  var message: String {
    text.withLock { text in
      let message = text ?? "id: \(id)\n\(EventStream.text(of: json))"
      text = message
      return message
    }
  }

  /// The event with its number, for answers.
  var numbered: ProfileValue { .object(["id": .int(Int64(id)), "event": json]) }
}

extension AccessoryEvent {
  /// The number of octets from a peer in the event.
  fileprivate var octetCount: Int {
    switch kind {
    case .host(.sdu(_, _, let octets)), .host(.frame(_, _, let octets)), .logged(let octets): octets.count
    case .host(let event): event.octets?.count ?? 0
    default: 0
    }
  }

  fileprivate static var nothing: AccessoryEvent { AccessoryEvent(time: .zero, kind: .host(.stopped)) }
}
