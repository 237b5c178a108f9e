import BLECore
import BLECryptography
import Crypto

extension Expression {
  /// The functions of expressions.
  enum Function: String, Hashable, Sendable, CaseIterable {
    case `if`, length, min, max, abs, round, floor
    case u8, u16, u24, u32, u64
    case u16be = "u16-be", u24be = "u24-be", u32be = "u32-be", u64be = "u64-be"
    case le, be, signed
    case octets, text, hex, number, reverse, `repeat`, contains, starts
    case sum, xor, crc8
    case crc16, crc16XMODEM = "crc16-xmodem", crc16Modbus = "crc16-modbus"
    case crc16MCRF4XX = "crc16-mcrf4xx", crc32
    case sha256, hmacSHA256 = "hmac-sha256", aesCMAC = "aes-cmac", aesECB = "aes-ecb"
    case fields, list, cbor, fromCBOR = "from-cbor", present
    case random, subscribed

    /// The permitted numbers of arguments.
    var arguments: ClosedRange<Int> {
      switch self {
      case .if: 3...3
      case .min, .max: 1...16
      case .signed, .repeat, .contains, .starts, .hmacSHA256, .aesCMAC, .aesECB: 2...2
      case .random: 1...2
      case .fields, .list: 0...32
      default: 1...1
      }
    }

    /// The syntax, for messages and the documentation.
    var usage: String {
      switch self {
      case .if: "if(CONDITION, THEN, ELSE)"
      case .min, .max, .list: "\(rawValue)(A, B, …)"
      case .fields: "fields(NAME, VALUE, …)"
      case .signed: "signed(NUMBER, BITS)"
      case .repeat: "repeat(X, TIMES)"
      case .contains, .starts: "\(rawValue)(X, PART)"
      case .hmacSHA256, .aesCMAC, .aesECB: "\(rawValue)(KEY, X)"
      case .random: "random(OCTETS) or random(LOW, HIGH)"
      case .subscribed: "subscribed(ID)"
      case .u8, .u16, .u24, .u32, .u64, .u16be, .u24be, .u32be, .u64be, .abs, .round, .floor: "\(rawValue)(NUMBER)"
      default: "\(rawValue)(X)"
      }
    }

    /// The result, in one line for the documentation.
    var summary: String {
      switch self {
      case .if: "one of two values; the other is not evaluated"
      case .length: "the number of octets, or of the members of a list"
      case .min: "the smallest number"
      case .max: "the largest number"
      case .abs: "the absolute value"
      case .round: "the nearest whole number"
      case .floor: "the largest whole number that is not greater"
      case .u8: "one octet"
      case .u16, .u24, .u32, .u64:
        "the number in that many bits, least significant octet first; higher bits are dropped"
      case .u16be, .u24be, .u32be, .u64be: "the same, most significant octet first"
      case .le: "the number in up to 8 octets, least significant first"
      case .be: "the number in up to 8 octets, most significant first"
      case .signed: "a number of that many bits, interpreted as two's complement"
      case .octets: "the octets of a characteristic, of `written`, or of text"
      case .text: "octets decoded as UTF-8, or a number in decimal"
      case .hex: "hexadecimal digits as text"
      case .number: "the number in a text; 0 if there is none"
      case .reverse: "the octets in reverse order"
      case .repeat: "the octets, repeated"
      case .contains: "whether the octets contain these"
      case .starts: "whether the octets begin with these"
      case .sum: "the sum of all octets"
      case .xor: "the exclusive or of all octets"
      case .crc8: "CRC-8 (polynomial 0x07, initial value 0)"
      case .crc16: "CRC-16/CCITT-FALSE (0x1021, initial value 0xFFFF)"
      case .crc16XMODEM: "CRC-16/XMODEM (0x1021, initial value 0)"
      case .crc16Modbus: "CRC-16/MODBUS (0x8005 reflected, initial value 0xFFFF)"
      case .crc16MCRF4XX:
        "CRC-16/MCRF4XX (0x1021 reflected, initial value 0xFFFF), the E2E-CRC of Continuous Glucose Monitoring"
      case .crc32: "CRC-32/ISO-HDLC, as in zip and Ethernet"
      case .sha256: "SHA-256, 32 octets"
      case .hmacSHA256: "HMAC-SHA-256, 32 octets"
      case .aesCMAC: "AES-CMAC (RFC 4493) with a 16-octet key, 16 octets"
      case .aesECB: "AES-128 in ECB mode, in blocks of 16 octets, with a 16-octet key"
      case .fields: "a value with fields, from alternating names and values; fields without a value are left out"
      case .list: "a list"
      case .cbor: "the value in CBOR (RFC 8949), with keys sorted by their encoding"
      case .fromCBOR:
        "the value that is encoded in CBOR: a number, text, octets, true or false, a list, or fields; none if "
          + "it is invalid"
      case .present: "whether there is a value: a field that is given, a member of a list, valid CBOR"
      case .random:
        "that many random octets, or a whole number within bounds; derived from --seed, so not secret"
      case .subscribed: "whether the client, or without one any client, has enabled notifications or indications of it"
      }
    }
  }
}

