import BLECore

/// A service of a server (Core 5.4 Vol 3 Part G 3.1).
public struct RemoteService: Hashable, Sendable {
  /// The handles from its declaration to its last attribute.
  public var handles: ClosedRange<UInt16>
  /// The service UUID.
  public var uuid: BluetoothUUID
  /// Whether it is a primary service.
  public var isPrimary = true
  /// Its included services, as far as discovered.
  public var includes: [RemoteInclude] = []
  /// Its characteristics, as far as discovered, by ascending handle.
  public var characteristics: [RemoteCharacteristic] = []

  /// Creates a service whose contents are unknown.
  public init(handles: ClosedRange<UInt16>, uuid: BluetoothUUID, isPrimary: Bool = true) {
    self.handles = handles
    self.uuid = uuid
    self.isPrimary = isPrimary
  }
}

/// An include declaration of a server (Core 5.4 Vol 3 Part G 3.2).
public struct RemoteInclude: Hashable, Sendable {
  /// Its handle.
  public var declaration: UInt16
  /// The handles of the included service.
  public var handles: ClosedRange<UInt16>
  /// The UUID of the included service; nil if unknown.
  public var uuid: BluetoothUUID?

  /// Creates an include.
  public init(declaration: UInt16, handles: ClosedRange<UInt16>, uuid: BluetoothUUID?) {
    self.declaration = declaration
    self.handles = handles
    self.uuid = uuid
  }
}

/// A characteristic of a server (Core 5.4 Vol 3 Part G 3.3).
public struct RemoteCharacteristic: Hashable, Sendable {
  /// The handle of its declaration.
  public var declaration: UInt16
  /// The handle of its value.
  public var value: UInt16
  /// The last handle that one of its descriptors can have.
  public var end: UInt16
  /// The characteristic UUID.
  public var uuid: BluetoothUUID
  /// The declared properties.
  public var properties: CharacteristicProperties
  /// Its descriptors, as far as discovered, by ascending handle.
  public var descriptors: [RemoteDescriptor] = []

  /// Creates a characteristic whose descriptors are unknown.
  public init(
    declaration: UInt16, value: UInt16, end: UInt16, uuid: BluetoothUUID, properties: CharacteristicProperties
  ) {
    self.declaration = declaration
    self.value = value
    self.end = end
    self.uuid = uuid
    self.properties = properties
  }

  /// The handles that its descriptors can have; nil if there is no room for any.
  public var descriptorHandles: ClosedRange<UInt16>? {
    value < end ? value + 1...end : nil
  }

  /// The handle of its Client Characteristic Configuration; nil if not discovered.
  public var configuration: UInt16? {
    descriptors.first { $0.uuid == .clientCharacteristicConfiguration }?.handle
  }
}

/// A descriptor of a server (Core 5.4 Vol 3 Part G 3.3.3).
public struct RemoteDescriptor: Hashable, Sendable {
  /// Its handle.
  public var handle: UInt16
  /// The descriptor UUID.
  public var uuid: BluetoothUUID

  /// Creates a descriptor.
  public init(handle: UInt16, uuid: BluetoothUUID) {
    self.handle = handle
    self.uuid = uuid
  }
}
