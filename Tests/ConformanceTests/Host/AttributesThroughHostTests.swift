import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// The groups of GATT/SR again, through the whole host and over the air; `BLEGATTTests` tests the layer alone.
@Suite("GATT through the whole host")
struct AttributesThroughHostTests {
  /// The client's PDUs and the responses, in hexadecimal; nothing if there is no response.
  struct Transcript: CustomTestStringConvertible {
    var testDescription: String
    var steps: [(request: String, answer: String?)]

    init(_ group: String, _ steps: [(request: String, answer: String?)]) {
      testDescription = group
      self.steps = steps
    }
  }

  private static let ascending = [UInt8](1...40)

  static let transcripts: [Transcript] = [
    Transcript("configuration", [("02 0002", "03 0502"), ("0a 1a00", "0b" + ascending.hexadecimal)]),
    Transcript(
      "discovery",
      [
        ("10 0100 ffff 0028", "11 06 0100 0500 0018 0600 0600 0118 1000 1f00 f0ff"),
        ("10 2000 ffff 0028", "01 10 2000 0a"),
        ("06 0100 ffff 0028 f0ff", "07 1000 1f00"),
        ("08 1000 1f00 0228", "01 08 1000 0a"),
        ("08 1000 1f00 0328", "09 07 1100 0e 1200 f1ff 1300 12 1400 f2ff 1600 20 1700 f3ff"),
        ("08 1700 1f00 0328", "09 07 1900 0a 1a00 f4ff 1c00 0a 1d00 f5ff 1e00 0a 1f00 f6ff"),
        ("04 1500 1800", "05 01 1500 0229 1600 0328 1700 f3ff 1800 0229"),
        ("04 2000 ffff", "01 04 2000 0a"),
        ("08 0000 ffff 0328", "01 08 0000 01"),
        ("10 0100 ffff 0328", "01 10 0100 10"),
      ]),
    Transcript(
      "reading",
      [
        ("0a 1200", "0b 74657874"),
        ("08 0100 ffff f1ff", "09 06 1200 74657874"),
        ("0a 1a00", "0b" + ascending.prefix(22).hexadecimal),
        ("0c 1a00 1600", "0d" + ascending.dropFirst(22).hexadecimal),
        ("0c 1a00 2800", "0d"),
        ("0e 1200 1b00 1a00", "0f 74657874 6c6f6e67" + ascending.prefix(14).hexadecimal),
        ("0a 1b00", "0b 6c6f6e67"),
        ("0c 1b00 0200", "0d 6e67"),
        ("20 1200 1b00", "21 0400 74657874 0400 6c6f6e67"),
      ]),
    Transcript(
      "refused reading",
      [
        ("0a 1700", "01 0a 1700 02"), ("0a ee00", "01 0a ee00 01"), ("0a 1f00", "01 0a 1f00 08"),
        ("0a 1d00", "01 0a 1d00 05"), ("0c 1a00 2900", "01 0c 1a00 07"), ("0c 1700 0000", "01 0c 1700 02"),
        ("08 0100 ffff f3ff", "01 08 1700 02"), ("08 0100 ffff eeff", "01 08 0100 0a"),
        ("08 0100 ffff f6ff", "01 08 1f00 08"), ("0e 1200 1700", "01 0e 1700 02"), ("0e 1200 ee00", "01 0e ee00 01"),
        ("20 1200 1f00", "01 20 1f00 08"),
      ]),
    Transcript(
      "writing",
      [
        ("12 1200 4142", "13"), ("0a 1200", "0b 4142"), ("52 1200 43", nil), ("0a 1200", "0b 43"),
        ("16 1200 0000 6162", "17 1200 0000 6162"), ("16 1200 0200 63", "17 1200 0200 63"), ("0a 1200", "0b 43"),
        ("18 01", "19"), ("0a 1200", "0b 616263"),
        ("16 1200 0000 78", "17 1200 0000 78"), ("18 00", "19"), ("18 01", "19"), ("0a 1200", "0b 616263"),
        ("16 1200 0100 79", "17 1200 0100 79"), ("16 1a00 0000 7a", "17 1a00 0000 7a"), ("18 01", "19"),
        ("0a 1a00", "0b 7a"), ("0a 1200", "0b 6179"),
        ("12 1500 0100", "13"), ("0a 1500", "0b 0100"),
      ]),
    Transcript(
      "refused writing",
      [
        ("12 1400 01", "01 12 1400 03"), ("12 ee00 01", "01 12 ee00 01"), ("12 1f00 01", "01 12 1f00 08"),
        ("12 1d00 01", "01 12 1d00 05"), ("12 1b00 01", "01 12 1b00 03"), ("16 1400 0000 01", "01 16 1400 03"),
        ("16 ee00 0000 01", "01 16 ee00 01"),
        ("16 1200 0a00 61", "17 1200 0a00 61"), ("18 01", "01 18 1200 07"),
        ("16 1a00 2600 0102030405", "17 1a00 2600 0102030405"), ("18 01", "01 18 1a00 0d"),
        ("52 1400 01", nil), ("52 ee00 01", nil), ("0a 1200", "0b 74657874"),
        ("0c 1a00 2600", "0d 2728"), ("12 1500 000000", "01 12 1500 0d"),
      ]),
    Transcript(
      "what is not supported",
      [
        ("3f 0102", "01 3f 0000 06"), ("7f 0102", nil), ("18 02", "01 18 0000 04"), ("0a 12", "01 0a 0000 04"),
        ("0a 1200", "0b 74657874"),
      ]),
  ]

