import BLEATT
import BLECore
import BLEGATT
import Simulation
import Testing

@Suite("Declarations of profiles, as a central discovers them")
struct DeclarationTests {
  @Test("Fixed handles")
  func handles() throws {
    let scene = try ProfileScene(
      """
      services:
        - uuid: FFF0
          handle: 0x0040
          characteristics:
            - { uuid: FFF1, properties: [read, notify], value: hex:01, handle: 0x0050 }
            - { uuid: FFF2, properties: [read], value: hex:02, descriptors: [ { uuid: 290A, value: hex:0304, handle: 0x60 } ] }
      """)
    let service = try #require(scene.database.service(BluetoothUUID(0xFFF0)))
    #expect(service.handles == 0x40...0x60)
    #expect(service.characteristics.map(\.declaration) == [0x50, 0x53])
    #expect(service.characteristics.map(\.value) == [0x51, 0x54])
    #expect(try scene.read(0x51) == "01")
    #expect(try scene.read(0x60) == "0304")
    #expect(throws: GATTFailure.refused(.invalidHandle, request: .readRequest, handle: 0x55)) { try scene.read(0x55) }
  }

  @Test("Aggregate formats contain the handles of the presentation formats", arguments: [nil, 0x0100] as [UInt16?])
  func aggregates(_ handle: UInt16?) throws {
    let scene = try ProfileScene(
      """
      services:
        - uuid: FFF0\(handle.map { "\n    handle: \($0)" } ?? "")
          characteristics:
            - { id: pair, uuid: FFF1, properties: [read], value: hex:0102, presentation-format: [ { format: u8 }, { format: i8 } ] }
            - { id: one, uuid: FFF2, properties: [read], value: hex:01, presentation-format: { format: u8 } }
            - { uuid: FFF3, properties: [read], value: hex:010201, aggregate-format: [one, pair] }
      """)
    func handles(_ uuid: UInt16, _ type: BluetoothUUID) -> [UInt16] {
      scene.descriptors(of: uuid).filter { $0.uuid == type }.map(\.handle)
    }
    func octets(_ handles: [UInt16]) -> String {
      handles.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }.hexadecimal
    }
    let pair = handles(0xFFF1, .presentationFormat)
    let one = handles(0xFFF2, .presentationFormat)
    #expect(pair.count == 2 && one.count == 1)
    if let handle { #expect(pair == [handle + 3, handle + 4]) }
    let own = try #require(handles(0xFFF1, .aggregateFormat).first)
    #expect(try scene.read(own) == octets(pair))
    let all = try #require(handles(0xFFF3, .aggregateFormat).first)
    #expect(try scene.read(all) == octets(one + pair))
    #expect(handles(0xFFF2, .aggregateFormat).isEmpty)
  }

  @Test("Values with the property reliable-write are written together, or not at all")
  func reliableWrite() throws {
    let scene = try ProfileScene(
      """
      services:
        - uuid: FFF0
          characteristics:
            - { uuid: FFF1, properties: [read, write, reliable-write], value: hex:0102 }
            - { uuid: FFF2, properties: [read, write, reliable-write], value: hex:03, on-write: [ { when: hex:ff, error: out-of-range } ] }
      """)
    let first = try #require(scene.database.characteristic(BluetoothUUID(0xFFF1)))
    let second = try #require(scene.database.characteristic(BluetoothUUID(0xFFF2)))
    #expect(first.properties == [.read, .write, .extendedProperties])
    let descriptor = try #require(first.descriptors.first)
    #expect(first.descriptors.map(\.uuid) == [.extendedProperties])
    #expect(try scene.read(descriptor.handle) == "0100")
    #expect(throws: GATTFailure.refused(.outOfRange, request: .executeWriteRequest, handle: second.value)) {
      try scene.phone.perform(
        .writeReliably([RemoteValue(first.value, [9, 9]), RemoteValue(second.value, [0xFF])]), on: scene.link)
    }
    #expect(try scene.read(first.value) == "0102" && scene.read(second.value) == "03")
    try scene.phone.perform(
      .writeReliably([RemoteValue(first.value, [9, 9]), RemoteValue(second.value, [8])]), on: scene.link)
    #expect(try scene.read(first.value) == "0909" && scene.read(second.value) == "08")
  }

  @Test("A description with writable-auxiliaries can be written, and one without cannot")
  func writableAuxiliaries() throws {
    let scene = try ProfileScene(
      """
      services:
        - uuid: FFF0
          characteristics:
            - { uuid: FFF1, properties: [read, writable-auxiliaries], value: hex:01, description: left }
            - { uuid: FFF2, properties: [read], value: hex:01, description: right }
      """)
    let open = scene.descriptors(of: 0xFFF1)
    #expect(open.map(\.uuid) == [.extendedProperties, .userDescription])
    #expect(try scene.read(open[0].handle) == "0200")
    try scene.phone.write(Array("middle".utf8), to: open[1].handle, on: scene.link)
    #expect(try scene.phone.read(open[1].handle, on: scene.link) == Array("middle".utf8))
    let closed = try #require(scene.descriptors(of: 0xFFF2).first)
    #expect(throws: GATTFailure.refused(.writeNotPermitted, request: .writeRequest, handle: closed.handle)) {
      try scene.phone.write([0x41], to: closed.handle, on: scene.link)
    }
  }

  @Test(
    "A client that may not subscribe can still read the configuration",
    arguments: [
      ("none", nil), ("encrypted", .insufficientAuthentication), ("forbidden", .writeNotPermitted),
    ] as [(String, ATTErrorCode?)])
  func subscribing(_ word: String, _ error: ATTErrorCode?) throws {
    let scene = try ProfileScene(
      """
      services:
        - uuid: FFF0
          characteristics:
            - { uuid: FFF1, properties: [read, notify], value: hex:01, permissions: { subscribe: \(word) } }
      """)
    let value = try #require(scene.database.characteristic(BluetoothUUID(0xFFF1))).value
    let configuration = try #require(scene.descriptors(of: 0xFFF1).first).handle
    if let error {
      #expect(throws: GATTFailure.refused(error, request: .writeRequest, handle: configuration)) {
        try scene.phone.configure(value, .notification, on: scene.link)
      }
    } else {
      try scene.phone.configure(value, .notification, on: scene.link)
    }
    #expect(try scene.read(configuration) == (error == nil ? "0100" : "0000"))
    #expect(try scene.read(value) == "01")
  }

  @Test("Ranges, reports and broadcasts")
  func others() throws {
    let scene = try ProfileScene(
      """
      services:
        - uuid: FFF0
          characteristics:
            - { uuid: FFF1, properties: [read, broadcast], format: u16, value: 5, valid-range: { low: 1, high: 300 } }
            - { uuid: FFF2, properties: [read], value: hex:01, report-reference: { id: 2, type: output } }
            - { uuid: FFF3, properties: [read], value: hex:01, external-report-reference: battery-level }
      """)
    let ranged = scene.descriptors(of: 0xFFF1)
    #expect(ranged.map(\.uuid) == [.serverCharacteristicConfiguration, .validRange])
    #expect(try ranged.map { try scene.read($0.handle) } == ["0000", "01002c01"])
    let reports = scene.descriptors(of: 0xFFF2) + scene.descriptors(of: 0xFFF3)
    #expect(reports.map(\.uuid) == [.reportReference, .externalReportReference])
    #expect(try reports.map { try scene.read($0.handle) } == ["0202", "192a"])
  }
}
