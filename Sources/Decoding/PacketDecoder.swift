import BLECore
import BLEHCI
import BLESMP
import Capture

/// Decodes the records of a capture one after the other. `receive` returns a record's summary, `text` its text, and `tree` all its fields
/// with their octets. `text` and `tree` use what `receive` has learned so far, and apply to the latest record.
///
/// It accepts any octets, and its memory is bounded however long the capture is.
///
/// ```swift
/// var decoder = PacketDecoder()
/// while try reader.next(into: &record) {
///   let summary = decoder.receive(record)
///   if filter.accepts(summary, record, decoder) { print(decoder.text(of: summary, in: record)) }
/// }
/// ```
package struct PacketDecoder: Sendable {
  /// Returns the text of an attribute's value, by its type; nil if the type is unknown.
  package typealias ValueText = @Sendable (BluetoothUUID, [UInt8]) -> String?

  /// The maximum number of connections. Beyond it, the one that was silent the longest is dropped.
  static let linkLimit = 64
  /// The maximum number of unanswered commands that are stored.
  static let commandLimit = 64
  /// The maximum number of pairings that are recorded.
  static let pairingLimit = 256

  /// The function that formats attribute values.
  package var valueText: ValueText?
  /// All pairings so far.
  package internal(set) var pairings: [PairingConversation] = []

  /// The number of records.
  package internal(set) var count = 0
  /// The time of the first record: nanoseconds since 1970-01-01 00:00 UTC.
  package private(set) var began: Int64 = 0
  var links: [LinkState] = []
  private var linkPlaces: [UInt64: Int] = [:]
  private var lastLink = -1
  var tables = AttributeTables()
  /// By source and opcode.
  var commands: [UInt64: (number: Int, nanoseconds: Int64)] = [:]

  /// Creates a decoder that knows no attributes yet.
  ///
  /// - Parameters:
  ///   - names: Names of characteristics by type. All others have their assigned names.
  package init(valueText: ValueText? = nil, names: [BluetoothUUID: String] = [:]) {
    self.valueText = valueText
    tables.names = names
  }

  /// Defines an attribute of a source's host, so that it need not be discovered.
  ///
  /// - Parameters:
  ///   - name: Its name; nil for the assigned name.
  package mutating func define(
    attribute handle: UInt16, _ uuid: BluetoothUUID, name: String? = nil, isDescriptor: Bool = false,
    source: UInt32 = 0
  ) {
    let place = tables.place(of: .host(source: source))
    tables[place].learn(handle, uuid, isDescriptor ? .descriptor : .value, name: name)
  }

  /// Defines an attribute of a peer with this address, so that it need not be discovered.
  package mutating func define(
    attribute handle: UInt16, _ uuid: BluetoothUUID, name: String? = nil, isDescriptor: Bool = false,
    ofPeer address: UInt64
  ) {
    let place = tables.place(of: .peer(address: address))
    tables[place].learn(handle, uuid, isDescriptor ? .descriptor : .value, name: name)
  }

  /// Defines a connection of a source and its peer, so that its start need not be in the capture.
  package mutating func define(connection handle: UInt16, address: UInt64, source: UInt32 = 0) {
    begin(Self.key(source: source, handle: handle), source: source, address: address, isOnAir: false)
  }

  /// Processes a record and returns its summary.
  package mutating func receive(_ record: CaptureRecord) -> PacketSummary {
    count += 1
    if count == 1 { began = record.nanoseconds }
    var summary = PacketSummary()
    summary.number = count
    summary.nanoseconds = record.nanoseconds
    summary.source = record.source
    let octets = record.octets
    switch record.content {
    case .hci(let direction):
      summary.sender = direction == .hostToController ? .host : .peer
      receiveHCI(octets.span, &summary)
    case .air(let reception):
      summary.isOnAir = true
      receiveAir(octets.span, reception, &summary)
    case .message:
      summary.layer = .message
      summary.pdu = .record(0..<octets.count)
    }
    return summary
  }

  /// Returns the name of a packet's attribute.
  package func attributeName(of summary: PacketSummary) -> String? {
    summary.attributeIndex.flatMap { tables[$0.table].name(of: $0.handle) }
  }

  /// Returns the type of a packet's attribute.
  package func attributeType(of summary: PacketSummary) -> BluetoothUUID? {
    summary.attributeIndex.flatMap { tables[$0.table].entries[$0.handle]?.uuid }
  }

  /// Returns the type of an attribute's characteristic: that of the value, also for its descriptors.
  package func characteristicType(at place: AttributePlace) -> BluetoothUUID? {
    tables[place.table].characteristic(of: place.handle)?.entry.uuid
  }

  /// Returns the value attribute of an attribute's characteristic.
  package func characteristic(at place: AttributePlace) -> AttributePlace? {
    tables[place.table].characteristic(of: place.handle).map { AttributePlace(table: place.table, handle: $0.handle) }
  }

  /// Returns the type of an attribute.
  package func attributeType(at place: AttributePlace) -> BluetoothUUID? {
    tables[place.table].entries[place.handle]?.uuid
  }

  /// Returns the name of an attribute.
  package func attributeName(at place: AttributePlace) -> String? { tables[place.table].name(of: place.handle) }

  /// Returns the text of a value in a packet, for the attribute at this place; nil if it is unknown.
  package func valueText(_ octets: [UInt8], at place: AttributePlace, in summary: PacketSummary) -> String? {
    var about = summary
    about.attribute = place.handle
    about.attributeIndex = place
    return attTree(about).value(octets[...])
  }

  // MARK: Links

  static func key(source: UInt32, handle: UInt16) -> UInt64 { UInt64(source) << 16 | UInt64(handle) }
  static func key(source: UInt32, accessAddress: UInt32) -> UInt64 {
    1 << 63 | UInt64(source & 0x7FFF_FFFF) << 32 | UInt64(accessAddress)
  }

  /// Returns the position of a link, which is added if it is unknown. The position is valid until the next packet.
  mutating func link(_ key: UInt64, source: UInt32, isOnAir: Bool) -> Int {
    if lastLink >= 0, links[lastLink].key == key {
      links[lastLink].lastNumber = count
      return lastLink
    }
    if let place = linkPlaces[key] {
      links[place].lastNumber = count
      lastLink = place
      return place
    }
    let ownTable = tables.place(of: isOnAir ? .link(key | 1 << 62) : .host(source: source))
    return add(LinkState(key: key, tables: [ownTable, tables.place(of: .link(key))]))
  }

  private mutating func add(_ link: LinkState) -> Int {
    var link = link
    link.lastNumber = count
    var place = links.count
    if links.count >= Self.linkLimit {
      place = links.indices.min { links[$0].lastNumber < links[$1].lastNumber } ?? 0
      linkPlaces[links[place].key] = nil
      links[place] = link
    } else {
      links.append(link)
    }
    linkPlaces[link.key] = place
    lastLink = place
    return place
  }

  /// Starts a link over, with a peer at this address.
  mutating func begin(_ key: UInt64, source: UInt32, address: UInt64?, isOnAir: Bool) {
    let place = link(key, source: source, isOnAir: isOnAir)
    var link = LinkState(key: key, tables: links[place].tables)
    link.lastNumber = count
    link.address = address
    if let address { link.tables[1] = tables.place(of: .peer(address: address)) }
    links[place] = link
  }

  /// Returns the position of the link with this key, if known.
  func knownLink(_ key: UInt64) -> Int? { linkPlaces[key] }

  /// Drops the open state of a connection that has ended. What was learned about its server is kept.
  mutating func end(_ key: UInt64) {
    guard let place = linkPlaces[key] else { return }
    if let pairing = links[place].pairing, pairings[pairing].outcome == .open {
      pairings[pairing].outcome = .disconnected
    }
    var link = LinkState(key: key, tables: links[place].tables)
    link.address = links[place].address
    links[place] = link
  }
}
