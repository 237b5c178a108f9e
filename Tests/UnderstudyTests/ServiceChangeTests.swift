import AccessoryProfile
import BLEATT
import BLECore
import BLECryptography
import BLEGATT
import BLELink
import PeripheralHost
import Testing

@testable import Understudy

/// A host and a profile's runtime with changing services; this needs no controller.
private final class Stage {
  var stack: HostStack<ProfileRuntime>
  var out = HostOutput()
  var now = Instant.zero

  static let profile = """
    understudy: 1
    name: Stage
    gatt: { service-changed: present, robust-caching: true }
    services:
      - id: own
        uuid: FFF0
        characteristics:
          - { id: level, uuid: FFF1, properties: [read, notify], format: u8, value: 1 }
          - id: button
            uuid: FFF2
            properties: [write]
            on-write: [ { otherwise: { set: { temperature: 21 } } } ]
      - { id: room, uuid: FFF3, characteristics: [ { id: temperature, uuid: FFF4, properties: [read], format: u8 } ] }
    """

  init(_ profile: String = profile) throws {
    let profile = try Profile.load(text: profile)
    stack = try HostStack(profile.hostConfiguration(seed: 1), application: ProfileRuntime(profile: profile, seed: 1))
  }

  func add(_ json: String) throws {
    _ = try stack.addService(json: Array(json.utf8), at: now, into: &out)
  }
  func replace(_ id: String, _ json: String) throws {
    try stack.replaceService(id, json: Array(json.utf8), at: now, into: &out)
  }
  func remove(_ id: String) throws { try stack.removeService(id, at: now, into: &out) }

  func read(_ id: String) -> [UInt8]? {
    stack.server.database.characteristic(named: id).flatMap { stack.value(of: $0.index, at: now) }
  }

  func write(_ value: [UInt8], to id: String) throws -> WriteAnswer {
    let index = try #require(stack.server.database.characteristic(named: id)?.index)
    return stack.application.write(value, to: index, for: 1, at: now)
  }

  /// The hash in the database, and the correct hash.
  var hashes: (kept: [UInt8]?, right: [UInt8]) {
    let database = stack.server.database
    let kept = database.characteristic(named: "database-hash").flatMap { database.storedValue(of: $0.index) }
    return (kept, AESCMAC.authenticationCode(of: database.hashInput, key: AESCMAC.zeroKey).reversed())
  }

  var change: DatabaseChange? {
    for case .databaseChanged(let change) in out.events.reversed() { return change }
    return nil
  }
}

@Suite("Services that change")
struct ServiceChangeTests {
  private let counter =
    #"{"id": "log", "uuid": "FFE0", "characteristics": [{"id": "entry", "uuid": "FFE1", "properties": ["read", "notify"],"#
    + #" "format": "u8", "value": {"counter": {"to": 200, "every": "1 s"}}, "notify": {"every": "1 s"}}]}"#

  @Test func whatComesBeginsThenAndWhatGoesStops() throws {
    let stage = try Stage()
    stage.now = .zero + .seconds(10)
    try stage.add(counter)
    #expect(stage.read("entry") == [0])
    stage.now += .seconds(3)
    #expect(stage.read("entry") == [3])
    let entry = try #require(stage.stack.server.database.characteristic(named: "entry")?.index)
    var actions: [ApplicationAction] = []
    stage.stack.application.subscriptionsChanged(entry, notified: 1, indicated: 0, at: stage.now, actions: &actions)
    #expect(stage.stack.application.nextDeadline == stage.now + .seconds(1))
    stage.stack.application.advance(to: stage.now + .seconds(1), actions: &actions)
    #expect(actions == [.notify(entry)])
    try stage.remove("log")
    #expect(stage.stack.application.nextDeadline == nil && stage.read("entry") == nil)
    #expect(stage.stack.application.index(of: "entry") == nil && stage.stack.application.index(of: "FFE1") == nil)
    #expect(throws: ProfileValueError.self) { try stage.stack.application.set(entry, to: .int(1), at: stage.now) }
    stage.now += .seconds(5)
    try stage.add(counter)
    #expect(stage.read("entry") == [0])
    #expect(stage.stack.server.database.characteristic(named: "entry")?.index == entry)
  }

