import BLECore

/// The key of one encrypted session of a link (Core 5.4 Vol 6 Part B 5.1.3.1).
struct SessionKey: Hashable, Sendable {
  let bits: UInt128

  /// SK = e(LTK, SKD). The long-term key as HCI carries it, least significant octet first; the diversifiers of both ends
  /// side by side, the central's below.
  init(longTermKey: [UInt8], central: UInt64, peripheral: UInt64) {
    let diversifier = UInt128(peripheral) << 64 | UInt128(central)
    let octets = (0..<16).reversed().map { UInt8(truncatingIfNeeded: diversifier >> (8 * UInt128($0))) }
    bits = AESBlock.encrypt(key: longTermKey.reversed(), octets).reduce(0) { $0 << 8 | UInt128($1) }
  }
}

/// What one end draws for a session: its halves of the session key diversifier and of the initialization vector
/// (Core 5.4 Vol 6 Part B 2.4.2.4, 2.4.2.5).
struct SessionShare: Hashable, Sendable {
  var keyDiversifier: UInt64
  var initializationVector: UInt32

  func encode(into buffer: inout OctetBuffer) {
    buffer.append(littleEndian: keyDiversifier)
    buffer.append(littleEndian: initializationVector)
  }
}

/// What LL_ENC_REQ tells the peripheral (Core 5.4 Vol 6 Part B 2.4.2.4).
struct EncryptionRequest: Hashable, Sendable {
  var random: UInt64
  var encryptedDiversifier: UInt16
  var share: SessionShare
}

/// What a central's host wants encrypted, and with which key (Core 5.4 Vol 4 Part E 7.8.24).
struct EncryptionParameters: Hashable, Sendable {
  var random: UInt64
  var encryptedDiversifier: UInt16
  /// Least significant octet first.
  var longTermKey: [UInt8]
}

/// One end's part in the encryption of a link (Core 5.4 Vol 6 Part B 5.1.3).
struct LinkEncryption {
  /// How far the procedure has come at this end.
  enum Stage: Hashable, Sendable {
    case idle
    /// Encryption pauses, to begin again with another key.
    case pausing
    /// The central waits for the answer to its LL_ENC_REQ.
    case requested(EncryptionParameters, SessionShare)
    /// The peripheral's host is asked for the key; its own share goes last.
    case askingHost(EncryptionRequest, SessionShare)
    /// The key is there, and the first encrypted PDU is still to come.
    case starting(SessionKey)
  }

  var stage = Stage.idle
  /// With what this end encrypts what it sends; nil while it sends in the clear.
  var transmitKey: SessionKey?
  /// With what this end decrypts what it receives.
  var receiveKey: SessionKey?
  /// Whether the link was encrypted before the procedure, so that the key is exchanged for another.
  var isRefresh = false

  /// Whether data and other procedures wait until the procedure is over.
  var isHolding: Bool { stage != .idle }
  /// Whether the peripheral's host is to say whether it has the key.
  var asksHost: Bool { if case .askingHost = stage { true } else { false } }
  var isOn: Bool { transmitKey != nil && receiveKey != nil }
}

extension ControlPDU {
  /// Whether the PDU may go while encryption is being started or paused (Core 5.4 Vol 6 Part B 5.1.3.1, 5.1.3.2).
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
