import BLEATT
import BLECore
import BLEGATT
import Testing

/// Services that are added, removed and changed while clients are connected.
@Suite("Changing the database")
struct DatabaseEditingTests {
  private func service(_ id: String, _ characteristics: Int, includes: [String] = []) -> ServiceDefinition {
    ServiceDefinition(
      id: id, uuid: .init(0xFFF0), includes: includes,
      characteristics: (0..<characteristics).map {
        CharacteristicDefinition(
          id: "\(id)-\($0)", uuid: .init(0xFFF1), properties: [.read, .write, .notify, .indicate], value: .stored([1]))
      })
  }

  private func chart() throws -> SequenceChart {
    try SequenceChart(application: [service("a", 1), service("b", 2), service("c", 1)], mtu: 100)
  }

  private func handles(_ chart: SequenceChart) -> [String: ClosedRange<UInt16>] {
    Dictionary(uniqueKeysWithValues: chart.server.database.services.map { ($0.id, $0.handles) })
  }

  @Test("A new service is added after all others, which keep their handles and values")
  func add() throws {
    var chart = try chart()
    try chart.exchange("12 0300 0708", "13")
    let change = try chart.server.apply(.add(service("d", 1)))
    #expect(change.affected == 16...19)
    #expect(change.added == [CharacteristicIndex(4)])
    #expect(change.removed.isEmpty)
    #expect(handles(chart) == ["a": 1...4, "b": 5...11, "c": 12...15, "d": 16...19])
    try chart.exchange("0a 0300", "0b 0708")
    try chart.exchange("0a 1200", "0b 01")
    #expect(chart.server.database.characteristic(named: "d-0")?.value == 18)
  }

  @Test("A removed service leaves a gap, which is not filled while there are new handles")
  func remove() throws {
    var chart = try chart()
    let change = try chart.server.apply(.remove("b"))
    #expect(change.affected == 5...11)
    #expect(change.removed == [CharacteristicIndex(1), CharacteristicIndex(2)])
    try chart.exchange("0a 0700", "01 0a 0700 01")
    try chart.exchange("10 0100 ffff 0028", "11 06 0100 0400 f0ff 0c00 0f00 f0ff")
    #expect(chart.server.database.characteristic(named: "b-0")?.index == nil)
    #expect(try chart.server.apply(.add(service("b", 1))).affected == 16...19)
  }

  @Test("When there are no more handles, a new service takes the first gap that is large enough")
  func gap() throws {
    var last = service("c", 1)
    last.handle = 0xFFFC
    var chart = try SequenceChart(application: [service("a", 1), service("b", 2), last])
    _ = try chart.server.apply(.remove("a"))
    #expect(try chart.server.apply(.add(service("d", 2))).affected == 12...18)
    #expect(try chart.server.apply(.add(service("e", 1))).affected == 1...4)
  }

  @Test("A replaced service keeps its place if it fits, and moves otherwise")
  func replace() throws {
    var chart = try chart()
    let smaller = try chart.server.apply(.replace("b", with: service("b", 1)))
    #expect(smaller.affected == 5...11)
    #expect(handles(chart) == ["a": 1...4, "b": 5...8, "c": 12...15])
    #expect(smaller.added == [])
    #expect(chart.server.database.characteristic(named: "b-0")?.index == CharacteristicIndex(1))
    let larger = try chart.server.apply(.replace("b", with: service("b", 3)))
    #expect(handles(chart) == ["a": 1...4, "c": 12...15, "b": 16...25])
    #expect(larger.affected == 5...25)
    // b-1 existed before.
    #expect(larger.added == [CharacteristicIndex(2), CharacteristicIndex(4)])
  }

  @Test("Declarations that contain the handles of a changed service are updated, and are in the affected range")
  func includes() throws {
    var chart = try SequenceChart(application: [service("b", 1), service("c", 1), service("a", 1, includes: ["b"])])
    try chart.exchange("0a 0a00", "0b 0100 0400 f0ff")
    let change = try chart.server.apply(.replace("b", with: service("b", 2)))
    #expect(change.affected == 1...20)
    try chart.exchange("0a 0a00", "0b 0e00 1400 f0ff")
  }

  @Test("A characteristic that is added again has its old index, whatever was added meanwhile")
  func indicesComeBack() throws {
    var chart = try chart()
    _ = try chart.server.apply(.remove("b"))
    #expect(try chart.server.apply(.add(service("d", 1))).added == [CharacteristicIndex(4)])
    #expect(chart.server.database.indices(of: service("b", 3)).map(\.position) == [1, 2, 5])
    #expect(chart.server.database.indices(of: service("b", 2), replacing: "d").map(\.position) == [1, 2])
    #expect(try chart.server.apply(.add(service("b", 3))).added.map(\.position) == [1, 2, 5])
  }

