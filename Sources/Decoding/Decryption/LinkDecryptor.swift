import Capture

/// Decrypts packets that were encrypted on the air with known long-term keys, before a decoder processes them.
///
/// A key is tried if LL_ENC_REQ and LL_ENC_RSP are in the capture. The integrity checks show whether it is the right one. Keys of legacy
/// pairings in the capture are searched for (`PasskeySearch`), and keys distributed over decrypted links are added.
package struct LinkDecryptor: Sendable {
  /// The encryption state of one connection.
  private struct Exchange: Sendable {
    /// The halves of diversifier and vector, as on the air.
    var central: (diversifier: [UInt8], vector: [UInt8])?
    /// A session for each key that may be the right one; after a valid check, only its session.
    var sessions: [LinkSession] = []
    var lastNumber = 0
  }

  private static let exchangeLimit = 64
  private static let keyLimit = 1024

  /// Most significant octet first.
  private var keys: [[UInt8]]
  private var exchanges: [UInt64: Exchange] = [:]
  private var pairings = LegacyPairings()
  /// The search that the next packets wait for.
  private var passkeySearch: PasskeySearch?
  private var number = 0
  /// The number of packets that were decrypted, and of encrypted ones that could not be.
  package private(set) var decrypted = 0
  package private(set) var failed = 0

  /// Creates a decryptor with these keys of 16 octets. Both octet orders are tried.
  package init(keys: [[UInt8]]) {
    self.keys = keys.filter { $0.count == 16 }.flatMap { [$0, $0.reversed()] }
  }

  /// The progress from 0 to 1 of the passkey search that the next packet waits for; nil without one.
  package var searched: Double? { passkeySearch?.progress }

  /// Continues that search with at most this many passkeys.
  package mutating func search(passkeys count: Int) {
    guard passkeySearch != nil else { return }
    if let shortTermKey = passkeySearch?.search(count) { learn(shortTermKey) }
    if passkeySearch?.hasEnded ?? true { passkeySearch = nil }
  }

  /// Replaces a packet's contents with its plain text, if a key fits. A passkey search is completed first.
  package mutating func decrypt(_ record: inout CaptureRecord) {
    guard case .air(var reception) = record.content, !reception.isDecrypted, reception.isCRCValid != false,
      record.octets.count >= 3, record.octets.count == 2 + Int(record.octets[1])
    else { return }
    guard reception.accessAddress != AirReception.advertisingAccessAddress else {
      return pairings.takeAdvertising(record.octets, source: record.source)
    }
    search(passkeys: .max)
    number += 1
    let key = UInt64(record.source) << 32 | UInt64(reception.accessAddress)
    if isExchange(record.octets, key) { return }
    guard var exchange = exchanges.removeValue(forKey: key) else {
      if let search = pairings.take(record.octets, on: key) { passkeySearch = search }
      return
    }
    defer { exchanges[key] = exchange }
    exchange.lastNumber = number
    guard record.octets.count >= 7, !exchange.sessions.isEmpty else { return }
    let fromCentral: Bool? =
      switch reception.kind {
      case .toPeripheral: true
      case .toCentral: false
      default: nil
      }
    for place in exchange.sessions.indices {
      guard let (pdu, isFromCentral) = exchange.sessions[place].decrypt(record.octets, fromCentral: fromCentral) else {
        continue
      }
      exchange.sessions = [exchange.sessions[place]]
      reception.isDecrypted = true
      reception.kind = isFromCentral ? .toPeripheral : .toCentral
      record.content = .air(reception)
      record.octets = pdu
      record.originalLength = pdu.count
      decrypted += 1
      learnKey(pdu)
      return
    }
    failed += 1
  }

  /// Returns whether a PDU is LL_ENC_REQ or LL_ENC_RSP, which are never encrypted (Core 5.4 Vol 6 Part B 2.4.2.4, 2.4.2.5), and processes
  /// it.
  private mutating func isExchange(_ pdu: [UInt8], _ key: UInt64) -> Bool {
    guard pdu[0] & 0b11 == 0b11 else { return false }
    switch (pdu[2], pdu[1]) {
    case (0x03, 23):
      if exchanges.count >= Self.exchangeLimit,
        let oldest = exchanges.min(by: { $0.value.lastNumber < $1.value.lastNumber })
      {
        exchanges[oldest.key] = nil
      }
      exchanges[key] = Exchange(central: (Array(pdu[13..<21]), Array(pdu[21..<25])), lastNumber: number)
      return true
    case (0x04, 13):
      guard let central = exchanges[key]?.central else { return false }
      exchanges[key]?.sessions = keys.map { longTermKey in
        LinkSession(
          longTermKey: longTermKey, diversifier: central.diversifier + pdu[3..<11],
          initializationVector: central.vector + pdu[11..<15])
      }
      exchanges[key]?.central = nil
      return true
    default: return false
    }
  }

  /// Adds the long-term key in the Encryption Information of a legacy pairing (Core 5.4 Vol 3 Part H 3.6.2).
  private mutating func learnKey(_ pdu: [UInt8]) {
    guard pdu.count == 23, pdu[0] & 0b11 == 0b10, pdu[2...6] == [17, 0, 6, 0, 6] else { return }
    learn(pdu[7...].reversed())
  }

  private mutating func learn(_ key: [UInt8]) {
    if keys.count < Self.keyLimit, !keys.contains(key) { keys.append(key) }
  }
}
