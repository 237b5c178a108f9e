import AccessoryProfile
import BLECore
import BLEGATT

extension ProfileDraft {
  /// The text of the profile, and the lines of each characteristic.
  package var written: (text: String, places: [(lines: Range<Int>, service: Int, characteristic: Int)]) {
    var writer = DraftWriter()
    for line in head { writer.line(line.isEmpty ? "#" : "# \(line)") }
    writer.line("understudy: 1")
    for entry in entries { writer.entry(entry, indent: "") }
    writeSets(&writer)
    if !services.isEmpty { writer.line("services:") }
    for (place, service) in services.enumerated() { write(service, place, &writer) }
    if !channels.isEmpty {
      writer.line("l2cap:")
      for channel in channels { writer.commented("  - \(channel.text)", channel.comment) }
    }
    return (writer.text, writer.places)
  }

  private func writeSets(_ writer: inout DraftWriter) {
    guard !sets.isEmpty else { return writer.line("advertising: []") }
    writer.line("advertising:")
    for set in sets {
      if let comment = set.comment { writer.comment(comment, indent: "  ") }
      for (number, entry) in set.entries.enumerated() { writer.entry(entry, indent: number == 0 ? "  - " : "    ") }
    }
  }

  private func write(_ service: Service, _ place: Int, _ writer: inout DraftWriter) {
    if let comment = service.comment { writer.comment(comment, indent: "  ") }
    if let shipped = service.shipped { return write(service, as: shipped, place, &writer) }
    writer.line("  - uuid: \(DraftNames.name(service.uuid, .service))")
    if service.needsID { writer.line("    id: \(service.id)") }
    if !service.isPrimary { writer.line("    primary: false") }
    if fixesHandles { writer.line("    handle: \(DraftNames.hexadecimal(service.handle))") }
    if !service.includes.isEmpty { writer.line("    includes: [\(service.includes.joined(separator: ", "))]") }
    if service.characteristics.isEmpty { return writer.line("    characteristics: []") }
    writer.line("    characteristics:")
    for (number, characteristic) in service.characteristics.enumerated() {
      let start = writer.count
      write(characteristic, &writer)
      writer.places.append((start..<writer.count, place, number))
    }
  }

  /// Writes a service as an `include` with its values.
  private func write(_ service: Service, as shipped: ShippedService, _ place: Int, _ writer: inout DraftWriter) {
    writer.line("  - include: \(shipped.name)")
    if service.needsID { writer.line("    id: \(service.id)") }
    if fixesHandles { writer.line("    handle: \(DraftNames.hexadecimal(service.handle))") }
    let present = Set(service.characteristics.map(\.uuid))
    let omitted = shipped.members.filter { !$0.isOptional && !present.contains($0.uuid) }.map(\.key)
    if !omitted.isEmpty { writer.line("    omit: [\(omitted.joined(separator: ", "))]") }
    for (number, characteristic) in service.characteristics.enumerated() {
      guard let member = shipped.members.first(where: { $0.uuid == characteristic.uuid }) else { continue }
      let start = writer.count
      let entries = characteristic.entries.filter { $0.key != "id" }
      let comment = entries.compactMap(\.comment).filter { !$0.isEmpty }.joined(separator: "; ")
      if entries.count == 1, entries[0].key == "value", !entries[0].text.hasPrefix("{") {
        writer.commented("    \(member.key): \(entries[0].text)", comment)
      } else if !entries.isEmpty {
        let parts = entries.map { "\($0.key): \($0.text)" }.joined(separator: ", ")
        writer.commented("    \(member.key): { \(parts) }", comment)
      }
      writer.places.append((start..<writer.count, place, number))
    }
  }

  private func write(_ characteristic: Characteristic, _ writer: inout DraftWriter) {
    if let comment = characteristic.comment { writer.comment(comment, indent: "      ") }
    writer.line("      - uuid: \(DraftNames.name(characteristic.uuid, .characteristic))")
    let indent = "        "
    for entry in characteristic.entries where entry.key == "id" { writer.entry(entry, indent: indent) }
    if fixesHandles { writer.line("\(indent)handle: \(DraftNames.hexadecimal(characteristic.handle - 1))") }
    let names = DraftNames.names(of: characteristic.properties)
    writer.line("\(indent)properties: [\(names.joined(separator: ", "))]")
    for entry in characteristic.entries where entry.key != "id" { writer.entry(entry, indent: indent) }
    guard !characteristic.descriptors.isEmpty else { return }
    writer.line("\(indent)descriptors:")
    for descriptor in characteristic.descriptors {
      let value = descriptor.value.isEmpty ? "\"\"" : "hex:\(descriptor.value.hexadecimal)"
      let handle = fixesHandles ? ", handle: \(DraftNames.hexadecimal(descriptor.handle))" : ""
      writer.line("\(indent)  - { uuid: \(DraftNames.name(descriptor.uuid, .descriptor)), value: \(value)\(handle) }")
    }
  }
}

/// Lines of YAML.
private struct DraftWriter {
  private var lines: [String] = []
  var places: [(lines: Range<Int>, service: Int, characteristic: Int)] = []

  /// The number of lines so far.
  var count: Int { lines.count }

  var text: String { lines.joined(separator: "\n") + "\n" }

  mutating func line(_ line: String) { lines.append(line) }

  mutating func entry(_ entry: ProfileDraft.Entry, indent: String) {
    commented("\(indent)\(entry.key): \(entry.text)", entry.comment)
  }

  /// Adds a line with its comment behind it, or above it if that would be long.
  mutating func commented(_ line: String, _ comment: String?) {
    guard let comment, !comment.isEmpty else { return lines.append(line) }
    if line.utf8.count + comment.utf8.count <= 110 { return lines.append("\(line)  # \(Self.plain(comment))") }
    self.comment(comment, indent: String(line.prefix { $0 == " " || $0 == "-" }.map { $0 == "-" ? " " : $0 }))
    // A comment before the first key of an element belongs before its dash.
    lines.append(line)
  }

  mutating func comment(_ comment: String, indent: String) {
    for part in comment.split(separator: "\n") { lines.append("\(indent)# \(Self.plain(String(part)))") }
  }

  /// Returns a text without control characters, which a comment cannot hold.
  private static func plain(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}

/// Names as profiles write them.
enum DraftNames {
  /// Returns the assigned name of a UUID, or the UUID.
  static func name(_ uuid: BluetoothUUID, _ kind: AssignedName.Kind) -> String {
    // The language knows only the names that the SIG has assigned.
    guard uuid.short != nil, let assigned = uuid.assignedName, assigned.kind == kind else { return uuid.description }
    return assigned.name
  }

  /// Returns a handle.
  static func hexadecimal(_ number: UInt16) -> String {
    "0x" + [UInt8(number >> 8), UInt8(number & 0xFF)].uppercaseHexadecimal
  }

  /// Returns the names of properties. The reserved bits and `extended` alone follow from descriptors.
  static func names(of properties: CharacteristicProperties) -> [String] {
    CharacteristicProperties.names.filter { properties.contains($0.property) }.map(\.name)
  }

  /// Returns an id from a text: letters, digits and hyphens; nil if none is left.
  static func id(from text: String) -> String? {
    var id = ""
    for scalar in text.lowercased().unicodeScalars {
      switch scalar {
      case "a"..."z", "0"..."9": id.unicodeScalars.append(scalar)
      default: if !id.isEmpty, !id.hasSuffix("-") { id += "-" }
      }
    }
    while id.hasSuffix("-") { id.removeLast() }
    return id.first?.isLetter == true ? String(id.prefix(40)) : nil
  }
}
