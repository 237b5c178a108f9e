import BLECore
import BLEGATT

/// Reads services of Apache NimBLE in C source: arrays of `ble_gatt_svc_def`, with designated initializers.
struct NimBLESource: CSourceReader {
  static let missing = "this file defines no array of the type ble_gatt_svc_def with a service"

  let code: CSource
  private let evaluator: CEvaluator
  var context: ImportContext
  var database = ImportedDatabase()

  static func recognizes(_ source: ImportSource) -> Bool { source.contains("ble_gatt_svc_def") }

  init(_ code: CSource, _ evaluator: CEvaluator, _ context: ImportContext) {
    (self.code, self.evaluator, self.context) = (code, evaluator, context)
  }

  /// The names of `ble_gatt.h` and `ble_att.h`.
  static let constants: [String: Int] = [
    "BLE_GATT_SVC_TYPE_END": 0, "BLE_GATT_SVC_TYPE_PRIMARY": 1, "BLE_GATT_SVC_TYPE_SECONDARY": 2,
    "BLE_GATT_CHR_F_BROADCAST": 0x0001, "BLE_GATT_CHR_F_READ": 0x0002, "BLE_GATT_CHR_F_WRITE_NO_RSP": 0x0004,
    "BLE_GATT_CHR_F_WRITE": 0x0008, "BLE_GATT_CHR_F_NOTIFY": 0x0010, "BLE_GATT_CHR_F_INDICATE": 0x0020,
    "BLE_GATT_CHR_F_AUTH_SIGN_WRITE": 0x0040, "BLE_GATT_CHR_F_RELIABLE_WRITE": 0x0080,
    "BLE_GATT_CHR_F_AUX_WRITE": 0x0100, "BLE_GATT_CHR_F_READ_ENC": 0x0200, "BLE_GATT_CHR_F_READ_AUTHEN": 0x0400,
    "BLE_GATT_CHR_F_READ_AUTHOR": 0x0800, "BLE_GATT_CHR_F_WRITE_ENC": 0x1000, "BLE_GATT_CHR_F_WRITE_AUTHEN": 0x2000,
    "BLE_GATT_CHR_F_WRITE_AUTHOR": 0x4000, "BLE_ATT_F_READ": 0x01, "BLE_ATT_F_WRITE": 0x02, "BLE_ATT_F_READ_ENC": 0x04,
    "BLE_ATT_F_READ_AUTHEN": 0x08, "BLE_ATT_F_READ_AUTHOR": 0x10, "BLE_ATT_F_WRITE_ENC": 0x20,
    "BLE_ATT_F_WRITE_AUTHEN": 0x40, "BLE_ATT_F_WRITE_AUTHOR": 0x80,
  ]

  mutating func read() {
    let places = code.tokens.indices.filter { code.tokens[$0].text == "ble_gatt_svc_def" }
    for index in places.prefix(Self.tableLimit) {
      let rest = code.tokens[index...]
      guard let equals = rest.firstIndex(where: { $0.isSign("=") || $0.isSign(";") || $0.isSign(")") }),
        code.tokens[equals].isSign("="), let table = CInitializer(code.tokens[(equals + 1)...])
      else { continue }
      for entry in table.members { service(entry.value) }
    }
    if database.services.contains(where: { !$0.characteristics.isEmpty }) {
      database.comments.append("The callbacks of the source supply the values.")
    }
  }

  private mutating func service(_ entry: CInitializer) {
    // The last entry has no type.
    guard case .group(_, let offset) = entry, let tokens = entry["uuid"]?.tokens else { return }
    guard let uuid = evaluator.uuid(tokens, .service) else {
      return warn(offset, "the UUID '\(CSource.text(tokens))' is not defined in this file, so the service is left out")
    }
    var service = ImportedService(
      name: ESPSource.name(in: tokens.withoutMember), uuid: uuid, place: code.source.place(of: offset))
    service.isPrimary = entry["type"].flatMap { evaluator.number($0.tokens) } != 2
    if entry["includes"] != nil { warn(offset, "the included services are left out; write 'includes' in the profile") }
    for member in members(of: entry["characteristics"]) {
      if let characteristic = characteristic(member.value) { service.characteristics.append(characteristic) }
    }
    database.services.append(service)
  }

