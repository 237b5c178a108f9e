import BLECore
import BLEGAP

/// The devices that a scan has heard, in the order in which they were first heard.
package struct HeardDevices {
  /// A device.
  package struct Device: Hashable, Sendable {
    package var address: DeviceAddress
    /// The name in its advertising or scan response; nil if it has none.
    package var name: String?
    /// The signal strength in dBm when it was last heard.
    package var rssi: Int8
    package var services: [BluetoothUUID] = []
    package var isConnectable = false

    /// The device as a line of a list.
    package var line: String {
      let services = services.map(\.profileName).joined(separator: ", ")
      return "\(address)  \(rssi) dBm  \(name ?? "-")\(services.isEmpty ? "" : "  [\(services)]")"
        + (isConnectable ? "" : "  not connectable")
    }
  }

  /// The devices.
  package private(set) var devices: [Device] = []
  private var places: [DeviceAddress: Int] = [:]

  /// Collects the devices of advertisements.
  package init(_ advertisements: [Advertisement]) {
    for heard in advertisements {
      let place = places[heard.address] ?? devices.count
      if place == devices.count {
        places[heard.address] = place
        devices.append(Device(address: heard.address, rssi: heard.rssi))
      }
      devices[place].rssi = heard.rssi
      devices[place].name = heard.data.localName ?? devices[place].name
      for service in heard.data.services where !devices[place].services.contains(service) {
        devices[place].services.append(service)
      }
      devices[place].isConnectable = devices[place].isConnectable || heard.isConnectable
    }
  }
}
