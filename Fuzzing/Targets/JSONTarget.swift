import AccessoryProfile
import BLECore
import FoundationEssentials

/// What comes over HTTP: any JSON gives values and channels that mean the same when they are said again, or an error in words.
public enum JSONTarget: FuzzTarget {
  public static let name = "json"
  public static let maximumLength = 4096

  private static let formats: [ValueFormat] = [
    .octets, .text, .boolean, .uuid, .dateTime, .timeZone, .currentTime, .heartRateMeasurement,
    .integer(IntegerFormat(octets: 3)), .integer(IntegerFormat(octets: 2, isSigned: true, decimals: 2)),
    .integer(IntegerFormat(octets: 8)), .named([.init("off", 0), .init("on", 1)]),
    .flags([.init("low", 1), .init("full", 2)]), .list(.integer(IntegerFormat(octets: 2))),
    .structure([.init("speed", .integer(IntegerFormat(octets: 2))), .init("note", .text, defaultValue: .string(""))]),
  ]

  public static func run(_ input: inout FuzzInput) throws(Violation) {
    guard let value = try? JSONDecoder().decode(ProfileValue.self, from: Data(input.rest())) else { return }
    for format in formats { try encode(value, as: format) }
    try publish(value)
  }

  /// A value that has octets has them again after it was read.
  private static func encode(_ value: ProfileValue, as format: ValueFormat) throws(Violation) {
    switch Result(catching: { () throws(ProfileValueError) in try format.encode(value) }) {
    case .failure(let error): try require(!error.message.isEmpty, "an error without words")
    case .success(let octets):
      let read = format.decode(octets)
      let again = try? format.encode(read)
      try require(again == octets, "\(value) is \(octets.hexadecimal), reads \(read), and is \(again ?? []) then")
    }
  }

  /// A channel that can be published is said in JSON as it can be published.
  private static func publish(_ value: ProfileValue) throws(Violation) {
    switch Result(catching: { () throws(ProfileValueError) in try ChannelDefinition.load(value) }) {
    case .failure(let error): try require(!error.message.isEmpty, "an error without words")
    case .success(let channel):
      let again = try? ChannelDefinition.load(channel.json)
      try require(again == channel, "\(channel.json) says another channel than \(value)")
    }
  }
}

extension JSONTarget {
  public static var seeds: [Seed] {
    texts.map { Seed($0.name, Array($0.text.utf8)) }
  }

  private static let texts: [(name: String, text: String)] = [
    ("hex", #"{"hex": "0102"}"#), ("text", #""Körper""#), ("flag", "true"), ("integer", "65535"),
    ("negative", "-327.68"),
    ("exponent", "1.5e2"), ("name", #""on""#), ("flags", #"["low", "full", 4]"#), ("list", "[1, 2, 65535]"),
    ("structure", #"{"speed": 3, "note": "a"}"#), ("uuid", #""180D""#), ("date-time", #""2024-02-29T23:59:58""#),
    ("time-zone", #""+05:45""#),
    ("current-time", #"{"time": "2024-02-29T23:59:58", "fractions": 128, "adjust": ["manual", "dst"]}"#),
    ("heart-rate", #"{"bpm": 300, "contact": "detected", "energy": 7, "rr": [800, 1024]}"#),
    ("echo", #"{"id": "log", "psm": "new", "mtu": 512, "mps": 100, "max-channels": 3, "handler": "echo"}"#),
    ("source", #"{"id": "s", "psm": 193, "handler": {"source": {"sdu": 20, "pattern": "counter", "rate": 9}}}"#),
    ("sink", #"{"id": "k", "psm": "auto", "security": "encrypted", "handler": {"sink": {"hash": true}}}"#),
    ("bridge", #"{"id": "b", "psm": "0x80", "handler": "tcp:127.0.0.1:9000"}"#),
    ("nested", String(repeating: "[", count: 500) + String(repeating: "]", count: 500)),
    ("deep", String(repeating: #"{"a":"#, count: 150) + "1" + String(repeating: "}", count: 150)),
    ("not-json", #"{"id": }"#),
  ]
}
