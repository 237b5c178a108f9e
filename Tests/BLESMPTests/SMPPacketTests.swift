import BLECore
import BLESMP
import Testing

/// Core 5.4 Vol 3 Part H 3.5, 3.6.
@Suite("Security Manager packets")
struct SMPPacketTests {
  private static let sixteen = Array(UInt8(1)...16)
  private static let features = Array(UInt8(4)...9)

  static let packets: [(any SMPPacket.Type, [UInt8])] = [
    (PairingRequest.self, [0x01, 0x04, 0x01, 0x2D, 0x10, 0x0F, 0x0B]),
    (PairingResponse.self, [0x02, 0x03, 0x00, 0x01, 0x07, 0x02, 0x03]),
    (PairingConfirm.self, [0x03] + sixteen),
    (PairingRandom.self, [0x04] + sixteen),
    (PairingFailed.self, [0x05, 0x08]),
    (EncryptionInformation.self, [0x06] + sixteen),
    (CentralIdentification.self, [0x07, 0x34, 0x12, 8, 7, 6, 5, 4, 3, 2, 1]),
    (IdentityInformation.self, [0x08] + sixteen),
    (IdentityAddressInformation.self, [0x09, 0x01, 6, 5, 4, 3, 2, 0xC1]),
    (SigningInformation.self, [0x0A] + sixteen),
    (SecurityRequest.self, [0x0B, 0x2D]),
    (PairingPublicKey.self, [0x0C] + Array(UInt8(1)...64)),
    (PairingDHKeyCheck.self, [0x0D] + sixteen),
    (PairingKeypressNotification.self, [0x0E, 0x03]),
  ]

  private func decode<Packet: SMPPacket>(_ type: Packet.Type, _ octets: [UInt8]) throws -> any SMPPacket {
    try Packet(decoding: octets)
  }

  @Test("Each packet decodes and encodes unchanged, and has only that length", arguments: packets.indices)
  func roundTrip(index: Int) throws {
    let (type, octets) = Self.packets[index]
    #expect(type.code.rawValue == octets[0])
    let content = Array(octets.dropFirst())
    #expect(try decode(type, content).packet == octets)
    for count in 0..<content.count {
      #expect(throws: LayoutFault.self) { try decode(type, Array(content.prefix(count))) }
    }
    #expect(throws: LayoutFault.self) { try decode(type, content + [0]) }
  }

  @Test("The fields are where the specification has them")
  func fields() throws {
    let features = try PairingRequest(decoding: [0x04, 0x01, 0x2D, 0x10, 0x0F, 0x0B]).features
    #expect(features.ioCapability == IOCapability.keyboardDisplay.rawValue)
    #expect(features.outOfBandFlag == 1)
    #expect(features.requirements == [.bonding, .authentication, .secureConnections, .h7])
    #expect(features.maximumKeySize == 16)
    #expect(features.initiatorKeys == [.encryption, .identity, .signing, .link])
    #expect(features.responderKeys == [.encryption, .identity, .link])
    let name = try CentralIdentification(decoding: [0x34, 0x12, 8, 7, 6, 5, 4, 3, 2, 1])
    #expect(name.diversifier == 0x1234)
    #expect(name.random == 0x0102_0304_0506_0708)
    let identity = try IdentityAddressInformation(decoding: [0x01, 6, 5, 4, 3, 2, 0xC1])
    #expect(identity.addressType == .random)
    #expect(identity.address.description == "C1:02:03:04:05:06")
  }
}
