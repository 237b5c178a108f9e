import BLECore
import BLEGATT

/// Reads lists of names and UUIDs in the form of Nordic's Bluetooth Numbers Database: objects with `name`, `identifier` and `uuid`. The lists do
/// not say which service has a characteristic. So services get no characteristics, and all characteristics share one further service.
struct NumbersDatabase {
  static func recognizes(_ source: ImportSource) -> Bool {
    guard source.octets.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "["),
      let root = try? PlacedJSONReader.read(source), let first = root.elements?.first
    else { return false }
    return first["uuid"]?.string != nil && first["name"]?.string != nil && first["characteristics"] == nil
      && first["properties"] == nil
  }

  static func read(_ source: ImportSource, _ context: inout ImportContext) throws(ImportError) -> ImportedDatabase {
    let root = try PlacedJSONReader.read(source)
    guard let elements = root.elements else { throw source.error(root.offset, "a list of objects is expected") }
    var database = ImportedDatabase()
    var loose = ImportedService(name: "Characteristics", uuid: BluetoothUUID(high: 0, low: 0))
    for element in elements {
      let identifier = element["identifier"]?.string ?? ""
      guard let uuid = context.uuid(element["uuid"]?.string, of: "entry", .service, in: source, at: element.offset)
      else { continue }
      let name = element["name"]?.string
      let place = source.place(of: element.offset)
      if identifier.contains(".descriptor.") || (0x2900..<0x2A00).contains(Int(uuid.short ?? 0)) {
        context.log.warn(source, element.offset, "a descriptor needs a characteristic, so this one is left out")
      } else if Self.isCharacteristic(uuid, identifier) {
        loose.characteristics.append(
          ImportedCharacteristic(name: name, uuid: uuid, properties: .read, place: place))
      } else {
        var service = ImportedService(name: name, uuid: uuid, place: place)
        service.mayBeIncluded = false
        service.comments = name.map { [$0] } ?? []
        database.services.append(service)
      }
    }
    if !loose.characteristics.isEmpty {
      loose.uuid = unusedUUID(besides: database.services.map(\.uuid))
      loose.mayBeIncluded = false
      loose.comments = [
        "The list states neither their services nor their properties: 'read' is assumed."
      ]
      database.services.append(loose)
    }
    if database.services.contains(where: { $0.characteristics.isEmpty && !$0.belongsToHost }) {
      database.comments.append("The list has only names and UUIDs. Add the characteristics of the services.")
    }
    return database
  }

  private static func isCharacteristic(_ uuid: BluetoothUUID, _ identifier: String) -> Bool {
    if identifier.contains(".service.") { return false }
    return identifier.contains(".characteristic.") || uuid.assignedName?.kind == .characteristic
  }

  /// Returns a UUID for a service that the list does not name.
  private static func unusedUUID(besides taken: [BluetoothUUID]) -> BluetoothUUID {
    let base: UInt64 = 0xA000_0000_7C4D_4B0E
    let numbers = (0..<UInt64(taken.count + 1)).lazy.map {
      BluetoothUUID(high: base + $0 << 32, low: 0x9E4B_1F6E_2A1B_9C00)
    }
    return numbers.first { !taken.contains($0) } ?? BluetoothUUID(high: base, low: 0)
  }
}
