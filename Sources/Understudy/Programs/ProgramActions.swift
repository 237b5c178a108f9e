import AccessoryProfile
import PeripheralHost

/// Carrying out what programs request.
extension Accessory {
  /// The keys of a program's messages, in the order in which they are carried out.
  private static let actions = ["set", "notify", "indicate", "press"]

  /// Carries out a line of a program's output, or reports why that is impossible.
  func carryOut(_ line: [UInt8], of program: String) {
    do throws(ControlError) {
      try carryOut(line)
    } catch {
      emit(.program(.refused(program, text: String(decoding: line, as: UTF8.self), reason: "\(error)")))
    }
  }

  private func carryOut(_ line: [UInt8]) throws(ControlError) {
    let message: ProfileValue
    do throws(ProfileValueError) { message = try ProfileValue(json: line) } catch {
      throw .unsuitableValue(error.message)
    }
    guard case .object(let fields) = message, !fields.isEmpty, fields.keys.allSatisfy(Self.actions.contains) else {
      throw .unsuitableValue("expected an object with some of \(Self.actions.joined(separator: ", "))")
    }
    for action in Self.actions {
      guard let subject = fields[action] else { continue }
      switch action {
      case "set":
        for (name, value) in try Self.pairs(subject, action) {
          guard let value else { throw .unsuitableValue("'set' wants values by the ids of their characteristics") }
          try setValue(value, of: name)
        }
      case "press":
        guard case .string(let button) = subject else { throw .unsuitableValue("'press' wants the name of a button") }
        try press(button)
      default:
        for (name, value) in try Self.pairs(subject, action) {
          do throws(ControlError) {
            _ = try send(name, indicating: action == "indicate", value: value)
          } catch .refused(.noSubscriber) {
            // Without subscribers, there is nothing to send.
          }
        }
      }
    }
  }

  /// Returns the characteristics and their values. The subject is an object, or the id of one characteristic without a value.
  private static func pairs(
    _ subject: ProfileValue, _ action: String
  ) throws(ControlError) -> [(name: String, value: ProfileValue?)] {
    switch subject {
    case .string(let name): return [(name, nil)]
    case .object(let values): return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    default: throw .unsuitableValue("'\(action)' wants an object with values by the ids of their characteristics")
    }
  }
}
