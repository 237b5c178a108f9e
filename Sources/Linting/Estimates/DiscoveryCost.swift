import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT

/// The number of requests, each with its response, with which a client discovers the services, characteristics and descriptors of an accessory
/// (Core 5.4 Vol 3 Part G 4.4.1, 4.6.1, 4.7.1).
package struct DiscoveryCost: Hashable, Sendable {
  /// The requests for primary services.
  package var services = 0
  /// The requests for characteristics.
  package var characteristics = 0
  /// The requests for descriptors.
  package var descriptors = 0

  /// All requests.
  package var roundTrips: Int { services + characteristics + descriptors }
  /// The time at a connection interval of 30 ms.
  package var milliseconds: Int { roundTrips * Self.roundTrip }
  /// The milliseconds of a round trip at a connection interval of 30 ms. It takes two connection events: one for the request, one for the
  /// response. The client's host has its next request ready for the event after that.
  static let roundTrip = 2 * 30

  init(services: Int, characteristics: Int, descriptors: Int) {
    self.services = services
    self.characteristics = characteristics
    self.descriptors = descriptors
  }

  /// Counts the requests for a database at an ATT_MTU.
  init(_ database: AttributeDatabase, mtu: Int) {
    let primary = database.services.filter(\.isPrimary)
    // The last request is answered with Attribute Not Found.
    services = Self.responses(primary.map { $0.uuid.octetCount + 4 }, mtu) + 1
    for service in database.services where service.handles.count > 1 {
      let records = database.characteristics.filter { service.handles.contains($0.declaration) }
      characteristics += Self.responses(records.map { $0.definition.uuid.octetCount + 5 }, mtu) + 1
      let starts = records.map(\.declaration).sorted().dropFirst() + [service.handles.upperBound &+ 1]
      for (record, next) in zip(records.sorted { $0.declaration < $1.declaration }, starts) {
        let own = database.attributes.filter { $0.handle > record.value && $0.handle < max(next, 1) }
        descriptors += Self.responses(own.map { $0.type.octetCount + 2 }, mtu)
      }
    }
  }

  /// Returns the number of responses that carry entries of these sizes, in order. The entries in one response have the same size.
  private static func responses(_ sizes: [Int], _ mtu: Int) -> Int {
    var count = 0
    var position = 0
    while position < sizes.count {
      let fits = max(1, (mtu - 2) / sizes[position])
      let run = sizes[position...].prefix(fits).prefix { $0 == sizes[position] }.count
      position += run
      count += 1
    }
    return count
  }
}

extension LintSubject {
  /// Returns the accessory's attribute database; nil if its attributes cannot be laid out.
  func database(groupsByUUIDSize: Bool? = nil) -> AttributeDatabase? {
    try? AttributeDatabase(
      host: [
        .genericAccess(
          name: profile.name, appearance: profile.appearance.rawValue, preferredParameters: nil,
          isPrivate: profile.privacy.isPrivate), profile.gatt.service,
      ],
      application: profile.services, groupsByUUIDSize: groupsByUUIDSize ?? profile.gatt.groupsByUUIDSize)
  }

  /// Returns the cost of discovery at the profile's MTU; nil if the attributes cannot be laid out.
  func discoveryCost(groupsByUUIDSize: Bool? = nil) -> DiscoveryCost? {
    database(groupsByUUIDSize: groupsByUUIDSize).map { DiscoveryCost($0, mtu: profile.connection.mtu) }
  }
}