  @Test("Services with ever new ids use no more indices than are remembered, and none that is kept")
  func indicesAreUsedAgain() throws {
    var database = try AttributeDatabase(host: Tester.host, application: [service("a", 1)])
    let kept: Set = [CharacteristicIndex(0)]
    _ = try database.apply(.remove("a"))
    var used: Set<CharacteristicIndex> = []
    for step in 0..<1000 {
      used.formUnion(try database.apply(.add(service("s\(step)", 3)), keeping: kept).added)
      _ = try database.apply(.remove("s\(step)"), keeping: kept)
    }
    #expect(used.count < 100 && used.isDisjoint(with: kept))
    #expect(try database.apply(.add(service("a", 1)), keeping: kept).added == [CharacteristicIndex(0)])
  }

  @Test("Invalid changes have no effect")
  func errors() throws {
    var chart = try SequenceChart(application: [service("a", 1), service("b", 1, includes: ["a"])])
    let before = chart.server.database.fingerprint
    func refused(_ edit: ServiceEdit, _ error: AttributeDatabase.DefinitionError) {
      #expect(throws: error) { try chart.server.apply(edit) }
      #expect(chart.server.database.fingerprint == before)
      #expect(chart.server.database.characteristics.count == 2)
    }
    refused(.add(service("a", 1)), .duplicateService("a"))
    refused(.remove("x"), .unknownService("x"))
    refused(.remove("a"), .stillIncluded("a", by: "b"))
    refused(.replace("x", with: service("x", 1)), .unknownService("x"))
    refused(.replace("a", with: service("b", 1)), .duplicateService("b"))
    refused(.replace("a", with: service("c", 1)), .unknownInclude(service: "b", include: "a"))
    refused(.add(service("c", 0, includes: ["x"])), .unknownInclude(service: "c", include: "x"))
    var taken = service("c", 1)
    taken.handle = 2
    refused(.add(taken), .handleConflict(2, "a", "c"))
    #expect(
      "\(AttributeDatabase.DefinitionError.stillIncluded("a", by: "b"))"
        == "service a cannot be removed because b includes it")
  }

  @Test("Subscriptions of removed characteristics end, and their waiting values are not sent")
  func subscriptions() throws {
    var chart = try chart()
    try chart.exchange("12 0400 0300", "13")
    try chart.exchange("12 0800 0300", "13")
    let kept = CharacteristicIndex(0)
    let gone = CharacteristicIndex(1)
    _ = chart.indicate(kept, [1])
    _ = chart.indicate(gone, [2])
    #expect(try chart.edit(.remove("b")) == nil)
    #expect(chart.effects.events == [.subscriptionChanged(gone, [])])
    #expect(chart.session.subscriptions.map(\.characteristic) == [kept])
    try chart.exchange("1e", nil)
    #expect(chart.effects.nextIndication == nil)
    var buffer = OctetBuffer()
    chart.server.notification(of: gone, value: [1], on: &chart.bearer, to: &chart.session, into: &buffer)
    #expect(buffer.copy().isEmpty)
    #expect(chart.indicate(gone, [1]) == nil)
    #expect(
      chart.valueToSend(gone) == nil)
    chart.server.store([9], of: gone)
    #expect(chart.server.database.attributes.allSatisfy { $0.value != [9] })
  }

  @Test(
    "Any sequence of changes leaves a database in order, and unchanged services in place",
    arguments: 0..<30 as Range<UInt64>)
  func anyRun(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var database = try AttributeDatabase(host: Tester.host, application: random.services())
    for step in 0..<40 {
      let before = database
      let ids = database.services.map(\.id).filter { !$0.hasPrefix("generic") }
      var definition = random.services()[0]
      definition.id = "n\(step)"
      definition.includes = []
      let edit: ServiceEdit =
        switch (random.below(3), ids.isEmpty) {
        case (0, false): .remove(ids[random.below(ids.count)])
        case (1, false): .replace(ids[random.below(ids.count)], with: definition)
        default: .add(definition)
        }
      do throws(AttributeDatabase.DefinitionError) {
        let change = try database.apply(edit)
        check(database, before, change)
      } catch {
        #expect(database.attributes.map(\.handle) == before.attributes.map(\.handle))
      }
    }
  }

  private func check(_ database: AttributeDatabase, _ before: AttributeDatabase, _ change: DatabaseChange) {
    let handles = database.attributes.map(\.handle)
    #expect(zip(handles, handles.dropFirst()).allSatisfy { $0 < $1 })
    for (position, handle) in handles.enumerated() { #expect(database.position(of: handle) == position) }
    for record in database.characteristics {
      let position = database.position(of: record.value)
      #expect(position.map { database.attributes[$0].characteristic } == record.index)
    }
    for attribute in before.attributes where !change.affected.contains(attribute.handle) {
      let position = database.position(of: attribute.handle)
      #expect(position.map { database.attributes[$0].value } == attribute.value)
      #expect(position.map { database.attributes[$0].type } == attribute.type)
    }
    for attribute in database.attributes where !change.affected.contains(attribute.handle) {
      #expect(before.position(of: attribute.handle) != nil)
    }
  }
}
