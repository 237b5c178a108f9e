import AccessoryProfile
import BLECore
import BLEGATT

/// A profile that is being written: keys with their values as YAML in flow style, and comments that say where each comes from.
package struct ProfileDraft: Sendable {
  /// A key, its value, and why.
  package struct Entry: Hashable, Sendable {
    package var key: String
    package var text: String
    package var comment: String?

    init(_ key: String, _ text: String, _ comment: String? = nil) {
      (self.key, self.text, self.comment) = (key, text, comment)
    }
  }

  /// A characteristic.
  package struct Characteristic: Sendable {
    package var uuid: BluetoothUUID
    package var properties: CharacteristicProperties
    /// The handle of its value.
    package var handle: UInt16
    /// Everything but the UUID, the properties and the handle.
    package var entries: [Entry] = []
    /// The descriptors that follow, with their handles, without the automatic ones.
    package var descriptors: [Descriptor] = []
    package var comment: String?
  }

  /// A descriptor.
  package struct Descriptor: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var handle: UInt16
    package var value: [UInt8]
  }

  /// A service.
  package struct Service: Sendable {
    package var uuid: BluetoothUUID
    package var isPrimary = true
    package var handle: UInt16
    package var id: String
    /// Whether its id is written: something refers to it, or another service has the same type.
    package var needsID = false
    /// The ids of the services that it includes.
    package var includes: [String] = []
    package var characteristics: [Characteristic] = []
    package var comment: String?
    /// The shipped service as which it is written, with `include`; nil to write it out.
    package var shipped: ShippedService?
  }

  /// An advertising set.
  package struct AdvertisingSet: Sendable {
    package var entries: [Entry] = []
    package var comment: String?
  }

  /// The lines of the comment at the top.
  package var head: [String] = []
  /// The keys before the services: name, identity, connection and so on.
  package var entries: [Entry] = []
  package var sets: [AdvertisingSet] = []
  package var services: [Service] = []
  /// L2CAP channels in flow style, with comments.
  package var channels: [Entry] = []
  /// Whether handles are written, because the language would choose others.
  package var fixesHandles = false

  /// Creates an empty draft.
  package init() {}
}
