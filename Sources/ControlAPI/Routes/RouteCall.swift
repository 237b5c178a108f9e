import AccessoryProfile
import BLECore
import BLEHCI
import BLEL2CAP
import Hummingbird
import Understudy

/// A validated request on its way to its route.
struct RouteCall: Sendable {
  let request: Request
  /// The values of the names in the path.
  let names: [String: String]
  let query: [String: String]
  /// The body as JSON; nil if there is none.
  let body: ProfileValue?
  /// The octets of the body.
  let octets: [UInt8]
  /// Begins when the client closes the connection.
  let closing: Shutdown
  let service: ControlService

  /// Returns the value of a name in the path.
  subscript(name: String) -> String { names[name] ?? "" }

  /// The fields of a body that is an object; empty otherwise.
  var fields: [String: ProfileValue] { if case .object(let fields) = body { fields } else { [:] } }

  /// Returns a field with a text.
  func text(_ name: String) -> String? { if case .string(let text) = fields[name] { text } else { nil } }

  /// Returns a field with a whole number.
  func integer(_ name: String) -> Int? { if case .int(let number) = fields[name] { Int(number) } else { nil } }

  /// Returns a field with true or false.
  func flag(_ name: String) -> Bool? { if case .bool(let flag) = fields[name] { flag } else { nil } }

  /// Returns a field with octets.
  func octets(_ name: String) -> [UInt8]? { text(name).flatMap { [UInt8](hexadecimal: $0) } }

  // MARK: - Subject

  /// Returns the accessory that the path names, or the only one.
  func accessory() throws(Refusal) -> Accessory {
    guard let name = names["accessory"] else { return try service.subject.accessory() }
    return try service.subject.accessory(named: name)
  }

  /// Performs something that the accessory may refuse.
  func control<Answer: Sendable>(
    _ body: @Sendable (Accessory) async throws(ControlError) -> Answer
  ) async throws(Refusal) -> Answer {
    let accessory = try accessory()
    do throws(ControlError) { return try await body(accessory) } catch { throw Refusal(error) }
  }

  /// Returns the connection that the path names.
  func connection() throws(Refusal) -> ConnectionHandle {
    guard let number: UInt16 = Self.number(self["connection"]) else {
      throw Refusal(
        .unknownConnection, "there is no connection \(self["connection"]): connections are numbers, as in the events")
    }
    return ConnectionHandle(rawValue: number)
  }

  /// Returns the channel that the path names.
  func channel() throws(Refusal) -> ChannelID {
    guard let number: UInt16 = Self.number(self["channel"]) else {
      throw Refusal(.unknownChannel, "there is no channel \(self["channel"]): channels are numbers, as in the events")
    }
    return ChannelID(rawValue: number)
  }

  /// Parses a number in decimal digits.
  static func number<Number: FixedWidthInteger>(_ text: String) -> Number? {
    text.allSatisfy { $0.isASCII && $0.isNumber } ? Number(text) : nil
  }
}

/// What routes need in addition to the request.
struct ControlService: Sendable {
  let subject: ControlSubject
  let bridges: BridgeAllowance
  let streams: EventStream
  let journals: EventJournals
}
