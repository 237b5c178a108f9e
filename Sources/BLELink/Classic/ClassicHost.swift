import BLECore
import BLEGATT
import BLEL2CAP
import BLESDP

/// What a host has on BR/EDR besides its links: the channels that peers can open, and its Service Discovery Server.
struct ClassicHost: Sendable {
  /// The channels that peers can open.
  let published: [PublishedClassicChannel]
  /// Whether clients can open enhanced bearers, which the records of GATT services then say.
  private let hasEnhancedBearers: Bool
  /// The number of octets that wait at most on a channel of an ATT bearer.
  static let attributeQueueLimit = 16 * 1024
  /// The server of the service records.
  var discovery: SDPServer
  /// The records of GATT services, with the services that they describe.
  private var serviceRecords: [ServiceEntry: ServiceRecordHandle] = [:]
  private var tickets: UInt64 = 0

  /// A service as its record describes it.
  struct ServiceEntry: Hashable, Sendable {
    var uuid: BluetoothUUID
    var handles: ClosedRange<UInt16>
  }

  /// Creates the host of a device with these service records, besides those of its GATT services.
  package init(records: [BLESDP.ServiceRecord], mtu: Int, hasEnhancedBearers: Bool) {
    self.hasEnhancedBearers = hasEnhancedBearers
    // Services other than Service Discovery need encryption (Core 5.4 Vol 3 Part C 5.2.2.8, security mode 4 level 2), and a device has at most
    // one ATT bearer that is not an enhanced one (Part G 5.4). The peer chooses the mode of either channel.
    published = [
      PublishedClassicChannel(
        psm: .serviceDiscovery, parameters: ClassicChannelParameters(mtu: 1024, mode: .basicOrRetransmission),
        maximumChannels: 4),
      PublishedClassicChannel(
        psm: .attributeProtocol,
        parameters: ClassicChannelParameters(
          mtu: mtu, queueLimit: Self.attributeQueueLimit, mode: .basicOrRetransmission),
        requirement: AccessRequirement(protection: .encrypted), maximumChannels: 1),
    ]
    discovery = SDPServer()
    for record in records { discovery.database.add(record) }
  }

  /// Updates the records of GATT services (Core 5.4 Vol 3 Part G 9). A record whose service stays keeps its handle.
  mutating func describe(_ database: AttributeDatabase) {
    let services = database.services.filter { $0.isDiscoverable(over: .classic) }.map {
      ServiceEntry(uuid: $0.uuid, handles: $0.handles)
    }
    for (service, record) in serviceRecords where !services.contains(service) {
      discovery.database.remove(record)
      serviceRecords[service] = nil
    }
    for service in services where serviceRecords[service] == nil {
      serviceRecords[service] = discovery.database.add(
        .gatt(service.uuid, handles: service.handles, hasEnhancedBearers: hasEnhancedBearers))
    }
  }

  /// Returns a ticket for a channel that waits for encryption.
  mutating func nextTicket() -> AnswerTicket {
    tickets &+= 1
    return AnswerTicket(tickets)
  }
}
