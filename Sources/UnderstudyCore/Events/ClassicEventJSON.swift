import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import BLELink
import BLESDP

extension HostEvent {
  /// Returns the fields of the answer to a request for a name.
  static func remoteName(of address: DeviceAddress, _ name: String?, _ status: ErrorCode) -> [String: ProfileValue] {
    let answer = name.map { ("name", ProfileValue.string($0)) } ?? ("reason", .string("\(status)"))
    return ["address": .string("\(address)"), answer.0: answer.1]
  }
}

extension InquiredDevice {
  /// Its fields.
  package var json: [String: ProfileValue] {
    var fields: [String: ProfileValue] = [
      "address": .string("\(address)"),
      "class_of_device": .int(Int64(classOfDevice)),
      "kind": .string(ClassOfDevice(rawValue: classOfDevice).meaning ?? ""),
      "data": .string(octets.hexadecimal),
    ]
    if let name = data.localName { fields["name"] = .string(name) }
    if let rssi { fields["rssi"] = .int(Int64(rssi)) }
    return fields
  }
}

extension Result<SDPClient.Answer, RecordSearchFailure> {
  /// The records, or the reason for which there are none.
  var json: [String: ProfileValue] {
    switch self {
    case .success(.records(let records)): ["records": .array(records.map { .object($0.json) })]
    case .success(.handles(let handles)): ["handles": .array(handles.map { .int(Int64($0.rawValue)) })]
    case .failure(let failure): ["reason": .string("\(failure)")]
    }
  }
}

extension BLESDP.ServiceRecord {
  /// The attributes that say what the service is, and where.
  package var json: [String: ProfileValue] {
    var fields: [String: ProfileValue] = ["classes": .array(serviceClasses.map { .string($0.profileName) })]
    if let name = name(.serviceName) { fields["name"] = .string(name) }
    if let psm = protocols.first(where: { $0.uuid == .l2cap })?.number { fields["psm"] = .whole(psm) }
    return fields
  }
}