  /// Returns the members of an array, or of the variable that holds it.
  private func members(of value: CInitializer?) -> [CMember] {
    guard let value else { return [] }
    if !value.members.isEmpty { return value.members }
    return CInitializer(evaluator.resolved(value.tokens))?.members ?? []
  }

  private mutating func characteristic(_ entry: CInitializer) -> ImportedCharacteristic? {
    guard case .group(_, let offset) = entry, let tokens = entry["uuid"]?.tokens, CSource.text(tokens) != "NULL" else {
      return nil
    }
    guard let uuid = evaluator.uuid(tokens, .characteristic) else {
      warn(offset, "the UUID '\(CSource.text(tokens))' is not defined in this file, so the characteristic is left out")
      return nil
    }
    var characteristic = ImportedCharacteristic(
      name: ESPSource.name(in: tokens.withoutMember), uuid: uuid, properties: [], place: code.source.place(of: offset))
    let flags = entry["flags"]?.tokens ?? []
    if let bits = evaluator.number(flags) {
      characteristic.properties = CharacteristicProperties(rawValue: UInt8(truncatingIfNeeded: bits & 0x7F))
      if bits & 0x80 != 0 { characteristic.extendedProperties.insert(.reliableWrite) }
      if bits & 0x100 != 0 { characteristic.extendedProperties.insert(.writableAuxiliaries) }
      characteristic.permissions = permissions(
        bits, characteristic.properties, read: (0x200, 0x400, 0x800), write: (0x1000, 0x2000, 0x4000))
    } else {
      characteristic.comments.append("The flags are `\(CSource.text(flags))` in the source.")
      warn(offset, "the flags '\(CSource.text(flags))' are not known")
    }
    for member in members(of: entry["descriptors"]) {
      if let descriptor = descriptor(member.value) { characteristic.descriptors.append(descriptor) }
    }
    return characteristic
  }

  private mutating func permissions(
    _ bits: Int, _ properties: CharacteristicProperties, read: (Int, Int, Int), write: (Int, Int, Int)
  ) -> AttributePermissions {
    func requirement(_ flags: (encrypted: Int, authenticated: Int, authorized: Int)) -> AccessRequirement {
      let protection: LinkProtection =
        bits & flags.authenticated != 0 ? .authenticated : bits & flags.encrypted != 0 ? .encrypted : .none
      return AccessRequirement(protection: protection, needsAuthorization: bits & flags.authorized != 0)
    }
    let open = properties.openPermissions
    return AttributePermissions(
      read: open.read == nil ? nil : requirement(read), write: open.write == nil ? nil : requirement(write),
      signedWrite: requirement(write))
  }

  private mutating func descriptor(_ entry: CInitializer) -> ImportedDescriptor? {
    guard case .group(_, let offset) = entry, let tokens = entry["uuid"]?.tokens, CSource.text(tokens) != "NULL" else {
      return nil
    }
    guard let uuid = evaluator.uuid(tokens, .descriptor) else {
      warn(offset, "the UUID '\(CSource.text(tokens))' is not defined in this file, so the descriptor is left out")
      return nil
    }
    var descriptor = ImportedDescriptor(uuid: uuid)
    if let bits = entry["att_flags"].flatMap({ evaluator.number($0.tokens) }) {
      let properties = CharacteristicProperties(
        rawValue: (bits & 0x01 != 0 ? 0x02 : 0) | (bits & 0x02 != 0 ? 0x08 : 0))
      descriptor.permissions = permissions(bits, properties, read: (0x04, 0x08, 0x10), write: (0x20, 0x40, 0x80))
    }
    return descriptor
  }
}

extension ArraySlice<CToken> {
  /// The tokens without the member `.u` at their end.
  fileprivate var withoutMember: ArraySlice<CToken> {
    count > 2 && self[endIndex - 2].isSign(".") ? dropLast(2) : self
  }
}
