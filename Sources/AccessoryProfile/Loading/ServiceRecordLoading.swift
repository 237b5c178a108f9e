import BLECore
import BLESDP

extension ProfileLoader {
  /// Loads the service records that a profile declares (Core 5.4 Vol 3 Part B 5.1).
  mutating func serviceRecords(_ node: SyntaxNode) -> [ServiceRecord] {
    (list(node) ?? []).compactMap { serviceRecord($0) }
  }

  private mutating func serviceRecord(_ node: SyntaxNode) -> ServiceRecord? {
    guard let keys = keys(node, Language.serviceRecord), let classes = keys["classes"] else { return nil }
    var record = ServiceRecord()
    record.serviceClasses = (list(classes) ?? []).compactMap { uuid($0, .service) }
    if classes.elements?.isEmpty == true { error(classes, "expected at least one service class") }
    record.browseGroups = [.publicBrowseRoot]
    record.protocols = protocols(keys)
    if let name = keys["name"].flatMap({ text($0) }) {
      record.languages = [.english]
      record.setName(.serviceName, name)
    }
    record.profiles = (keys["profiles"].flatMap { list($0) } ?? []).compactMap { describedProfile($0) }
    for element in keys["attributes"].flatMap({ list($0) }) ?? [] { attribute(element, into: &record) }
    return record
  }

  private mutating func protocols(_ keys: Keys) -> [ProtocolDescriptor] {
    let psm = integer(keys, "psm").map { UInt16($0) }
    guard let channel = integer(keys, "rfcomm") else { return psm.map { [.l2cap(psm: $0)] } ?? [] }
    if psm != nil, let key = keys.key("psm") { error(key, "'rfcomm' has a PSM of its own") }
    return [ProtocolDescriptor(.l2cap), ProtocolDescriptor(.rfcomm, [.unsigned8(UInt8(channel))])]
  }

  private mutating func describedProfile(_ node: SyntaxNode) -> ProfileDescriptor? {
    guard let keys = keys(node, Language.describedProfile), let uuid = keys["uuid"].flatMap({ uuid($0, .service) })
    else { return nil }
    return ProfileDescriptor(uuid, version: UInt16(integer(keys, "version") ?? 0x0100))
  }

  private mutating func attribute(_ node: SyntaxNode, into record: inout ServiceRecord) {
    guard let keys = keys(node, Language.serviceAttribute), let number = integer(keys, "id"),
      let value = keys["value"].flatMap({ dataElement($0, depth: 1) })
    else { return }
    let id = AttributeID(rawValue: UInt16(number))
    if record[id] != nil, let key = keys.key("id") { error(key, "the record has this attribute already") }
    record[id] = value
  }

  private mutating func dataElement(_ node: SyntaxNode, depth: Int) -> DataElement? {
    guard let keys = keys(node, Language.dataElement) else { return nil }
    let given = Language.dataElement.names.filter { keys[$0] != nil }
    guard given.count == 1, let key = given.first, let value = keys[key] else {
      error(node, "expected one of \(Language.dataElement.names.joined(separator: ", "))")
      return nil
    }
    switch key {
    case "u8": return integer(keys, key).map { .unsigned8(UInt8($0)) }
    case "u16": return integer(keys, key).map { .unsigned16(UInt16($0)) }
    case "u32": return integer(keys, key).map { .unsigned32(UInt32($0)) }
    case "uuid": return uuid(value, .service).map { .uuid($0) }
    case "text": return text(value).map { .text($0) }
    case "boolean": return boolean(value).map { .boolean($0) }
    case "url": return text(value).map { .url(Array($0.utf8)) }
    default:
      guard depth < DataElement.maximumDepth - 1 else {
        error(node, "elements can be nested at most \(DataElement.maximumDepth - 2) levels deep")
        return nil
      }
      let members = (list(value) ?? []).compactMap { dataElement($0, depth: depth + 1) }
      return key == "sequence" ? .sequence(members) : .alternative(members)
    }
  }
}
