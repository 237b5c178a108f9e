import AccessoryProfile
import BLECore
import BLEGATT
import HTTPTypes
import Understudy

/// What requests say about the servers of centrals.
enum RemoteRequests {
  /// The fields that name a characteristic.
  static let targetFields = ["uuid", "service", "handle"]

  /// A value to write.
  struct Write {
    var target: RemoteTarget
    var value: [UInt8]
    var withResponse: Bool
  }

  /// What is wanted of a characteristic; nil for what it can.
  struct Subscription {
    var target: RemoteTarget
    var configuration: ClientConfiguration?
  }

  /// The characteristic of `{"uuid": "2A19"}`, `{"uuid": "battery-level", "service": "battery"}` or `{"handle": 12}`.
  static func target(_ fields: [String: ProfileValue]) throws(Refusal) -> RemoteTarget {
    switch (fields["uuid"], fields["handle"]) {
    case (let uuid?, nil):
      let service: BluetoothUUID? =
        if let name = fields["service"] { try self.uuid(name, .service, field: "service") } else { nil }
      return .uuid(try self.uuid(uuid, .characteristic, field: "uuid"), service: service)
    case (nil, .int(let number)?):
      guard let handle = UInt16(exactly: number), handle > 0 else {
        throw Refusal(.badRequest, "handle wants a whole number from 1 to 65535")
      }
      guard fields["service"] == nil else { throw Refusal(.badRequest, "service goes with uuid, not with handle") }
      return .handle(handle)
    case (nil, _?): throw Refusal(.badRequest, "handle wants a whole number from 1 to 65535")
    case (_?, _?): throw Refusal(.badRequest, "either uuid or handle is wanted, not both")
    case (nil, nil): throw Refusal(.badRequest, "uuid or handle is missing")
    }
  }

  private static func uuid(
    _ value: ProfileValue, _ kind: AssignedName.Kind, field: String
  ) throws(Refusal) -> BluetoothUUID {
    guard case .string(let text) = value,
      let uuid = AssignedName.uuid(named: text, kind: kind) ?? BluetoothUUID(text)
    else { throw Refusal(.badRequest, "\(field) wants a UUID or the name of an assigned \(kind.rawValue)") }
    return uuid
  }

  /// The write of `{"uuid": "2A06", "hex": "02"}`, or with `value` as the format of an assigned characteristic has it;
  /// `"response": false` sends it as a command.
  static func write(_ body: ProfileValue?) throws(Refusal) -> Write {
    let fields = try JSONBody.fields(body, known: targetFields + ["hex", "value", "response"])
    let target = try target(fields)
    return Write(
      target: target, value: try octets(fields, target), withResponse: try flag(fields, "response") ?? true)
  }

  private static func octets(_ fields: [String: ProfileValue], _ target: RemoteTarget) throws(Refusal) -> [UInt8] {
    switch (fields["hex"], fields["value"]) {
    case (let hex?, nil):
      guard let octets = ProfileValue.object(["hex": hex]).octets else {
        throw Refusal(.badRequest, "hex wants a text of pairs of hexadecimal digits, as \"0102\"")
      }
      return octets
    case (nil, let value?):
      let format: ValueFormat = if case .uuid(let uuid, _) = target { .assigned(to: uuid) } else { .octets }
      do throws(ProfileValueError) { return try format.encode(value) } catch {
        throw Refusal(.badRequest, "value: \(error.message)")
      }
    case (_?, _?): throw Refusal(.badRequest, "either hex or value is wanted, not both")
    case (nil, nil): throw Refusal(.badRequest, "hex or value is missing")
    }
  }

  /// The subscription of `{"uuid": "2A19"}`, with `notify` and `indicate` where not just what the characteristic can is wanted;
  /// both false ends it.
  static func subscription(_ body: ProfileValue?) throws(Refusal) -> Subscription {
    let fields = try JSONBody.fields(body, known: targetFields + ["notify", "indicate"])
    let target = try target(fields)
    let (notify, indicate) = (try flag(fields, "notify"), try flag(fields, "indicate"))
    guard notify != nil || indicate != nil else { return Subscription(target: target) }
    var configuration: ClientConfiguration = []
    if notify == true { configuration.insert(.notification) }
    if indicate == true { configuration.insert(.indication) }
    return Subscription(target: target, configuration: configuration)
  }

  private static func flag(_ fields: [String: ProfileValue], _ name: String) throws(Refusal) -> Bool? {
    switch fields[name] {
    case nil: return nil
    case .bool(let flag): return flag
    default: throw Refusal(.badRequest, "\(name) must be true or false")
    }
  }
}
