import BLECore

/// The attributes that any record may have, as values (Core 5.4 Vol 3 Part B 5.1).
extension ServiceRecord {
  /// The record's handle.
  public var handle: ServiceRecordHandle? {
    get { self[.serviceRecordHandle]?.handle }
    set { self[.serviceRecordHandle] = newValue.map { .unsigned32($0.rawValue) } }
  }

  /// The classes of the service, from the most specific to the most general.
  public var serviceClasses: [BluetoothUUID] {
    get { Self.uuids(self[.serviceClassIDList]) }
    set { self[.serviceClassIDList] = Self.list(newValue) }
  }

  /// The browse groups to which the service belongs.
  public var browseGroups: [BluetoothUUID] {
    get { Self.uuids(self[.browseGroupList]) }
    set { self[.browseGroupList] = Self.list(newValue) }
  }

  /// The protocols with which the service can be used, from the lowest; the first choice if there are alternatives.
  public var protocols: [ProtocolDescriptor] {
    get { self[.protocolDescriptorList].map { ProtocolDescriptor.stacks(in: $0) }?.first ?? [] }
    set { self[.protocolDescriptorList] = newValue.isEmpty ? nil : ProtocolDescriptor.element(newValue) }
  }

  /// Further protocols, for services that need more than one channel or offer another.
  public var additionalProtocols: [[ProtocolDescriptor]] {
    get {
      (self[.additionalProtocolDescriptorLists]?.elements ?? [])
        .flatMap { ProtocolDescriptor.stacks(in: $0).prefix(1) }
    }
    set {
      self[.additionalProtocolDescriptorLists] =
        newValue.isEmpty ? nil : .sequence(newValue.map(ProtocolDescriptor.element))
    }
  }

  /// The profiles to which the service conforms.
  public var profiles: [ProfileDescriptor] {
    get { (self[.bluetoothProfileDescriptorList]?.elements ?? []).compactMap(ProfileDescriptor.init(element:)) }
    set {
      self[.bluetoothProfileDescriptorList] = newValue.isEmpty ? nil : .sequence(newValue.map(\.element))
    }
  }

  /// The languages of the record's names.
  public var languages: [LanguageBase] {
    get { LanguageBase.all(in: self[.languageBaseAttributeIDList]) }
    set { self[.languageBaseAttributeIDList] = newValue.isEmpty ? nil : .sequence(newValue.flatMap(\.elements)) }
  }

  /// Returns a name in the language with this base. Names of other encodings than UTF-8 are read as UTF-8.
  public func name(_ offset: AttributeID.NameOffset, base: AttributeID = .primaryLanguageBase) -> String? {
    guard case .text(let octets) = self[.name(offset, base: base)] else { return nil }
    return String(decoding: octets.last == 0 ? octets.dropLast() : octets[...], as: UTF8.self)
  }

  /// Sets a name in the language with this base, in UTF-8; nil removes it.
  public mutating func setName(
    _ offset: AttributeID.NameOffset, _ name: String?, base: AttributeID = .primaryLanguageBase
  ) {
    self[.name(offset, base: base)] = name.map { .text($0) }
  }

  private static func uuids(_ element: DataElement?) -> [BluetoothUUID] {
    (element?.elements ?? []).compactMap(\.uuid)
  }

  private static func list(_ uuids: [BluetoothUUID]) -> DataElement? {
    uuids.isEmpty ? nil : .sequence(uuids.map { .uuid($0) })
  }
}

extension DataElement {
  fileprivate var handle: ServiceRecordHandle? {
    if case .unsigned32(let value) = self { ServiceRecordHandle(rawValue: value) } else { nil }
  }
}

/// A protocol of a service with its parameters, such as a PSM (Core 5.4 Vol 3 Part B 5.1.5).
public struct ProtocolDescriptor: Hashable, Sendable {
  /// The protocol.
  public var uuid: BluetoothUUID
  /// Its parameters.
  public var parameters: [DataElement]

  /// Creates a descriptor.
  public init(_ uuid: BluetoothUUID, _ parameters: [DataElement] = []) {
    self.uuid = uuid
    self.parameters = parameters
  }

  /// L2CAP with a PSM.
  public static func l2cap(psm: UInt16) -> ProtocolDescriptor { ProtocolDescriptor(.l2cap, [.unsigned16(psm)]) }

  /// The first parameter as a number: the PSM of L2CAP, the channel of RFCOMM.
  public var number: UInt64? { parameters.first?.unsigned }

  /// Returns a list of descriptors as an element.
  static func element(_ descriptors: [ProtocolDescriptor]) -> DataElement {
    .sequence(descriptors.map { .sequence([.uuid($0.uuid)] + $0.parameters) })
  }

  /// Returns the lists of descriptors in an element: one, or several alternatives.
  static func stacks(in element: DataElement) -> [[ProtocolDescriptor]] {
    switch element {
    case .alternative(let stacks): stacks.compactMap(stack)
    default: stack(element).map { [$0] } ?? []
    }
  }

  private static func stack(_ element: DataElement) -> [ProtocolDescriptor]? {
    guard case .sequence(let descriptors) = element else { return nil }
    return descriptors.compactMap { descriptor in
      guard case .sequence(let parts) = descriptor, let uuid = parts.first?.uuid else { return nil }
      return ProtocolDescriptor(uuid, Array(parts.dropFirst()))
    }
  }
}

/// A profile with its version (Core 5.4 Vol 3 Part B 5.1.11).
public struct ProfileDescriptor: Hashable, Sendable {
  /// The profile.
  public var uuid: BluetoothUUID
  /// The version: major in the upper octet, minor in the lower one.
  public var version: UInt16

  /// Creates a descriptor.
  public init(_ uuid: BluetoothUUID, version: UInt16) {
    self.uuid = uuid
    self.version = version
  }

  var element: DataElement { .sequence([.uuid(uuid), .unsigned16(version)]) }

  init?(element: DataElement) {
    guard case .sequence(let parts) = element, parts.count == 2, let uuid = parts[0].uuid,
      case .unsigned16(let version) = parts[1]
    else { return nil }
    self.init(uuid, version: version)
  }
}

/// A language of a record's names (Core 5.4 Vol 3 Part B 5.1.8).
public struct LanguageBase: Hashable, Sendable {
  /// The language as the two letters of ISO 639-1.
  public var language: UInt16
  /// The character encoding as a MIBenum of IANA: 106 for UTF-8.
  public var encoding: UInt16
  /// The id to which the offsets of names are added.
  public var base: AttributeID

  /// Creates a language.
  public init(language: UInt16, encoding: UInt16, base: AttributeID) {
    self.language = language
    self.encoding = encoding
    self.base = base
  }

  /// English in UTF-8, at the primary base.
  public static let english = LanguageBase(language: 0x656E, encoding: 106, base: .primaryLanguageBase)

  var elements: [DataElement] { [.unsigned16(language), .unsigned16(encoding), .unsigned16(base.rawValue)] }

  static func all(in element: DataElement?) -> [LanguageBase] {
    let numbers = (element?.elements ?? []).map { element in
      if case .unsigned16(let number) = element { number } else { UInt16(0) }
    }
    return stride(from: 0, to: numbers.count - 2, by: 3).map { place in
      LanguageBase(
        language: numbers[place], encoding: numbers[place + 1], base: AttributeID(rawValue: numbers[place + 2]))
    }
  }
}
