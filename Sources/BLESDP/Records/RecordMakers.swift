import BLECore

/// Records of services that this project has.
extension ServiceRecord {
  /// The PSM of SDP (Assigned Numbers 2.5).
  public static let discoveryPSM: UInt16 = 0x0001
  /// The PSM of the Attribute Protocol on BR/EDR (Assigned Numbers 2.5).
  public static let attributePSM: UInt16 = 0x001F
  /// The PSM of the Enhanced Attribute Protocol (Assigned Numbers 2.5).
  public static let enhancedAttributePSM: UInt16 = 0x0027

  /// Creates the record of a GATT service that occupies these handles (Core 5.4 Vol 3 Part G 9). With `hasEnhancedBearers`, clients can
  /// also use it with the Enhanced Attribute Protocol.
  public static func gatt(
    _ service: BluetoothUUID, handles: ClosedRange<UInt16>, hasEnhancedBearers: Bool = false
  ) -> ServiceRecord {
    let attributes = ProtocolDescriptor(
      .attributeProtocol, [.unsigned16(handles.lowerBound), .unsigned16(handles.upperBound)])
    var record = ServiceRecord()
    record.serviceClasses = [service]
    record.protocols = [.l2cap(psm: attributePSM), attributes]
    record.browseGroups = [.publicBrowseRoot]
    if hasEnhancedBearers { record.additionalProtocols = [[.l2cap(psm: enhancedAttributePSM), attributes]] }
    return record
  }

  /// The handles that a GATT service's record names; nil if it is no such record.
  public var attributeHandles: ClosedRange<UInt16>? {
    guard let descriptor = protocols.first(where: { $0.uuid == .attributeProtocol }),
      descriptor.parameters.count >= 2, case .unsigned16(let start) = descriptor.parameters[0],
      case .unsigned16(let end) = descriptor.parameters[1], start <= end
    else { return nil }
    return start...end
  }

  /// Creates the record of the Service Discovery Server itself (Core 5.4 Vol 3 Part B 5.2). `state` changes with the records.
  public static func discoveryServer(state: UInt32) -> ServiceRecord {
    var record = ServiceRecord()
    record.handle = .server
    record.serviceClasses = [.serviceDiscoveryServer]
    record.protocols = [.l2cap(psm: discoveryPSM), ProtocolDescriptor(.sdp)]
    record[.versionNumberList] = .sequence([.unsigned16(0x0100)])
    record[.serviceDatabaseState] = .unsigned32(state)
    return record
  }

  /// Creates the record of a device's identification (Device Identification 1.3, 5).
  public static func deviceIdentification(_ identification: DeviceIdentification) -> ServiceRecord {
    var record = ServiceRecord()
    record.serviceClasses = [.pnpInformation]
    record.browseGroups = [.publicBrowseRoot]
    record[.specificationID] = .unsigned16(0x0103)
    record[.vendorID] = .unsigned16(identification.vendor)
    record[.productID] = .unsigned16(identification.product)
    record[.version] = .unsigned16(identification.version)
    record[.primaryRecord] = .boolean(identification.isPrimary)
    record[.vendorIDSource] = .unsigned16(identification.source.rawValue)
    return record
  }

  /// The identification in a record; nil if it has none.
  public var deviceIdentification: DeviceIdentification? {
    guard serviceClasses.contains(.pnpInformation), case .unsigned16(let vendor) = self[.vendorID],
      case .unsigned16(let product) = self[.productID], case .unsigned16(let version) = self[.version],
      case .unsigned16(let source) = self[.vendorIDSource]
    else { return nil }
    return DeviceIdentification(
      source: .init(rawValue: source), vendor: vendor, product: product, version: version,
      isPrimary: self[.primaryRecord] == .boolean(true))
  }
}

/// Who made a device, which model it is, and in which version (Device Identification 1.3, 5).
public struct DeviceIdentification: Hashable, Sendable {
  /// Who assigned the vendor's number.
  public var source: Source
  /// The vendor.
  public var vendor: UInt16
  /// The model, as the vendor numbers them.
  public var product: UInt16
  /// The version in binary-coded decimals: 0xJJMN for JJ.M.N.
  public var version: UInt16
  /// Whether this is the device's main identification, if it has several.
  public var isPrimary: Bool

  /// Who assigned the vendor's number.
  public struct Source: OpenCode {
    /// The number.
    public var rawValue: UInt16
    /// Creates a source with this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The Bluetooth SIG: a company identifier.
    public static let bluetoothSIG = Source(rawValue: 0x0001)
    /// The USB Implementers Forum.
    public static let usb = Source(rawValue: 0x0002)
  }

  /// Creates an identification.
  public init(source: Source, vendor: UInt16, product: UInt16, version: UInt16, isPrimary: Bool = true) {
    self.source = source
    self.vendor = vendor
    self.product = product
    self.version = version
    self.isPrimary = isPrimary
  }
}