  @Test func rulesMeanAServiceThatComesBack() throws {
    let stage = try Stage()
    try stage.remove("room")
    for step in 0..<300 {
      try stage.add(
        #"{"id": "s\#(step)", "uuid": "FFE0", "characteristics": [{"id": "c\#(step)", "uuid": "FFE1", "properties": ["read"]}]}"#
      )
      try stage.remove("s\(step)")
    }
    #expect(try stage.write([1], to: "button") == .accepted)
    try stage.add(
      #"{"id": "room", "uuid": "FFF3", "characteristics": [{"id": "temperature", "uuid": "FFF4", "properties": ["read"], "format": "u8"}]}"#
    )
    let temperature = try #require(stage.stack.server.database.characteristic(named: "temperature")?.index)
    #expect(try stage.write([1], to: "button").actions == [.store(temperature, [21])])
  }

  @Test func aReplacedServiceBeginsAnew() throws {
    let stage = try Stage()
    let level = try #require(stage.stack.server.database.characteristic(named: "level"))
    _ = try stage.stack.application.set(level.index, to: .int(9), at: stage.now)
    try stage.replace(
      "own",
      #"{"uuid": "FFF9", "characteristics": [{"id": "level", "uuid": "FFF1", "properties": ["read"], "format": "u16", "value": 5}]}"#
    )
    let replaced = try #require(stage.stack.server.database.characteristic(named: "level"))
    #expect(replaced.index == level.index && replaced.value == level.value)
    #expect(
      stage.read("level") == [5, 0] && stage.stack.application.presentValue(of: level.index, at: stage.now) == [5, 0])
    #expect(stage.read("button") == nil)
    #expect(
      stage.change?.affected
        == stage.stack.server.database.services.first { $0.id == "own" }.map {
          $0.handles.lowerBound...(($0.handles.lowerBound + 5))
        })
  }

  @Test func authorizationComesAndGoesWithItsService() throws {
    let stage = try Stage()
    try stage.add(
      #"{"id": "secret", "uuid": "FFE0", "authorization": "pending", "characteristics": [{"id": "x", "uuid": "FFE1", "properties": ["read"]}]}"#
    )
    try stage.stack.application.setAuthorization(.granted, of: .service("secret"), at: stage.now)
    try stage.replace(
      "secret", #"{"uuid": "FFE0", "characteristics": [{"id": "x", "uuid": "FFE1", "properties": ["read"]}]}"#)
    #expect(throws: ProfileValueError.self) {
      try stage.stack.application.setAuthorization(.granted, of: .service("secret"), at: stage.now)
    }
  }

  @Test func whatIsRefusedChangesNothing() throws {
    let stage = try Stage()
    let before = stage.stack.server.database.fingerprint
    let behaviors = stage.stack.application.behaviors
    func refused(_ message: String, _ change: (Stage) throws -> Void) {
      let error = #expect(throws: ControlError.self) { try change(stage) }
      #expect(error.map { "\($0)" }?.contains(message) == true, "\(error.map { "\($0)" } ?? "")")
    }
    refused("already a service own") { try $0.add(#"{"id": "own", "uuid": "FFE0", "characteristics": []}"#) }
    refused("already a characteristic level, in the service own") {
      try $0.add(#"{"uuid": "FFE0", "characteristics": [{"id": "level", "uuid": "FFE1", "properties": ["read"]}]}"#)
    }
    refused("already a characteristic device-name, in the service generic-access") {
      try $0.add(
        #"{"uuid": "FFE0", "characteristics": [{"id": "device-name", "uuid": "FFE1", "properties": ["read"]}]}"#)
    }
    refused("already a characteristic temperature, in the service room") {
      try $0.replace("own", #"{"uuid": "FFE0", "characteristics": [{"uuid": "2A6E", "properties": ["read"]}]}"#)
    }
    refused("keeps its id") { try $0.replace("own", #"{"id": "new", "uuid": "FFE0", "characteristics": []}"#) }
    refused("Generic Attribute") { try $0.add(#"{"id": "x", "uuid": "1801", "characteristics": []}"#) }
    refused("Generic Access") { try $0.replace("own", #"{"uuid": "generic-access", "characteristics": []}"#) }
    refused("cannot be added or changed") { try $0.remove("generic-access") }
    refused("no service x") { try $0.remove("x") }
    refused("no service x") { try $0.replace("x", "{}") }
    #expect(stage.stack.server.database.fingerprint == before)
    #expect(stage.stack.application.behaviors == behaviors)
    #expect(stage.change == nil)
  }

  /// Adds, removes and changes random services, and checks invariants after each step.
  @Test(arguments: 0..<20 as Range<UInt64>) func anyRunKeepsHostAndProfileTogether(seed: UInt64) throws {
    let stage = try Stage()
    var random = SplitMix64(seed: seed)
    var number = 0
    for _ in 0..<60 {
      let ids = stage.stack.server.database.services.map(\.id).filter { !$0.hasPrefix("generic") }
      let hash = stage.hashes.right
      let chosen = ids.isEmpty ? "" : ids[Int(random.next() % UInt64(ids.count))]
      stage.out = HostOutput()
      number += 1
      switch random.next() % 4 {
      case 0 where !ids.isEmpty: try stage.remove(chosen)
      case 1 where !ids.isEmpty: try stage.replace(chosen, Self.service(nil, number, &random))
      default: try stage.add(Self.service("s\(number)", number, &random))
      }
      try check(stage, hash)
      stage.now += .milliseconds(Int64(random.next() % 3000))
      var actions: [ApplicationAction] = []
      stage.stack.application.advance(to: stage.now, actions: &actions)
    }
  }

  /// Hundreds of services with different ids leave nothing behind.
  @Test func nothingIsLeftBehind() throws {
    let stage = try Stage()
    var random = SplitMix64(seed: 7)
    var counts: [Int] = []
    for number in 0..<1500 {
      stage.out = HostOutput()
      try stage.add(Self.service("s\(number)", number, &random))
      try stage.remove("s\(number)")
      if number == 200 { counts.append(stage.stack.application.behaviors.count) }
    }
    #expect(stage.stack.application.behaviors.count <= counts[0] + 8)
    #expect(stage.stack.application.keptCharacteristics.count == 3)
    #expect(stage.stack.server.database.characteristics.count == 9)
  }

  private static func service(_ id: String?, _ number: Int, _ random: inout SplitMix64) -> String {
    let characteristics = (0..<Int(random.next() % 4)).map { place in
      let rule =
        random.next() % 2 == 0 ? "" : #", "on-write": [{"when": "any", "do": {"reset": "c\#(number)-\#(place)"}}]"#
      let value =
        [#"5"#, #"{"ramp": {"from": 0, "to": 9, "over": "1 min"}}"#, #"{"counter": {"to": 9}}"#][Int(random.next() % 3)]
      return #"{"id": "c\#(number)-\#(place)", "uuid": "FFE\#(place)", "properties": ["read", "write", "notify"], "#
        + #""format": "u8", "value": \#(value), "notify": {"every": "1 s"}\#(rule)}"#
    }
    let head = id.map { #""id": "\#($0)", "# } ?? ""
    return #"{\#(head)"uuid": "FFD0", "characteristics": [\#(characteristics.joined(separator: ", "))]}"#
  }

  private func check(_ stage: Stage, _ hashBefore: [UInt8]) throws {
    let database = stage.stack.server.database
    let handles = database.attributes.map(\.handle)
    #expect(zip(handles, handles.dropFirst()).allSatisfy { $0 < $1 })
    #expect(stage.hashes.kept == stage.hashes.right)
    let change = try #require(stage.change)
    #expect(change.hash == stage.hashes.right)
    #expect((change.hash != hashBefore) || change.removed.isEmpty == change.added.isEmpty)
    let behaviors = stage.stack.application.behaviors
    let own = database.characteristics.filter(\.belongsToApplication)
    for record in own {
      let behavior = behaviors[record.index.position]
      #expect(behavior.id == record.definition.id && behavior.uuid == record.definition.uuid)
      #expect(stage.stack.application.index(of: behavior.id) == record.index)
    }
    #expect(behaviors.count { !$0.id.isEmpty } == own.count)
  }
}
