import BLECore
import BLESMP

/// The layouts of Security Manager packets.
enum SMPTree {
  static let packets: [UInt8: any SMPPacket.Type] = {
    let all: [any SMPPacket.Type] = [
      PairingRequest.self, PairingResponse.self, PairingConfirm.self, PairingRandom.self, PairingFailed.self,
      EncryptionInformation.self, CentralIdentification.self, IdentityInformation.self,
      IdentityAddressInformation.self, SigningInformation.self, SecurityRequest.self, PairingPublicKey.self,
      PairingDHKeyCheck.self, PairingKeypressNotification.self,
    ]
    return Dictionary(uniqueKeysWithValues: all.map { ($0.code.rawValue, $0) })
  }()

  /// Returns the length of a packet's contents; nil for an unknown code.
  static func length(of code: SMPCode) -> Int? { lengths[code.rawValue] }

  private static let lengths: [UInt8: Int] = [
    0x01: 6, 0x02: 6, 0x03: 16, 0x04: 16, 0x05: 1, 0x06: 16, 0x07: 10, 0x08: 16, 0x09: 7, 0x0A: 16, 0x0B: 1, 0x0C: 64,
    0x0D: 16, 0x0E: 1,
  ]

  static let names: [UInt8: String] = [
    0x01: "Pairing Request", 0x02: "Pairing Response", 0x03: "Pairing Confirm", 0x04: "Pairing Random",
    0x05: "Pairing Failed", 0x06: "Encryption Information", 0x07: "Central Identification",
    0x08: "Identity Information", 0x09: "Identity Address Information", 0x0A: "Signing Information",
    0x0B: "Security Request", 0x0C: "Pairing Public Key", 0x0D: "Pairing DHKey Check", 0x0E: "Keypress Notification",
  ]
}
