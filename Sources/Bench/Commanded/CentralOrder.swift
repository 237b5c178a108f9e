import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import CentralHost

/// A command to a central: `{"do": "connect", "peer": "F0:00:00:00:00:01"}`, and so on.
enum CentralOrder {
  /// `{"do": "security", "pairing": "display", …}`: the keys of a profile's `security`.
  case security(SecurityDefinition)
  /// `connect`, `disconnect`, `pair` (with `"anew": true` even if there is a bond), `answer` (with `accept` or `passkey`).
  case request(CentralRequest)
  /// `discover`, `read` (`handle`), `write` (`handle`, `hex`).
  case operation(GATTOperation, ConnectionHandle)
  /// `forget`: all bonds.
  case forget

  /// Reads a command from its fields.
  init(_ value: ProfileValue) throws(ProfileValueError) {
    guard case .object(var fields) = value, case .string(let verb) = fields.removeValue(forKey: "do") else {
      throw ProfileValueError("expected an object with 'do'")
    }
    switch verb {
    case "security": self = .security(try SecurityDefinition.load(.object(fields)))
    case "connect": self = .request(.connect(try Self.connection(fields)))
    case "disconnect":
      self = .request(.disconnect(try Self.link(fields), reason: .remoteUserTerminatedConnection))
    case "pair":
      self = .request(fields["anew"] == .bool(true) ? .pairAnew(try Self.link(fields)) : .pair(try Self.link(fields)))
    case "answer": self = .request(.answerPairing(try Self.link(fields), try Self.answer(fields)))
    case "discover": self = .operation(.discoverAll, try Self.link(fields))
    case "read": self = .operation(.read(try Self.number(fields, "handle")), try Self.link(fields))
    case "write":
      guard let octets = ProfileValue.object(["hex": fields["hex"] ?? .null]).octets else {
        throw ProfileValueError("write needs 'hex'")
      }
      self = .operation(.write(try Self.number(fields, "handle"), octets), try Self.link(fields))
    case "forget": self = .forget
    default: throw ProfileValueError("there is no '\(verb)'")
    }
  }

  private static func connection(_ fields: [String: ProfileValue]) throws(ProfileValueError) -> ConnectionRequest {
    guard case .string(let text) = fields["peer"], let peer = DeviceAddress(text) else {
      throw ProfileValueError("connect needs the address of a 'peer'")
    }
    let isPublic = fields["type"] == .string("public")
    return ConnectionRequest(
      to: peer, type: isPublic ? .publicDevice : .random,
      parameters: LinkParameters(interval: .microseconds(7500), timeout: .seconds(2)))
  }

  private static func answer(_ fields: [String: ProfileValue]) throws(ProfileValueError) -> PairingAnswer {
    if case .int(let number) = fields["passkey"], let passkey = UInt32(exactly: number) { return .passkey(passkey) }
    guard case .bool(let accepts) = fields["accept"] else {
      throw ProfileValueError("answer needs 'accept' or 'passkey'")
    }
    return accepts ? .accept : .refuse
  }

  private static func link(_ fields: [String: ProfileValue]) throws(ProfileValueError) -> ConnectionHandle {
    ConnectionHandle(rawValue: try number(fields, "connection"))
  }

  private static func number(_ fields: [String: ProfileValue], _ name: String) throws(ProfileValueError) -> UInt16 {
    guard case .int(let number) = fields[name], let value = UInt16(exactly: number) else {
      throw ProfileValueError("the number '\(name)' is missing")
    }
    return value
  }
}
