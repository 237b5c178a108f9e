import BLECore
import BLEGAP

/// A device as people name it.
package struct DeviceFilter: Hashable, Sendable {
  /// Its name, its address, or the assigned name or UUID of a service that it advertises.
  package var text: String

  /// Creates a filter.
  package init(_ text: String) { self.text = text }

  /// Returns whether an advertisement is from the device.
  package func fits(_ advertisement: Advertisement) -> Bool {
    fits(advertisement.address, advertisement.data)
  }

  /// Returns whether a device with that address and that advertising data is meant.
  package func fits(_ address: DeviceAddress, _ data: AdvertisingData) -> Bool {
    if address == DeviceAddress(text) || data.localName == text { return true }
    guard let uuid = BluetoothUUID(text) ?? AssignedName.uuid(named: text, kind: .service) else { return false }
    return data.services.contains(uuid)
  }
}