  @Test("Transcript", arguments: transcripts)
  func transcript(_ transcript: Transcript) throws {
    let scene = try RawScene()
    for step in transcript.steps { try scene.central.exchange(step.request, step.answer) }
    #expect(scene.central.ends == [] && scene.accessory.events.faults == [])
    #expect(scene.simulation.air.takeHostFaults(of: scene.accessory.controller) == [])
  }

  @Test("Notifications and indications are sent to subscribers, and indications one at a time")
  func serverInitiated() throws {
    let scene = try RawScene()
    #expect(throws: HostRequestError.noSubscriber(Specimen.measurement)) {
      try scene.accessory.perform(.notify(Specimen.measurement))
    }
    try scene.central.exchange("12 1500 0100", "13")
    try scene.accessory.perform(.notify(Specimen.measurement))
    #expect(scene.central.next() == "1b140001")
    try scene.central.exchange("12 1800 0200", "13")
    for _ in 0..<2 { try scene.accessory.perform(.indicate(Specimen.alarm)) }
    #expect(scene.central.next() == "1d170002" && scene.central.next() == nil)
    try scene.central.exchange("1e", "1d 1700 03")
    try scene.central.exchange("1e", nil)
  }

  @Test("An indication that is not confirmed ends the link after 30 s, and not before")
  func transactionTimeout() throws {
    let scene = try RawScene()
    try scene.central.exchange("12 1800 0200", "13")
    let begin = scene.simulation.now
    try scene.accessory.perform(.indicate(Specimen.alarm))
    #expect(scene.central.next() == "1d170001")
    #expect(scene.simulation.run(until: { !scene.central.ends.isEmpty }, limit: .seconds(60)))
    #expect((.seconds(30)...(.seconds(32))).contains(scene.simulation.now - begin))
  }

  @Test("A subscribed client is informed of a changed database, and the hash changes")
  func databaseChange() throws {
    var configuration = Specimen.configuration()
    configuration.gatt = GATTPolicy(serviceChanged: .present, hasRobustCaching: true)
    let scene = try RawScene(configuration)
    // Service Changed has its value at 0008 and its configuration at 0009, Client Supported Features are at 000b.
    try scene.central.exchange("12 0900 0200", "13")
    try scene.central.exchange("12 0b00 01", "13")
    try scene.central.send("08 0100 ffff 2a2b")
    let hash = try #require(scene.central.next())
    #expect(hash.hasPrefix("09120d00") && hash.count == 2 * 20)
    let extra = ServiceDefinition(
      id: "extra", uuid: BluetoothUUID(0xFFE0),
      characteristics: [
        CharacteristicDefinition(
          id: "more", uuid: BluetoothUUID(0xFFE1), properties: .read, value: .stored([1]))
      ])
    try scene.accessory.perform(.edit(.add(extra)))
    let change = try #require(scene.central.next())
    #expect(change.hasPrefix("1d0800"))
    // Until its confirmation, it is change-unaware (Core 5.4 Vol 3 Part G 2.5.2.1).
    try scene.central.exchange("0a 1200", "01 0a 0000 12")
    try scene.central.exchange("1e", nil)
    try scene.central.exchange("0a 1200", "0b 74657874")
    try scene.central.send("08 0100 ffff 2a2b")
    let other = try #require(scene.central.next())
    #expect(other.hasPrefix("09120d00") && other != hash)
  }
}
