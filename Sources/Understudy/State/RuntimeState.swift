import AccessoryProfile
import BLECore

/// The changes of an accessory at run time that are restored at its next start.
struct RuntimeState: Hashable, Sendable {
  /// Advertising sets that were started or stopped, and whether they are on.
  var advertising: [String: Bool] = [:]
  /// The PSMs that the host has chosen for channels of the profile, by their ids.
  var psms: [String: UInt16] = [:]
  /// The values of characteristics that the profile declares persistent, by their ids.
  var values: [String: [UInt8]] = [:]
  /// The channels that were published at run time, with the keys of a profile's channel, in order.
  var published: [ProfileValue] = []
  /// The ids of the profile's channels that are no longer published.
  var unpublished: [String] = []
  /// The changes of services, in order.
  var services: [ServiceChange] = []

  /// A change of a service. The service is stored in its original text, because the order of its keys matters.
  enum ServiceChange: Hashable, Sendable {
    case add(id: String, json: String)
    case replace(id: String, json: String)
    case remove(id: String)

    var id: String {
      switch self {
      case .add(let id, _), .replace(let id, _), .remove(let id): id
      }
    }
  }

  /// Adds a change of a service, without what it supersedes: a service that was added at run time and then
  /// removed leaves no trace, and of several replacements only the last counts.
  mutating func note(_ change: ServiceChange) {
    switch change {
    case .add: services.append(change)
    case .replace(let id, let json):
      guard let place = services.lastIndex(where: { $0.id == id }) else { return services.append(change) }
      if case .add = services[place] { services[place] = .add(id: id, json: json) } else { services[place] = change }
    case .remove(let id):
      let first = services.first { $0.id == id }
      services.removeAll { $0.id == id }
      if case .add = first { return }
      services.append(change)
    }
  }
}

extension RuntimeState {
  /// Adds or updates a published channel.
  mutating func note(published channel: ProfileValue) {
    guard let id = channel.channelID else { return }
    if let place = published.firstIndex(where: { $0.channelID == id }) {
      published[place] = channel
    } else {
      published.append(channel)
    }
  }

  /// Notes that a channel is no longer published.
  mutating func note(unpublished id: String) {
    if let place = published.firstIndex(where: { $0.channelID == id }) {
      published.remove(at: place)
    } else if !unpublished.contains(id) {
      unpublished.append(id)
    }
  }

  var json: [String: ProfileValue] {
    [
      "advertising": .object(advertising.mapValues { .bool($0) }),
      "psms": .object(psms.mapValues { .int(Int64($0)) }),
      "values": .object(values.mapValues { .string($0.hexadecimal) }),
      "services": .array(services.map(\.json)), "published": .array(published),
      "unpublished": .array(unpublished.map { .string($0) }),
    ]
  }

  init(json fields: [String: ProfileValue]) throws(ProfileValueError) {
    var reading = FieldReading(fields)
    if var fields = try reading.object("advertising") {
      advertising = try fields.rest { fields, name throws(ProfileValueError) in try fields.truth(name) }
    }
    if var fields = try reading.object("psms") {
      psms = try fields.rest { fields, name throws(ProfileValueError) in
        UInt16(clamping: try fields.integer(name, in: 0x80...0xFF))
      }
    }
    if var fields = try reading.object("values") {
      values = try fields.rest { fields, name throws(ProfileValueError) in try fields.octets(name) }
    }
    published = try reading.list("published")
    unpublished = try reading.list("unpublished").map { value throws(ProfileValueError) in
      guard case .string(let id) = value else { throw ProfileValueError("unpublished is not a list of texts") }
      return id
    }
    services = try reading.list("services").map { value throws(ProfileValueError) in try ServiceChange(value) }
    try reading.finish()
  }
}

extension RuntimeState.ServiceChange {
  fileprivate var json: ProfileValue {
    switch self {
    case .add(let id, let json): .object(["add": .string(id), "service": .string(json)])
    case .replace(let id, let json): .object(["replace": .string(id), "service": .string(json)])
    case .remove(let id): .object(["remove": .string(id)])
    }
  }

  fileprivate init(_ value: ProfileValue) throws(ProfileValueError) {
    var reading = try FieldReading(value, place: "services")
    let service = try reading.text("service")
    if let id = try reading.text("remove") {
      self = .remove(id: id)
    } else if let id = try reading.text("add"), let service {
      self = .add(id: id, json: service)
    } else if let id = try reading.text("replace"), let service {
      self = .replace(id: id, json: service)
    } else {
      throw ProfileValueError("services has a change without add, replace or remove")
    }
    try reading.finish()
  }
}

extension ProfileValue {
  /// The id of a channel, which has the keys of a profile's channel.
  fileprivate var channelID: String? {
    guard case .object(let fields) = self, case .string(let id) = fields["id"] else { return nil }
    return id
  }
}
