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

  /// What is to be opened on a connection.
  struct Opening {
    var psm: SPSM
    var parameters: ChannelParameters
    /// How many by one enhanced request; nil for one by the basic request.
    var enhancedCount: Int?
  }

  /// The channels of `{"psm": 128, "mtu": 2048, "mps": 1000, "credits": 10}`, or of an enhanced request with `"enhanced": true` and
  /// `count`; only `psm` is required.
  static func opening(_ body: ProfileValue?) throws(Refusal) -> Opening {
    let fields = try JSONBody.fields(body, known: ["psm", "mtu", "mps", "credits", "enhanced", "count"])
    guard fields["psm"] != nil else { throw Refusal(.badRequest, "psm is missing") }
    let isEnhanced: Bool
    switch fields["enhanced"] {
    case nil: isEnhanced = false
    case .bool(let value): isEnhanced = value
    default: throw Refusal(.badRequest, "enhanced must be true or false")
    }
    // Core 5.4 Vol 3 Part A 4.22 and 4.25.
    let least = isEnhanced ? 64 : 23
    let psm = try number(fields, "psm", 1...255) ?? 0
    let mtu = try number(fields, "mtu", least...65_535)
    let mps = try number(fields, "mps", least...65_533)
    let credits = try number(fields, "credits", (isEnhanced ? 1 : 0)...65_535)
    let count = try number(fields, "count", 1...5)
    guard isEnhanced || count == nil else {
      throw Refusal(.badRequest, "count goes with an enhanced request: {\"enhanced\": true}")
    }
    return Opening(
      psm: SPSM(rawValue: UInt16(clamping: psm)),
      parameters: ChannelParameters(
        mtu: mtu ?? ChannelDefinition.defaultMTU, mps: mps ?? ChannelDefinition.defaultMPS,
        credits: credits.map { .frames($0) } ?? .standard),
      enhancedCount: isEnhanced ? count ?? 1 : nil)
  }

  private static func number(
    _ fields: [String: ProfileValue], _ name: String, _ range: ClosedRange<Int>
  ) throws(Refusal) -> Int? {
    guard let value = fields[name] else { return nil }
    guard case .int(let number) = value, let result = Int(exactly: number), range.contains(result) else {
      throw Refusal(
        .badRequest, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return result
  }

  /// Who decides, of `{"state": "ask"}`.
  static func authorization(_ body: ProfileValue?) throws(Refusal) -> ChannelAuthorization {
    guard case .string(let word) = try JSONBody.fields(body, known: ["state"])["state"],
      let authorization = ChannelAuthorization(word: word)
    else {
      throw Refusal(.badRequest, "state must be one of \(ChannelAuthorization.words.joined(separator: ", "))")
    }
    return authorization
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
