import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT

/// What it costs a client to discover the services, characteristics and descriptors of an accessory (Core 5.4 Vol 3 Part G 4.4.1, 4.6.1,
/// 4.7.1): the number of requests, each with its response.
package struct DiscoveryCost: Hashable, Sendable {
  /// The requests for primary services, characteristics and descriptors.
  package var services = 0
  package var characteristics = 0
  package var descriptors = 0

  /// All requests.
  package var roundTrips: Int { services + characteristics + descriptors }
  /// The time at a connection interval of 30 ms.
  package var milliseconds: Int { roundTrips * Self.roundTrip }
  /// The milliseconds of a round trip at 30 ms, which takes two connection events: the response comes in the event after that of the
  /// request, and the client's host has its next request ready for the event after that.
  static let roundTrip = 2 * 30

  init(services: Int, characteristics: Int, descriptors: Int) {
    self.services = services
    self.characteristics = characteristics
    self.descriptors = descriptors
  }

  /// The cost of a database with an ATT MTU.
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

  /// Returns the number of responses that carry entries of these sizes, in order: those in one response all have the same size.
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
  /// The attributes as the accessory would have them; nil if they cannot be laid out.
  func database(groupsByUUIDSize: Bool? = nil) -> AttributeDatabase? {
    try? AttributeDatabase(
      host: [
        .genericAccess(
          name: profile.name, appearance: profile.appearance.rawValue, preferredParameters: nil,
          isPrivate: profile.privacy.isPrivate), profile.gatt.service,
      ],
      application: profile.services, groupsByUUIDSize: groupsByUUIDSize ?? profile.gatt.groupsByUUIDSize)
  }

  /// The cost of discovery with the MTU that an iPhone and the accessory agree on; nil if the attributes cannot be laid out.
  func discoveryCost(groupsByUUIDSize: Bool? = nil) -> DiscoveryCost? {
    database(groupsByUUIDSize: groupsByUUIDSize).map { DiscoveryCost($0, mtu: profile.connection.mtu) }
  }
}