/// The functions whose result depends only on their arguments.
enum ExpressionFunctions {
  static func apply(
    _ function: Expression.Function, _ arguments: [ExpressionValue]
  ) throws(ExpressionError) -> ExpressionValue {
    let first = arguments.first ?? .nothing
    switch function {
    case .length: return .whole(Int64(try length(first)))
    case .min, .max: return try extreme(arguments, isGreatest: function == .max)
    case .abs, .round, .floor: return try rounded(function, first)
    case .u8, .u16, .u24, .u32, .u64, .u16be, .u24be, .u32be, .u64be:
      return .octets(try integer(function, try first.whole()))
    case .le, .be: return .whole(try number(try first.octets(), isBig: function == .be))
    case .signed: return .whole(try signed(try first.whole(), bits: try arguments[1].whole()))
    case .octets: return .octets(try first.octets())
    case .text: return .text(try text(first))
    case .hex: return .text(try first.octets().hexadecimal)
    case .number: return number(first)
    case .reverse: return .octets(try first.octets().reversed())
    case .repeat: return .octets(try repeated(try first.octets(), try arguments[1].whole()))
    case .contains: return .boolean(contains(try first.octets(), try arguments[1].octets()))
    case .starts: return .boolean(try first.octets().starts(with: try arguments[1].octets()))
    case .sum: return .whole(try first.octets().reduce(0) { $0 + Int64($1) })
    case .xor: return .whole(Int64(try first.octets().reduce(0) { $0 ^ $1 }))
    case .crc8, .crc16, .crc16XMODEM, .crc16Modbus, .crc16MCRF4XX, .crc32:
      return .whole(checksum(function, try first.octets()))
    case .sha256, .hmacSHA256, .aesCMAC, .aesECB: return .octets(try code(function, arguments))
    case .fields: return try fields(arguments)
    case .list: return try bounded(.list(arguments))
    case .cbor: return .octets(try CBOR.write(first))
    case .fromCBOR: return CBOR.read(try first.octets()) ?? .nothing
    case .present: return .boolean(first != .nothing)
    case .if, .random, .subscribed: throw ExpressionError("'\(function.rawValue)' has no value by itself")
    }
  }

  // MARK: Numbers

  private static func extreme(
    _ arguments: [ExpressionValue], isGreatest: Bool
  ) throws(ExpressionError) -> ExpressionValue {
    var best = arguments[0]
    _ = try best.number()
    for argument in arguments.dropFirst() {
      let isGreater = try argument.number() > best.number()
      if isGreater == isGreatest { best = argument }
    }
    return best
  }

  private static func rounded(
    _ function: Expression.Function, _ value: ExpressionValue
  ) throws(ExpressionError) -> ExpressionValue {
    if case .whole(let whole) = value { return .whole(function == .abs && whole < 0 ? 0 &- whole : whole) }
    let number = try value.number()
    switch function {
    case .abs: return .real(Swift.abs(number))
    case .round: return .whole(Int64(clamping: number))
    default: return .whole(Int64(clamping: number.rounded(.down)))
    }
  }

  private static func integer(_ function: Expression.Function, _ number: Int64) throws(ExpressionError) -> [UInt8] {
    let (count, isBig) =
      switch function {
      case .u8: (1, false)
      case .u16: (2, false)
      case .u24: (3, false)
      case .u32: (4, false)
      case .u64: (8, false)
      case .u16be: (2, true)
      case .u24be: (3, true)
      case .u32be: (4, true)
      default: (8, true)
      }
    let octets = (0..<count).map { UInt8(truncatingIfNeeded: number >> Int64($0 * 8)) }
    return isBig ? octets.reversed() : octets
  }

  private static func number(_ octets: [UInt8], isBig: Bool) throws(ExpressionError) -> Int64 {
    guard octets.count <= 8 else {
      throw ExpressionError("\(octets.count) octets are too many for a number; the maximum is 8")
    }
    let ordered = isBig ? octets : octets.reversed()
    return ordered.reduce(0) { $0 << 8 | Int64($1) }
  }

  private static func signed(_ number: Int64, bits: Int64) throws(ExpressionError) -> Int64 {
    guard (1...64).contains(bits) else { throw ExpressionError("a number has 1 to 64 bits, not \(bits)") }
    return (number << (64 - bits)) >> (64 - bits)
  }

  private static func number(_ value: ExpressionValue) -> ExpressionValue {
    let text: String
    switch value {
    case .whole, .real: return value
    case .text(let given): text = String(given.trimmed)
    case .octets(let octets): text = String(decoding: octets, as: UTF8.self).trimmed.description
    default: return .whole(0)
    }
    return Numbers.integer(text).map { .whole($0) } ?? Numbers.decimal(text).map { .real($0) } ?? .whole(0)
  }

  // MARK: Octets

  private static func length(_ value: ExpressionValue) throws(ExpressionError) -> Int {
    if case .list(let members) = value { return members.count }
    return try value.octets().count
  }

