import BLECore
import BLECryptography

/// The key of one encrypted session of a link (Core 5.4 Vol 6 Part B 5.1.3.1).
struct SessionKey: Hashable, Sendable {
  let bits: UInt128

  /// Computes SK = e(LTK, SKD). The long-term key is in HCI order, least significant octet first. The diversifier is the concatenation of
  /// both ends' halves, the central's in the low bits.
  init(longTermKey: [UInt8], central: UInt64, peripheral: UInt64) {
    let diversifier = UInt128(peripheral) << 64 | UInt128(central)
    let octets = (0..<16).reversed().map { UInt8(truncatingIfNeeded: diversifier >> (8 * UInt128($0))) }
    bits = AESBlock.encrypt(key: longTermKey.reversed(), octets).reduce(0) { $0 << 8 | UInt128($1) }
  }
}

/// One end's random values for a session: its halves of the session key diversifier and of the initialization vector (Core 5.4 Vol 6 Part B
/// 2.4.2.4, 2.4.2.5).
struct SessionShare: Hashable, Sendable {
  var keyDiversifier: UInt64
  var initializationVector: UInt32

  func encode(into buffer: inout OctetBuffer) {
    buffer.append(littleEndian: keyDiversifier)
    buffer.append(littleEndian: initializationVector)
  }
}

/// The contents of LL_ENC_REQ (Core 5.4 Vol 6 Part B 2.4.2.4).
struct EncryptionRequest: Hashable, Sendable {
  var random: UInt64
  var encryptedDiversifier: UInt16
  var share: SessionShare
}

/// The key with which a central's host requests encryption (Core 5.4 Vol 4 Part E 7.8.24).
struct EncryptionParameters: Hashable, Sendable {
  var random: UInt64
  var encryptedDiversifier: UInt16
  /// Least significant octet first.
  var longTermKey: [UInt8]
}

/// The encryption state of one link end (Core 5.4 Vol 6 Part B 5.1.3).
struct LinkEncryption {
  /// The stage of the procedure at this end.
  enum Stage: Hashable, Sendable {
    case idle
    /// Encryption is paused, to restart with another key.
    case pausing
    /// The central waits for the answer to its LL_ENC_REQ.
    case requested(EncryptionParameters, SessionShare)
    /// The peripheral's host is asked for the key, with the request and this end's own share.
    case askingHost(EncryptionRequest, SessionShare)
    /// The key is known, and the first encrypted PDU is still to come.
    case starting(SessionKey)
  }

  var stage = Stage.idle
  /// The key for sending; nil while this end sends plain text.
  var transmitKey: SessionKey?
  /// The key for receiving.
  var receiveKey: SessionKey?
  /// Whether the link was encrypted before the procedure, which then replaces the key.
  var isRefresh = false

  /// Whether data and other procedures wait until the procedure ends.
  var isHolding: Bool { stage != .idle }
  /// Whether the peripheral waits for its host's answer about the key.
  var asksHost: Bool { if case .askingHost = stage { true } else { false } }
  var isOn: Bool { transmitKey != nil && receiveKey != nil }
}

extension ControlPDU {
  /// Whether the PDU may be sent while encryption is being started or paused (Core 5.4 Vol 6 Part B 5.1.3.1, 5.1.3.2).
  var passesDuringEncryption: Bool {
    switch self {
    case .encryptionRequest, .encryptionResponse, .startEncryptionRequest, .startEncryptionResponse,
      .pauseEncryptionRequest, .pauseEncryptionResponse, .reject, .terminate, .unknownResponse:
      true
    case .rejectExtended(let opcode, _): opcode == ControlPDU.encryptionRequestOpcode
    default: false
    }
  }

  static let encryptionRequestOpcode: UInt8 = 0x03
}
