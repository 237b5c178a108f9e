import BLECore
import BLEGAP
import BLEHCI
import BLESMP
import Simulation

/// Everything that captures show about a device: its advertising, its connections and its server.
package struct ObservedDevice: Sendable {
  /// An address that it used; nil if its connection began before the capture.
  package var address: DeviceAddress?
  /// The type of the address.
  package var addressType = AddressType.random
  /// Its advertising sets, in the order of their first advertisements.
  package var sets: [ObservedSet] = []
  /// Its server.
  package var server = ObservedServer()
  /// Its connections, in order.
  package var links: [ObservedLink] = []
  /// The first connection parameters that it requested.
  package var parameters: ObservedParameters?
  /// Its features in its last pairing.
  package var pairing: PairingFeatures?
  /// The time from the start of the connection to its first Security Request; nil if it sent none.
  package var securityRequest: Duration?
  /// Its Server Rx MTU, in octets; nil if no client exchanged the MTU.
  package var mtu: Int?
  /// The number of requests that its own client sent to the central's server.
  package var clientRequests = 0
  /// The credit-based channels that centrals opened to it, by SPSM.
  package var channels: [UInt16: ObservedChannel] = [:]
  /// The number of encrypted packets that could not be read.
  package var unreadable = 0

  /// The name in its advertising, or else the Device Name that was read.
  package var name: String? {
    for set in sets {
      if let name = set.name { return name }
    }
    return deviceName
  }

  /// The Device Name that was read.
  package var deviceName: String? {
    guard let value = server.lastValue(of: BluetoothUUID(0x2A00)), !value.isEmpty else { return nil }
    return String(validating: value, as: UTF8.self)
  }

  /// Its name and address, for lists.
  package var title: String {
    "\(address.map { "\($0)" } ?? "an unknown address")  \(name ?? "-")"
  }

  /// Returns whether it has the filter's address or name, or advertises the filter's service.
  package func fits(_ filter: DeviceFilter) -> Bool {
    if deviceName == filter.text { return true }
    let data = sets.flatMap { $0.data + $0.responses }.map { AdvertisingData(parsing: $0) }
    let address = address ?? .zero
    return address == DeviceAddress(filter.text) || data.contains { filter.fits(address, $0) }
  }

  /// Adds observations of the same device under another address, or from another capture.
  package mutating func merge(_ other: ObservedDevice) {
    for set in other.sets {
      // A host's capture numbers all sets; a scanner sees a number only for extended ones.
      let place = sets.firstIndex {
        $0.key == set.key || $0.data.first == set.data.first && $0.key.isLegacy == set.key.isLegacy
      }
      if let place { sets[place].merge(set) } else { sets.append(set) }
    }
    server.merge(other.server)
    links = (links + other.links).sorted { $0.begin < $1.begin }
    parameters = parameters ?? other.parameters
    pairing = other.pairing ?? pairing
    securityRequest = securityRequest ?? other.securityRequest
    mtu = mtu ?? other.mtu
    clientRequests += other.clientRequests
    channels.merge(other.channels) { first, _ in first }
    unreadable += other.unreadable
    if address == nil { (address, addressType) = (other.address, other.addressType) }
  }
}

/// A connection of a device.
package struct ObservedLink: Hashable, Sendable {
  /// When it began, in nanoseconds since 1970-01-01 00:00 UTC.
  package var begin: Int64
  /// Whether it is encrypted now.
  package var isEncrypted = false
}

/// Connection parameters that a peripheral requests.
package struct ObservedParameters: Hashable, Sendable {
  /// The shortest connection interval, in 1.25 ms.
  package var shortest: UInt16
  /// The longest connection interval, in 1.25 ms.
  package var longest: UInt16
  /// The number of connection events that it may skip.
  package var latency: UInt16
  /// The supervision timeout, in 10 ms.
  package var timeout: UInt16
  /// The time since the start of the connection; nil if that was not seen.
  package var after: Duration?
}

/// A channel that a central opened to a device.
package struct ObservedChannel: Hashable, Sendable {
  /// The result of the request (Core 5.4 Vol 3 Part A 4.23); 0 for success.
  package var result: UInt16
  /// The longest SDU that the device receives, in octets.
  package var mtu: UInt16
}
