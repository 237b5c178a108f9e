import BLECore
import BLECryptography
import BLESMP
import Capture

/// A connection on the air, from its connection indication: a legacy pairing with a passkey, then one encrypted notification of the
/// attribute 3.
struct LegacyPairingOnAir {
  let passkey: UInt32

  private static let accessAddress: UInt32 = 0x5065_5D43
  private static let initiator: [UInt8] = [1, 0, 0, 0, 0, 0xC0]
  private static let responder: [UInt8] = [2, 0, 0, 0, 0, 0xC0]
  private static let request: [UInt8] = [1, 4, 0, 5, 16, 0, 0]
  private static let response: [UInt8] = [2, 0, 0, 5, 16, 0, 0]
  private static let randoms = [[UInt8](repeating: 0x11, count: 16), [UInt8](repeating: 0x22, count: 16)]
  private static let diversifiers = [[UInt8](repeating: 0x33, count: 8), [UInt8](repeating: 0x44, count: 8)]
  private static let vectors: [[UInt8]] = [[1, 2, 3, 4], [5, 6, 7, 8]]
  private static let notification: [UInt8] = [5, 0, 4, 0, 0x1B, 3, 0, 0, 80]

  private var temporaryKey: [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: passkey >> (8 * $0)) } + [UInt8](repeating: 0, count: 12)
  }

  /// Everything up to the last random value, which determines the passkey.
  var pairing: [CaptureRecord] {
    let access = (0..<4).map { UInt8(truncatingIfNeeded: Self.accessAddress >> (8 * $0)) }
    let connect = [0xC5, 34] + Self.initiator + Self.responder + access + [UInt8](repeating: 0, count: 18)
    let confirms = Self.randoms.map { random in
      SecurityToolbox.c1(
        key: temporaryKey, random: random, request: Self.request, response: Self.response,
        initiator: Self.identity(Self.initiator), responder: Self.identity(Self.responder))
    }
    let packets = [
      Self.request, Self.response, [3] + confirms[0], [3] + confirms[1], [4] + Self.randoms[0], [4] + Self.randoms[1],
    ]
    return [CaptureRecord(.air(AirReception(accessAddress: AirReception.advertisingAccessAddress)), octets: connect)]
      + packets.enumerated().map { place, packet in
        Self.data(2, [UInt8(packet.count), 0, 6, 0] + packet, toPeripheral: place % 2 == 0)
      }
  }

  /// The start of encryption, and the packets that follow.
  var encrypted: [CaptureRecord] {
    let start = [0x03] + [UInt8](repeating: 0, count: 10) + Self.diversifiers[0] + Self.vectors[0]
    return [
      Self.data(3, start, toPeripheral: true),
      Self.data(3, [0x04] + Self.diversifiers[1] + Self.vectors[1], toPeripheral: false),
      Self.data(2, encryptedNotification, toPeripheral: false),
    ]
  }

  /// The octets of the notification before encryption.
  static let decrypted = [0x02, UInt8(notification.count)] + notification

  private static func identity(_ octets: [UInt8]) -> TypedAddress {
    let bits = octets.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return TypedAddress(address: DeviceAddress(bits: bits), isRandom: true)
  }

  private static func data(_ kind: UInt8, _ payload: [UInt8], toPeripheral: Bool) -> CaptureRecord {
    CaptureRecord(
      .air(AirReception(accessAddress: accessAddress, kind: toPeripheral ? .toPeripheral : .toCentral)),
      octets: [kind, UInt8(payload.count)] + payload)
  }

  /// CCM of one block with the first counter of the peripheral (Core 5.4 Vol 6 Part E 1 and 2).
  private var encryptedNotification: [UInt8] {
    let shortTermKey = SecurityToolbox.s1(key: temporaryKey, r1: Self.randoms[1], r2: Self.randoms[0])
    let diversifier = Self.diversifiers[0] + Self.diversifiers[1]
    let key = AESBlock.encrypt(key: shortTermKey.reversed(), diversifier.reversed())
    let nonce = [0, 0, 0, 0, 0] + Self.vectors[0] + Self.vectors[1]
    func sum(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] { zip(one, other).map { $0 ^ $1 } }
    let payload = Self.notification
    let padded = payload + [UInt8](repeating: 0, count: 16 - payload.count)
    let length = UInt8(payload.count)
    var check = AESBlock.encrypt(key: key, [0x49] + nonce + [0, length])
    check = AESBlock.encrypt(key: key, sum(check, [0, 1, 0x02] + [UInt8](repeating: 0, count: 13)))
    check = AESBlock.encrypt(key: key, sum(check, padded))
    return sum(payload, AESBlock.encrypt(key: key, [1] + nonce + [0, 1]))
      + sum(Array(check.prefix(4)), AESBlock.encrypt(key: key, [1] + nonce + [0, 0]))
  }
}
