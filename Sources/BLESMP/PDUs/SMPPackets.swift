// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore
import BLECryptography

/// The code of a Security Manager packet (Core 5.4 Vol 3 Part H 3.3).
public struct SMPCode: OpenCode {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let pairingRequest = SMPCode(rawValue: 0x01)
  public static let pairingResponse = SMPCode(rawValue: 0x02)
  public static let pairingConfirm = SMPCode(rawValue: 0x03)
  public static let pairingRandom = SMPCode(rawValue: 0x04)
  public static let pairingFailed = SMPCode(rawValue: 0x05)
  public static let encryptionInformation = SMPCode(rawValue: 0x06)
  public static let centralIdentification = SMPCode(rawValue: 0x07)
  public static let identityInformation = SMPCode(rawValue: 0x08)
  public static let identityAddressInformation = SMPCode(rawValue: 0x09)
  public static let signingInformation = SMPCode(rawValue: 0x0A)
  public static let securityRequest = SMPCode(rawValue: 0x0B)
  public static let pairingPublicKey = SMPCode(rawValue: 0x0C)
  public static let pairingDHKeyCheck = SMPCode(rawValue: 0x0D)
  public static let pairingKeypressNotification = SMPCode(rawValue: 0x0E)
}

/// The data after the code of a Security Manager packet.
package protocol SMPPacket: OctetLayout {
  /// The code.
  static var code: SMPCode { get }
}

extension SMPPacket {
  /// The packet, starting with its code.
  package var packet: [UInt8] { [Self.code.rawValue] + encoded }
}

/// A packet from the peer.
enum SMPInput {
  case pairingRequest(PairingFeatures)
  case pairingResponse(PairingFeatures)
  case confirm([UInt8])
  case random([UInt8])
  case failed(PairingFailed.Reason)
  case publicKey(PublicKey)
  case dhKeyCheck([UInt8])
  case keypress(Keypress)
  case securityRequest(PairingRequirements)
  case key(DistributedKey)

  /// Decodes a packet; nil for a code that is reserved for future use, which is ignored (3.3). Throws if the length does not match the
  /// code.
  init?(_ octets: Span<UInt8>) throws(LayoutFault) {
    guard octets.count > 0 else { return nil }
    let content = octets.extracting(1...)
    switch SMPCode(rawValue: octets[0]) {
    case .pairingRequest: self = .pairingRequest(try PairingRequest(decoding: content).features)
    case .pairingResponse: self = .pairingResponse(try PairingResponse(decoding: content).features)
    case .pairingConfirm: self = .confirm(try PairingConfirm(decoding: content).value)
    case .pairingRandom: self = .random(try PairingRandom(decoding: content).value)
    case .pairingFailed: self = .failed(try PairingFailed(decoding: content).reason)
    case .pairingPublicKey: self = .publicKey(try PairingPublicKey(decoding: content).key)
    case .pairingDHKeyCheck: self = .dhKeyCheck(try PairingDHKeyCheck(decoding: content).value)
    case .pairingKeypressNotification: self = .keypress(try PairingKeypressNotification(decoding: content).keypress)
    case .securityRequest: self = .securityRequest(try SecurityRequest(decoding: content).requirements)
    case .encryptionInformation: self = .key(.longTermKey(try EncryptionInformation(decoding: content).key))
    case .centralIdentification: self = .key(.identification(try CentralIdentification(decoding: content)))
    case .identityInformation: self = .key(.resolvingKey(try IdentityInformation(decoding: content).key))
    case .identityAddressInformation: self = .key(.address(try IdentityAddressInformation(decoding: content)))
    case .signingInformation: self = .key(.signingKey(try SigningInformation(decoding: content).key))
    default: return nil
    }
  }
}

/// A packet of the transport specific key distribution (Core 5.4 Vol 3 Part H 3.6).
enum DistributedKey {
  case longTermKey([UInt8])
  case identification(CentralIdentification)
  case resolvingKey([UInt8])
  case address(IdentityAddressInformation)
  case signingKey([UInt8])
}
