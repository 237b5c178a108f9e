import BLECore
import BLEGATT

/// A service of an imported database.
package struct ImportedService: Hashable, Sendable {
  /// Its id, which the writer keeps if it is valid and free; nil for one derived from `name` or the UUID.
  package var id: String?
  /// Its name in the source.
  package var name: String?
  /// The service UUID.
  package var uuid: BluetoothUUID
  /// Whether it is a primary service.
  package var isPrimary = true
  /// The included services, as positions in the list of services.
  package var includes: [Int] = []
  /// The handle of its declaration; nil for any.
  package var handle: UInt16?
  /// Its characteristics in the order of their handles.
  package var characteristics: [ImportedCharacteristic]
  /// Further keys of the service.
  package var keys: [ImportedKey] = []
  /// Comments above the service.
  package var comments: [String] = []
  /// Where it is described.
  package var place: SourcePlace?
  /// Whether the writer may use a shipped service with the same attributes instead.
  package var mayBeIncluded = true
  /// The shipped service to use, for a source that names a service without its characteristics.
  package var shippedName: String?

  package init(
    id: String? = nil, name: String? = nil, uuid: BluetoothUUID, characteristics: [ImportedCharacteristic] = [],
    place: SourcePlace? = nil
  ) {
    (self.id, self.name, self.uuid) = (id, name, uuid)
    (self.characteristics, self.place) = (characteristics, place)
  }
}

/// A characteristic of an imported service.
package struct ImportedCharacteristic: Hashable, Sendable {
  /// Its id, which the writer keeps if it is valid and free; nil for one derived from `name` or the UUID.
  package var id: String?
  /// Its name in the source.
  package var name: String?
  /// The characteristic UUID.
  package var uuid: BluetoothUUID
  /// The characteristic properties.
  package var properties: CharacteristicProperties
  /// The extended properties. A descriptor 2900 among the descriptors says the same.
  package var extendedProperties: ExtendedProperties = []
  /// The permissions for the value; nil for those that follow from the properties.
  package var permissions: AttributePermissions?
  /// The requirement for subscribing; nil if subscribing is forbidden.
  package var subscribing: AccessRequirement? = .open
  /// Its value; nil if it is unknown.
  package var value: ImportedValue?
  /// The format of the value, as ready YAML; nil for the assigned format.
  package var format: String?
  /// When it notifies its value, as ready YAML; nil for the default.
  package var notify: String?
  /// When it indicates its value, as ready YAML; nil for the default.
  package var indicate: String?
  /// The maximum length of a written value; nil for the default.
  package var maximumLength: Int?
  /// Whether clients may write only values of the full length; nil for the default.
  package var hasFixedLength: Bool?
  /// Its descriptors in the order of their handles. Those that the language adds by itself may be among them.
  package var descriptors: [ImportedDescriptor] = []
  /// The handle of its declaration; nil for any. The handle of its value is the next one.
  package var handle: UInt16?
  /// Further keys of the characteristic, such as `on-write`.
  package var keys: [ImportedKey] = []
  /// Comments above the characteristic.
  package var comments: [String] = []
  /// Where it is described.
  package var place: SourcePlace?

  package init(
    id: String? = nil, name: String? = nil, uuid: BluetoothUUID, properties: CharacteristicProperties,
    value: ImportedValue? = nil, place: SourcePlace? = nil
  ) {
    (self.id, self.name, self.uuid, self.properties) = (id, name, uuid, properties)
    (self.value, self.place) = (value, place)
  }
}

/// The value of a characteristic.
package enum ImportedValue: Hashable, Sendable {
  /// Octets, which the writer expresses in the characteristic's format if they fit it.
  case octets([UInt8])
  /// A value or a generator as ready YAML: one line, or several lines of a block.
  case yaml(String)
}

/// A descriptor of an imported characteristic.
package struct ImportedDescriptor: Hashable, Sendable {
  /// The descriptor UUID.
  package var uuid: BluetoothUUID
  /// The access permissions.
  package var permissions: AttributePermissions = .readable
  /// Its value.
  package var value: [UInt8]
  /// The maximum length of a written value; nil for the length of `value`.
  package var maximumLength: Int?
  /// The ids of the characteristics whose formats an Aggregate Format lists. They replace its value.
  package var aggregates: [String] = []
  /// The handle; nil for any.
  package var handle: UInt16?
  /// Comments above it.
  package var comments: [String] = []

  package init(uuid: BluetoothUUID, value: [UInt8] = [], permissions: AttributePermissions = .readable) {
    (self.uuid, self.value, self.permissions) = (uuid, value, permissions)
  }
}
