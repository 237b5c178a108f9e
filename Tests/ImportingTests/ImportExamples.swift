import AccessoryProfile
import BLECore
import BLEGATT
import Foundation
import Testing

@testable import Importing

/// One example for each format, in the folder Examples.
enum Examples {
  /// The files with their formats.
  static let all: [(file: String, format: String)] = [
    ("nrf-connect.xml", "nrf-connect-xml"), ("bumble.json", "bumble"), ("silicon-labs.btconf", "silicon-labs"),
    ("numbers.json", "numbers-database"), ("bthome.txt", "bthome"), ("bthome.json", "bthome"),
    ("services.json", "nrf-connect-json"), ("esp-idf.c", "esp-idf"), ("nimble.c", "nimble"), ("zephyr.c", "zephyr"),
    ("btstack.gatt", "btstack"),
  ]

  /// Returns the text of an example.
  static func text(_ file: String) throws -> String {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Examples")
    return try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
  }

  /// Imports an example.
  static func imported(_ file: String) throws -> ProfileImport {
    try ProfileImport.read(ImportSource(name: file, text: try text(file)))
  }
}

extension Profile {
  /// Returns a line for every service and characteristic: its id, UUID, properties and descriptors.
  var outline: [String] {
    services.flatMap { service -> [String] in
      let includes = service.includes.isEmpty ? "" : " includes \(service.includes.joined(separator: " "))"
      return ["\(service.isPrimary ? "" : "secondary ")\(service.id) \(service.uuid)\(includes)"]
        + service.characteristics.map { characteristic in
          let descriptors = characteristic.descriptors.map { " \($0.uuid)" }.joined()
          return "  \(characteristic.id) \(characteristic.uuid) "
            + "\(characteristic.propertyNames.joined(separator: ","))\(descriptors)"
        }
    }
  }

  /// Returns a characteristic.
  func characteristic(_ id: String) -> CharacteristicDefinition? {
    services.flatMap(\.characteristics).first { $0.id == id }
  }

  /// Returns the octets that a characteristic stores; nil for none.
  func stored(_ id: String) -> [UInt8]? {
    guard case .stored(let octets) = characteristic(id)?.value else { return nil }
    return octets
  }
}
