import AccessoryProfile
import BLECore
import BLEGATT
import Testing

/// A single service, from JSON, with a runtime.
@Suite("Services as JSON")
struct ServiceJSONTests {
  private static let running = """
    tables:
      - { id: things, columns: { number: u8 }, key: number }
    services:
      - id: own
        uuid: FFF0
        characteristics:
          - { id: a, uuid: FFF1, properties: [read, notify], format: u8, value: 1 }
          - { id: b, uuid: FFF2, properties: [read, write] }
      - { id: other, uuid: FFF4, characteristics: [ { id: c, uuid: FFF5, properties: [read] } ] }
    """

  /// Loads a service after the three characteristics of the profile and five of the host.
  private func load(_ json: String, replacing: String? = nil) throws -> LoadedService {
    let runtime = ProfileRuntime(profile: try profile(Self.running))
    return try runtime.loadService(json: Array(json.utf8), replacing: replacing) { definition in
      definition.characteristics.indices.map { CharacteristicIndex(8 + $0) }
    }
  }

  private func service(_ characteristics: String) -> String {
    #"{"id": "log", "uuid": "FFE0", "characteristics": [\#(characteristics)]}"#
  }

  @Test func everyKeyOfAProfileCounts() throws {
    let service = try load(
      #"{"uuid": "heart-rate", "primary": false, "includes": ["own"], "authorization": "pending", "characteristics": ["#
        + #"{"id": "x", "uuid": "FFE1", "properties": ["write", "notify"], "format": "u16", "notify": {"every": "1 s"},"#
        + #" "on-write": [{"when": {"first": 1}, "do": [{"notify": "a"}, {"set": {"b": "hex:07"}}]},"#
        + #" {"otherwise": {"error": 129}}]}]}"#)
    #expect(service.definition.id == "heart-rate" && service.definition.uuid == BluetoothUUID(0x180D))
    #expect(!service.definition.isPrimary && service.definition.includes == ["own"])
    let (index, behavior) = try #require(service.behaviors.first)
    #expect(index == CharacteristicIndex(8))
    #expect(
      behavior.id == "x" && behavior.notify == .every(.seconds(1)) && behavior.authorization == .service("heart-rate"))
    #expect(
      behavior.writeRules.map(\.effects) == [
        [.notify(CharacteristicIndex(0)), .set(CharacteristicIndex(1), .octets([7]))], [],
      ])
  }

  @Test func rulesMayMeanTheServiceItself() throws {
    let service = try load(
      service(
        #"{"id": "x", "uuid": "FFE1", "properties": ["notify"]},"#
          + #"{"id": "y", "uuid": "FFE2", "properties": ["write"], "on-write": [{"when": "any", "do": {"notify": "x"}}]}"#
      ))
    #expect(service.behaviors[1].behavior.writeRules.first?.effects == [.notify(CharacteristicIndex(8))])
  }

  @Test func fieldsKeepTheirOrder() throws {
    let service = try load(
      service(
        #"{"id": "x", "uuid": "FFE1", "properties": ["read"], "format": {"struct": {"z": "u8", "a": "u16", "m": "u8"}},"#
          + #" "value": {"a": 2, "m": 3, "z": 1}}"#))
    #expect(service.definition.characteristics[0].value == .stored([1, 2, 0, 3]))
  }

  @Test(
    arguments: [
      (#""a\"b\\\/\b\f\n\r\t""#, "a\"b\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\uD83D\uDE00""#, "Aé😀"), (#""é😀""#, "é😀"),
      (#""true""#, "true"), (#""12""#, "12"),
    ])
  func textsAreText(json: String, text: String) throws {
    let service = try load(
      service(#"{"id": "x", "uuid": "FFE1", "properties": ["read"], "format": "utf8", "value": \#(json)}"#))
    #expect(service.definition.characteristics[0].value == .stored(Array(text.utf8)))
  }

  @Test func whatComesInPlaceOfAnotherMayUseItsIDs() throws {
    let service = try load(
      #" { "uuid" : "FFE0" ,"characteristics":[ {"id":"a","uuid":"FFE1","properties":["read"],"value":-1,"format":"i8"} ] }"#,
      replacing: "own")
    #expect(service.definition.id == "own")
    #expect(service.definition.characteristics[0].value == .stored([0xFF]))
  }

  @Test func includesAndTablesAreThere() throws {
    #expect(try load(#"{"include": "battery"}"#).behaviors.map(\.behavior.id) == ["battery-level"])
    #expect(try load(#"{"include": "battery", "id": "spare"}"#).behaviors.map(\.behavior.id) == ["spare-level"])
    let command =
      #"{"opcode": 1, "parameters": {"n": "u8"}, "require": [{"row": "things", "key": "n", "else": {"result": 2}}]}"#
    let service = try load(
      service(
        #"{"id": "x", "uuid": "FFE1", "properties": ["write", "indicate"], "control-point": {"unknown": {"result": 1},"#
          + #" "malformed": {"result": 2}, "response": ["opcode", "result"], "commands": [\#(command)]}}"#))
    #expect(service.behaviors[0].behavior.controlPoint?.answer == CharacteristicIndex(8))
  }

  /// All mistakes are reported at once, each with its field.
  @Test(
    arguments: [
      ("{", "octet 1 "), ("", "octet 0 "), ("[1,]", "octet 3 "), (#"{"a" 1}"#, "octet 5 "), ("{} x", "octet 3 "),
      (#""\uD83D""#, "not JSON"), (#""\uDE00""#, "not JSON"), (#""\u+123""#, "not JSON"), (#""\q""#, "not JSON"),
      ("\"\n\"", "not JSON"), ("tru", "not JSON"), ("0x10", "not JSON"), ("-inf", "not JSON"),
      (String(repeating: "[", count: 200), "not JSON"),
      ("[]", "a mapping"), ("5", "a mapping"), ("{}", "'uuid' is missing"),
      (#"{"id": "x", "uuid": "FFE"}"#, "uuid: 'FFE' is neither a UUID"), (#"{"id": "a b", "uuid": "FFE0"}"#, "id: "),
      (#"{"id": "x", "uuid": "FFE0", "colour": 1}"#, "unknown key 'colour'"),
      (#"{"uuid": "FFE0", "includes": ["none"]}"#, "includes[0]: there is no service 'none'"),
      (#"{"uuid": "FFE0", "includes": ["FFE0"]}"#, "includes[0]: there is no service 'FFE0'"),
      (#"{"include": "batery"}"#, "include: unknown word 'batery', did you mean 'battery'"),
      (#"{"include": "battery", "omit": ["x"]}"#, "omit[0]: there is no 'x' to omit"),
      (#"{"include": "ancs"}"#, "include: 'ancs' presents notifications"),
      (#"{"uuid": "FFE0", "characteristics": [{"id": "x", "uuid": "FFE1"}]}"#, "'properties' is missing"),
    ] as [(String, String)])
  func mistakesAreNamed(json: String, message: String) {
    let error = #expect(throws: ProfileValueError.self) { try load(json) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test(
    arguments: [
      (#"{"id": "x", "uuid": "FFE1", "properties": ["red"]}"#, "characteristics[0].properties[0]: unknown word 'red'"),
      (
        #"{"id": "x", "uuid": "FFE1", "properties": ["read"]}, {"id": "x", "uuid": "FFE2", "properties": ["read"]}"#,
        "characteristics[1].id: the id 'x' is already taken in characteristics[0].id"
      ),
      (
        #"{"id": "x", "uuid": "FFE1", "properties": ["write"], "on-write": [{"when": "any", "do": {"notify": "d"}}]}"#,
        "characteristics[0].on-write[0].do.notify: there is no characteristic 'd', did you mean 'a'? (known: a, b, c, x)"
      ),
      (
        #"{"id": "x", "uuid": "FFE1", "properties": ["write"], "on-write": [{"when": "any", "do": {"notify": "b"}}]}"#,
        "characteristics[0].on-write[0].do.notify: its properties lack 'notify'"
      ),
      (
        #"{"id": "x", "uuid": "FFE1", "properties": ["red", "write"], "on-write": [{"when": "any", "do": {"set": {"d": 1}}}]}"#,
        "unknown word 'red'"
      ),
      (
        #"{"id": "x", "uuid": "FFE1", "properties": ["red", "write"], "on-write": [{"when": "any", "do": {"set": {"d": 1}}}]}"#,
        "there is no characteristic 'd'"
      ),
    ] as [(String, String)])
  func mistakesInCharacteristicsAreNamed(json: String, message: String) {
    let error = #expect(throws: ProfileValueError.self) { try load(service(json)) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func rulesCannotMeanWhatGoes() {
    let error = #expect(throws: ProfileValueError.self) {
      try load(
        service(
          #"{"id": "x", "uuid": "FFE1", "properties": ["write"], "on-write": [{"when": "any", "do": {"set": {"a": 1}}}]}"#
        ),
        replacing: "own")
    }
    #expect(error?.message.contains("there is no characteristic 'a', did you mean 'c'? (known: c, x)") == true)
  }

  @Test(arguments: 0..<200 as Range<UInt64>) func anyChangeOfATextIsTakenOrRefused(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var octets = Array(service(#"{"id": "x", "uuid": "FFE1", "properties": ["read"], "value": "\u0041"}"#).utf8)
    for _ in 0..<4 {
      octets[Int(random.next() % UInt64(octets.count))] = UInt8(truncatingIfNeeded: random.next())
    }
    // Any input gives a service with characteristics, or an error with a text.
    do {
      let service = try load(String(decoding: octets, as: UTF8.self))
      #expect(service.behaviors.count == service.definition.characteristics.count)
    } catch {
      #expect((error as? ProfileValueError)?.message.isEmpty == false)
    }
  }
}
