extension ImportFormat {
  /// The formats in the order of recognition: those with a distinct beginning come first.
  package static let all: [ImportFormat] = [
    ImportFormat(
      name: "nrf-connect-xml", summary: "a GATT server configuration of nRF Connect",
      recognizes: { XMLRoot.name(in: $0).map { NRFConnectXML.isRoot($0) } ?? false }, read: NRFConnectXML.read),
    ImportFormat(
      name: "bumble", summary: "a device configuration of Bumble", recognizes: BumbleJSON.recognizes,
      read: BumbleJSON.read),
    ImportFormat(
      name: "silicon-labs", summary: "a GATT configuration of Silicon Labs or Bluegiga",
      recognizes: { XMLRoot.name(in: $0).map { SiliconLabsXML.isRoot($0) } ?? false }, read: SiliconLabsXML.read),
    ImportFormat(
      name: "numbers-database", summary: "a list of names and UUIDs like Nordic's Bluetooth Numbers Database",
      recognizes: NumbersDatabase.recognizes, read: NumbersDatabase.read),
    ImportFormat(
      name: "bthome", summary: "the advertising of a BTHome sensor, as digits or a list of objects",
      recognizes: BTHomeData.recognizes, read: BTHomeData.read),
    ImportFormat(
      name: "nrf-connect-json", summary: "services in JSON, as nRF Connect exports them",
      recognizes: ServiceJSON.recognizes, read: ServiceJSON.read),
    ImportFormat(
      name: "esp-idf", summary: "an attribute table of ESP-IDF in C", recognizes: ESPSource.recognizes,
      read: ESPSource.read),
    ImportFormat(
      name: "nimble", summary: "services of Apache NimBLE in C", recognizes: NimBLESource.recognizes,
      read: NimBLESource.read),
    ImportFormat(
      name: "zephyr", summary: "services of Zephyr in C", recognizes: ZephyrSource.recognizes, read: ZephyrSource.read),
    ImportFormat(
      name: "btstack", summary: "a .gatt file of BTstack", recognizes: BTstackGATT.recognizes,
      read: BTstackGATT.read),
  ]
}

/// The root element of an XML text, without parsing all of it.
enum XMLRoot {
  /// Returns the name of the first element; nil if the text does not begin like XML.
  static func name(in source: ImportSource) -> String? {
    let text = String(decoding: source.octets.prefix(65_536), as: UTF8.self)
    var rest = text[...]
    while true {
      rest = rest.drop { $0.isWhitespace }
      guard rest.hasPrefix("<") else { return nil }
      let end: Substring
      if rest.hasPrefix("<!--") {
        end = "-->"
      } else if rest.hasPrefix("<?") {
        end = "?>"
      } else if rest.hasPrefix("<!") {
        return nil
      } else {
        let name = rest.dropFirst().prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
        return name.split(separator: ":").last.map { String($0) }
      }
      guard let place = rest.firstRange(of: end) else { return nil }
      rest = rest[place.upperBound...]
    }
  }
}
