import AccessoryProfile
import BLECore
import BLEHCI
import BLELink
import BLESMP
import Testing

@testable import Understudy

@Suite("Events of pairing")
struct SecurityEventTests {
  private static let bond: Bond = {
    var bond = Bond(
      peer: TypedAddress(address: DeviceAddress(bits: 0xC000_0000_0001), isRandom: true),
      strength: KeyStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16))
    bond.keyAsPeripheral = LongTermKey(key: Array(repeating: 0xAB, count: 16))
    bond.identityResolvingKey = Array(repeating: 0xCD, count: 16)
    return bond
  }()

  private func json(_ event: SecurityEvent) -> ProfileValue {
    AccessoryEvent(time: .zero, kind: .host(.security(ConnectionHandle(rawValue: 3), event)), characteristic: nil).json
  }

  @Test(
    "All match the list",
    arguments: [
      .requested([.bonding, .secureConnections]), .pairing(.justWorks, isSecureConnections: false),
      .pairing(.passkeyEntry(typist: .both), isSecureConnections: true),
      .pairing(.numericComparison, isSecureConnections: true), .pairing(.outOfBand, isSecureConnections: true),
      .keypress(.digitErased), .keypress(Keypress(rawValue: 0x77)), .securityChanged(.open),
      .securityChanged(LinkSecurity(protection: .secureConnections, keySize: 16, isBonded: true)),
      .paired(bond, bonded: true), .failed(PairingFailed.Reason(rawValue: 0x0C), byPeer: true),
      .failed(PairingFailed.Reason(rawValue: 0x99), byPeer: false), .timedOut, .cut, .keyMissing,
    ] as [SecurityEvent])
  func schema(_ event: SecurityEvent) {
    #expect(EventSchema.mistakes(in: json(event)) == [])
  }

  private func text(_ field: String, of event: SecurityEvent) -> String? {
    guard case .object(let fields) = json(event), case .string(let text) = fields[field] else { return nil }
    return text
  }

  @Test("Keys are never reported")
  func noKeys() {
    let text = json(.paired(Self.bond, bonded: true)).jsonText.lowercased()
    #expect(!text.contains("abab") && !text.contains("cdcd"))
    #expect(text.contains(#""peer":"c0:00:00:00:00:01""#))
  }

  @Test("Failures use the terms of the specification")
  func failures() {
    #expect(text("reason", of: .failed(PairingFailed.Reason(rawValue: 0x04), byPeer: false)) == "confirm-value-failed")
    #expect(text("reason", of: .failed(PairingFailed.Reason(rawValue: 0x99), byPeer: true)) == "0x99")
    #expect(text("reason", of: .timedOut) == "timed-out" && text("reason", of: .cut) == "disconnected")
  }

  @Test("The event states who types the passkey")
  func typists() {
    let words = [AssociationModel.Typist.own, .peer, .both].map {
      text("typist", of: .pairing(.passkeyEntry(typist: $0), isSecureConnections: true))
    }
    #expect(words == ["accessory", "central", "both"])
  }
}
