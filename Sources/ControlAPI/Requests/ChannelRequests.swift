import AccessoryProfile
import BLECore
import BLEL2CAP
import HTTPTypes

/// What requests say about L2CAP channels.
enum ChannelRequests {
  /// The channel of a path segment.
  static func channel(_ segment: String) throws(Refusal) -> ChannelID {
    guard segment.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt16(segment) else {
      throw Refusal(.notFound, "there is no channel \(segment): channels are numbers, as in the events")
    }
    return ChannelID(rawValue: number)
  }

  /// The SDU of `{"hex": "0102"}` or `{"text": "hello"}`.
  static func sdu(_ body: ProfileValue?) throws(Refusal) -> [UInt8] {
    let fields = try JSONBody.fields(body, known: ["hex", "text"])
    switch (fields["hex"], fields["text"]) {
    case (.string(let digits), nil):
      guard let octets = [UInt8](hexadecimal: digits) else {
        throw Refusal(.badRequest, "hex wants a text of pairs of hexadecimal digits, as \"0102\"")
      }
      return octets
    case (nil, .string(let text)): return Array(text.utf8)
    case (.some, nil): throw Refusal(.badRequest, "hex wants a text of pairs of hexadecimal digits, as \"0102\"")
    case (nil, .some): throw Refusal(.badRequest, "text wants a text")
    default: throw Refusal(.badRequest, "an SDU is wanted, as {\"hex\": \"0102\"} or {\"text\": \"hello\"}")
    }
  }

  /// What is to be published: a channel as a profile has it.
  static func publication(_ body: ProfileValue?) throws(Refusal) -> ChannelDefinition {
    guard let body else {
      throw Refusal(
        .badRequest, "a channel is wanted, as {\"id\": \"stream\", \"psm\": \"auto\", \"handler\": \"echo\"}")
    }
    do throws(ProfileValueError) {
      return try ChannelDefinition.load(body)
    } catch {
      throw Refusal(.badRequest, error.message)
    }
  }
}
