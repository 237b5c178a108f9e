import AccessoryProfile
import BLECore

extension RuntimeState {
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
    self.init()
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
