import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import PeripheralHost
import Understudy

/// What happened in a case, as events in JSON and as lines for people.
final class CaseJournal {
  /// The events of the accessory, and those of each central, in order.
  private(set) var accessory: [ProfileValue] = []
  private(set) var phones: [String: [ProfileValue]] = [:]
  /// Up to where the accessory's have been looked at.
  var position = 0
  /// The lines, with virtual times.
  private(set) var lines: [String] = []

  /// Takes in what an accessory's host has reported.
  func take(_ events: [HostEvent], of stack: HostStack<ProfileRuntime>, at now: Instant) {
    for event in events where !event.isEndOfDiscovery {
      let index = event.characteristic
      let value = index.flatMap { index in event.octets.map { stack.application.decode($0, of: index) } }
      let name = index.map { index in
        let definition = stack.server.database[index].definition
        return CharacteristicName(id: definition.id, uuid: definition.uuid)
      }
      let json = AccessoryEvent(
        time: .zero, kind: .host(event), characteristic: name, value: value
      ).json.without("time")
      accessory.append(json)
      note("accessory", json.jsonText, at: now)
    }
  }

  /// Takes in what a central's host has reported.
  func take(_ event: HostEvent, of phone: String, at now: Instant) {
    // What is heard of advertisers would fill the transcript.
    if case .advertisement = event { return }
    let json = event.json
    phones[phone, default: []].append(json)
    note(phone, json.jsonText, at: now)
  }

  /// Writes a line.
  func note(_ who: String, _ text: String, at now: Instant) {
    let microseconds = now.nanoseconds / 1000
    let fraction = String(microseconds % 1_000_000 + 1_000_000).dropFirst()
    lines.append("\(microseconds / 1_000_000).\(fraction) \(who): \(text)")
  }
}

extension ProfileValue {
  /// An object without one of its fields.
  fileprivate func without(_ field: String) -> ProfileValue {
    guard case .object(var fields) = self else { return self }
    fields[field] = nil
    return .object(fields)
  }

  /// Whether it has all that `wanted` has: of an object every field, of anything else the same value.
  func has(_ wanted: ProfileValue) -> Bool {
    switch (self, wanted) {
    case (.object(let fields), .object(let wanted)):
      wanted.allSatisfy { name, value in fields[name].map { $0.has(value) } ?? false }
    case (.array(let elements), .array(let wanted)):
      elements.count == wanted.count && zip(elements, wanted).allSatisfy { $0.has($1) }
    case (.string(let text), .string(let wanted)): text == wanted
    default: self == wanted || (number != nil && number == wanted.number)
    }
  }
}