  private static func text(_ value: ExpressionValue) throws(ExpressionError) -> String {
    switch value {
    case .whole(let number): return "\(number)"
    case .real(let number): return "\(number)"
    case .boolean(let flag): return "\(flag)"
    case .text(let text): return text
    default: return String(decoding: try value.octets(), as: UTF8.self)
    }
  }

  private static func repeated(_ octets: [UInt8], _ times: Int64) throws(ExpressionError) -> [UInt8] {
    let count = Swift.max(0, times)
    guard count <= Int64(ExpressionValue.longest), Int(count) * octets.count <= ExpressionValue.longest else {
      throw ExpressionError("the result would exceed \(ExpressionValue.longest) octets")
    }
    return [[UInt8]](repeating: octets, count: Int(count)).flatMap { $0 }
  }

  private static func contains(_ octets: [UInt8], _ part: [UInt8]) -> Bool {
    guard part.count <= octets.count else { return false }
    return (0...(octets.count - part.count)).contains { octets[$0...].starts(with: part) }
  }

  // MARK: Lists and fields

  private static func fields(_ arguments: [ExpressionValue]) throws(ExpressionError) -> ExpressionValue {
    guard arguments.count.isMultiple(of: 2) else { throw ExpressionError("the last name of 'fields' has no value") }
    var fields: [String: ExpressionValue] = [:]
    for place in stride(from: 0, to: arguments.count, by: 2) where arguments[place + 1] != .nothing {
      guard case .text(let name) = arguments[place] else {
        throw .wanted("the name of a field in quotes", arguments[place])
      }
      fields[name] = arguments[place + 1]
    }
    return try bounded(.fields(fields))
  }

  /// The maximum number of parts of a value, so that a value that repeatedly includes itself does not grow without limit.
  private static let mostParts = 1000

  private static func bounded(_ value: ExpressionValue) throws(ExpressionError) -> ExpressionValue {
    var left = mostParts
    count(value, depth: 0, &left)
    guard left > 0 else {
      throw ExpressionError("the value has more than \(mostParts) parts, or is nested more than \(CBOR.deepest) deep")
    }
    return value
  }

  private static func count(_ value: ExpressionValue, depth: Int, _ left: inout Int) {
    left = depth > CBOR.deepest ? 0 : left - 1
    switch value {
    case .list(let members): for member in members where left > 0 { count(member, depth: depth + 1, &left) }
    case .fields(let fields): for field in fields.values where left > 0 { count(field, depth: depth + 1, &left) }
    default: break
    }
  }

  // MARK: Checksums

  private static func checksum(_ function: Expression.Function, _ octets: [UInt8]) -> Int64 {
    switch function {
    case .crc8: Int64(forward(octets, polynomial: 0x07, bits: 8, start: 0))
    case .crc16: Int64(forward(octets, polynomial: 0x1021, bits: 16, start: 0xFFFF))
    case .crc16XMODEM: Int64(forward(octets, polynomial: 0x1021, bits: 16, start: 0))
    case .crc16Modbus: Int64(reflected(octets, polynomial: 0xA001, start: 0xFFFF))
    case .crc16MCRF4XX: Int64(reflected(octets, polynomial: 0x8408, start: 0xFFFF))
    default: Int64(reflected(octets, polynomial: 0xEDB8_8320, start: 0xFFFF_FFFF) ^ 0xFFFF_FFFF)
    }
  }

  private static func forward(_ octets: [UInt8], polynomial: UInt32, bits: UInt32, start: UInt32) -> UInt32 {
    let top: UInt32 = 1 << (bits - 1)
    var remainder = start
    for octet in octets {
      remainder ^= UInt32(octet) << (bits - 8)
      for _ in 0..<8 { remainder = remainder & top == 0 ? remainder << 1 : remainder << 1 ^ polynomial }
    }
    return remainder & (top << 1 &- 1)
  }

  private static func reflected(_ octets: [UInt8], polynomial: UInt32, start: UInt32) -> UInt32 {
    var remainder = start
    for octet in octets {
      remainder ^= UInt32(octet)
      for _ in 0..<8 { remainder = remainder & 1 == 0 ? remainder >> 1 : remainder >> 1 ^ polynomial }
    }
    return remainder
  }

  // MARK: Cryptography

  private static func code(
    _ function: Expression.Function, _ arguments: [ExpressionValue]
  ) throws(ExpressionError) -> [UInt8] {
    let first = try arguments[0].octets()
    guard arguments.count == 2 else { return Array(SHA256.hash(data: first)) }
    let message = try arguments[1].octets()
    if function == .hmacSHA256 {
      return Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: first)))
    }
    guard first.count == 16 else { throw ExpressionError("the key must have 16 octets, not \(first.count)") }
    if function == .aesCMAC { return AESCMAC.authenticationCode(of: message, key: first) }
    guard message.count.isMultiple(of: 16) else {
      throw ExpressionError("the message must consist of blocks of 16 octets, not \(message.count) octets")
    }
    return stride(from: 0, to: message.count, by: 16).flatMap {
      AESBlock.encrypt(key: first, Array(message[$0..<($0 + 16)]))
    }
  }
}
