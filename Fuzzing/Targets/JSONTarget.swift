import AccessoryProfile
import BLECore
import BLEGATT
import FoundationEssentials

/// JSON as it comes over HTTP. Any JSON makes values and channels that stay the same when they are written
/// and read again, and services that can be played; or it makes an error with a message.
package enum JSONTarget: FuzzTarget {
  package static let name = "json"
  package static let maximumLength = 4096

  private static let formats: [ValueFormat] =
    [
      .octets, .text, .boolean, .uuid, .dateTime, .timeZone, .medical(MedicalFloat(isShort: true)),
      .integer(IntegerFormat(octets: 3)), .integer(IntegerFormat(octets: 2, isSigned: true, decimals: 2)),
      .integer(IntegerFormat(octets: 8)), .named([.init("off", 0), .init("on", 1)]),
      .flags([.init("low", 1), .init("full", 2)]), .list(.integer(IntegerFormat(octets: 2))),
      .structure(
        StructFormat([
          .init("speed", .integer(IntegerFormat(octets: 2))), .init("note", .text, defaultValue: .string("")),
        ])),
    ]
    // Current Time, Heart Rate Measurement, Glucose Measurement, Weight Measurement, CGM Measurement, Indoor Bike Data.
    + ([0x2A2B, 0x2A37, 0x2A18, 0x2A9D, 0x2AA7, 0x2AD2] as [UInt16]).map { .assigned(to: BluetoothUUID($0)) }

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    let octets = input.rest()
    try serve(octets)
    guard let value = try? JSONDecoder().decode(ProfileValue.self, from: Data(octets)) else { return }
    for format in formats { try encode(value, as: format) }
    try publish(value)
  }

  /// Checks that a service that loads can be played, and that nothing of it goes on after it is forgotten.
  private static func serve(_ octets: [UInt8]) throws(Violation) {
    guard let profile = try? Profile.load(text: host) else { throw Violation(description: "the profile is invalid") }
    var runtime = ProfileRuntime(profile: profile)
    let deadline = runtime.nextDeadline
    let own = profile.behaviors.count
    let result = Result { () throws(ProfileValueError) in
      try runtime.loadService(json: octets) { $0.characteristics.indices.map { CharacteristicIndex(own + 2 + $0) } }
    }
    switch result {
    case .failure(let error): try require(!error.message.isEmpty, "an error has no message")
    case .success(let service):
      try require(
        service.behaviors.count == service.definition.characteristics.count,
        "a service does not have one behavior for each characteristic")
      runtime.play(service, at: .zero)
      try use(&runtime, service.behaviors.map(\.index))
      runtime.forgetService(service.definition.id)
      try require(runtime.nextDeadline == deadline, "something of a forgotten service goes on")
    }
  }

  private static func use(
    _ runtime: inout ProfileRuntime, _ characteristics: [CharacteristicIndex]
  ) throws(Violation) {
    var actions: [ApplicationAction] = []
    for characteristic in characteristics {
      if case .value(let value) = runtime.read(characteristic, for: 1, at: .zero) {
        try require(value.count <= 512, "a value of \(value.count) octets")
      }
      _ = runtime.write([1, 2], to: characteristic, for: 1, at: .zero)
      runtime.subscriptionsChanged(characteristic, notified: 1, indicated: 1, at: .zero, actions: &actions)
    }
    for _ in 0..<10 {
      guard let deadline = runtime.nextDeadline else { break }
      runtime.advance(to: deadline, actions: &actions)
    }
  }

  /// Checks that a value with octets, once it is decoded and encoded again, has the same octets, or others
  /// that mean the same: parts of it may be given as octets.
  private static func encode(_ value: ProfileValue, as format: ValueFormat) throws(Violation) {
    switch Result(catching: { () throws(ProfileValueError) in try format.encode(value) }) {
    case .failure(let error): try require(!error.message.isEmpty, "an error has no message")
    case .success(let octets):
      let read = format.decode(octets)
      let again = try? format.encode(read)
      let isSame = again == octets || again.map { format.decode($0) } == read
      try require(
        isSame, "\(value) encodes to \(octets.hexadecimal), which decodes to \(read), which encodes to \(again ?? [])")
    }
  }

  /// Checks that the JSON of a channel that can be published gives the same channel.
  private static func publish(_ value: ProfileValue) throws(Violation) {
    switch Result(catching: { () throws(ProfileValueError) in try ChannelDefinition.load(value) }) {
    case .failure(let error): try require(!error.message.isEmpty, "an error has no message")
    case .success(let channel):
      let again = try? ChannelDefinition.load(channel.json)
      try require(again == channel, "\(channel.json) gives another channel than \(value)")
    }
  }
}

extension JSONTarget {
  /// The profile of the accessory that gets the services. It does nothing by itself.
  private static let host = """
    understudy: 1
    name: Fuzz
    services: [ { uuid: FFF0, characteristics: [ { id: state, uuid: FFF1, properties: [read, write], format: u8, value: 1 } ] } ]
    """

  package static var seeds: [Seed] {
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
    (
      "service",
      #"{"id": "log", "uuid": "FFE0", "characteristics": [{"id": "line", "uuid": "FFE1", "format": "u8", "#
        + #""properties": ["read", "write", "notify"], "value": {"wave": "sine", "low": 1, "high": 9, "period": "3 s"}, "#
        + #""notify": {"every": "250 ms"}, "on-write": [{"when": {"first": 1}, "do": {"notify": "line"}}]}]}"#
    ),
    (
      "service-rules",
      #"{"uuid": "FFE0", "authorization": "ask", "characteristics": [{"uuid": "FFE2", "handle": 64, "properties": "#
        + #"["read", "write"], "on-read": {"after": "2 s"}, "on-write": [{"otherwise": {"set": {"state": 2}}}]}]}"#
    ),
    ("service-include", #"{"include": "battery", "id": "second", "level": 40}"#),
    ("surrogates", #"{"id": "\ud83d\ude00\u00e9\n", "id": "x", "uuid": 6144, "characteristics": null}"#),
    ("not-json", #"{"id": }"#),
  ]
}
