import BLECore
import BLEHCI
import BLESMP
import Capture

/// Decodes the records of a capture, one after the other: what each is, by `receive`; its text, by `text`; all of its fields with
/// their octets, by `tree`. The latter two know what the former has learned so far, and are for the record received last.
///
/// It takes any octets, and keeps a bounded amount of them however long the capture is.
///
/// ```swift
/// var decoder = PacketDecoder()
/// while try reader.next(into: &record) {
///   let summary = decoder.receive(record)
///   if filter.accepts(summary, record, decoder) { print(decoder.text(of: summary, in: record)) }
/// }
/// ```
package struct PacketDecoder: Sendable {
  /// Gives the text of an attribute's value, by its type; nil for one that it does not know.
  package typealias ValueText = @Sendable (BluetoothUUID, [UInt8]) -> String?

  /// Connections beyond this forget the one that was silent for longest.
  static let linkLimit = 64
  /// Commands beyond this that nobody answered are forgotten.
  static let commandLimit = 64
  /// Pairings beyond this are not told of.
  static let pairingLimit = 256

  /// How texts are made of attributes' values.
  package var valueText: ValueText?
  /// All pairings so far.
  package internal(set) var pairings: [PairingConversation] = []

  /// How many records there were.
  package internal(set) var count = 0
  /// When the first record was: nanoseconds since 1970-01-01 00:00 UTC.
  package private(set) var began: Int64 = 0
  var links: [LinkState] = []
  private var linkPlaces: [UInt64: Int] = [:]
  private var lastLink = -1
  var tables = AttributeTables()
  /// By source and opcode.
  var commands: [UInt64: (number: Int, nanoseconds: Int64)] = [:]

  /// A decoder that knows no attributes yet.
  ///
  /// - Parameters:
  ///   - names: What people call characteristics, by their types; the assigned name of all others.
  package init(valueText: ValueText? = nil, names: [BluetoothUUID: String] = [:]) {
    self.valueText = valueText
    tables.names = names
  }

  /// Says what attributes the host of a source has, so that they need not be discovered.
  ///
  /// - Parameters:
  ///   - name: What people call it; the assigned name, when nil.
  package mutating func define(
    attribute handle: UInt16, _ uuid: BluetoothUUID, name: String? = nil, isDescriptor: Bool = false,
    source: UInt32 = 0
  ) {
    let place = tables.place(of: .host(source: source))
    tables[place].learn(handle, uuid, isDescriptor ? .descriptor : .value, name: name)
  }

  /// Says that a connection of a source's is there, and with whom, so that its beginning need not be in the capture.
  package mutating func define(connection handle: UInt16, address: UInt64, source: UInt32 = 0) {
    begin(Self.key(source: source, handle: handle), source: source, address: address, isOnAir: false)
  }

  /// Takes in a record and says what it is.
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

  /// The name of the attribute that a packet is about.
  package func attributeName(of summary: PacketSummary) -> String? {
    summary.attributeIndex.flatMap { tables[$0.table].name(of: $0.handle) }
  }

  /// The type of the attribute that a packet is about.
  package func attributeType(of summary: PacketSummary) -> BluetoothUUID? {
    summary.attributeIndex.flatMap { tables[$0.table].entries[$0.handle]?.uuid }
  }

  /// The type of the characteristic that an attribute belongs to: of a value its own, of a descriptor that of its value.
  package func characteristicType(at place: AttributePlace) -> BluetoothUUID? {
    tables[place.table].characteristic(of: place.handle)?.entry.uuid
  }

  /// The value of the characteristic that an attribute belongs to.
  package func characteristic(at place: AttributePlace) -> AttributePlace? {
    tables[place.table].characteristic(of: place.handle).map { AttributePlace(table: place.table, handle: $0.handle) }
  }

  /// The type of an attribute.
  package func attributeType(at place: AttributePlace) -> BluetoothUUID? {
    tables[place.table].entries[place.handle]?.uuid
  }

  /// The name of an attribute.
  package func attributeName(at place: AttributePlace) -> String? { tables[place.table].name(of: place.handle) }

  /// The text of a value that a packet carries, of the attribute there; nil where nothing is known of it.
  package func valueText(_ octets: [UInt8], at place: AttributePlace, in summary: PacketSummary) -> String? {
    var about = summary
    about.attribute = place.handle
    about.attributeIndex = place
    return attTree(about).value(octets)
  }

  // MARK: Links

  static func key(source: UInt32, handle: UInt16) -> UInt64 { UInt64(source) << 16 | UInt64(handle) }
  static func key(source: UInt32, accessAddress: UInt32) -> UInt64 {
    1 << 63 | UInt64(source & 0x7FFF_FFFF) << 32 | UInt64(accessAddress)
  }

  /// The place of a link, which is made when it is not known; its place holds until the next packet.
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

  /// Begins a link anew, whose peer has that address.
  mutating func begin(_ key: UInt64, source: UInt32, address: UInt64?, isOnAir: Bool) {
    let place = link(key, source: source, isOnAir: isOnAir)
    var link = LinkState(key: key, tables: links[place].tables)
    link.lastNumber = count
    link.address = address
    if let address { link.tables[1] = tables.place(of: .peer(address: address)) }
    links[place] = link
  }

  /// The link with that key, if it is known.
  func knownLink(_ key: UInt64) -> Int? { linkPlaces[key] }

  /// Forgets what a connection that is over had open; what was learned of its server stays.
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
