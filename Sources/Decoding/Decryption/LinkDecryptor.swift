import Capture

/// Decrypts what was encrypted on the air, by long-term keys that are known, before a decoder sees it.
///
/// A key is tried where LL_ENC_REQ and LL_ENC_RSP are in the capture; whether it is the right one, the integrity checks say. The keys
/// of legacy pairings in the capture are found (`PasskeySearch`), and those that a peer distributes over a link that is decrypted are
/// taken in.
package struct LinkDecryptor: Sendable {
  /// What one connection has told of its encryption.
  private struct Exchange: Sendable {
    /// The halves of diversifier and vector, as on the air.
    var central: (diversifier: [UInt8], vector: [UInt8])?
    /// A session for each key that may be the right one; once a check was right, that one's alone.
    var sessions: [LinkSession] = []
    var lastNumber = 0
  }

  private static let exchangeLimit = 64
  private static let keyLimit = 1024

  /// Most significant octet first.
  private var keys: [[UInt8]]
  private var exchanges: [UInt64: Exchange] = [:]
  private var pairings = LegacyPairings()
  /// What the next packets wait for.
  private var passkeySearch: PasskeySearch?
  private var number = 0
  /// How many packets were decrypted, and how many were encrypted and were not.
  package private(set) var decrypted = 0
  package private(set) var failed = 0

  /// A decryptor with those keys of 16 octets, in whichever order their octets are: both are tried.
  package init(keys: [[UInt8]]) {
    self.keys = keys.filter { $0.count == 16 }.flatMap { [$0, $0.reversed()] }
  }

  /// How much of the search for a passkey is done that the next packet waits for, from 0 to 1; nil without one.
  package var searched: Double? { passkeySearch?.progress }

  /// Goes on with that search, by at most so many passkeys.
  package mutating func search(passkeys count: Int) {
    guard passkeySearch != nil else { return }
    if let shortTermKey = passkeySearch?.search(count) { learn(shortTermKey) }
    if passkeySearch?.hasEnded ?? true { passkeySearch = nil }
  }

  /// Puts what a packet was before its encryption in its place, where a key fits. A search for a passkey is brought to its end first.
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

  /// Whether a PDU is LL_ENC_REQ or LL_ENC_RSP, which are never encrypted (Core 5.4 Vol 6 Part B 2.4.2.4, 2.4.2.5), and what follows
  /// from it.
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

  /// Encryption Information of legacy pairing has a long-term key (Core 5.4 Vol 3 Part H 3.6.2).
  private mutating func learnKey(_ pdu: [UInt8]) {
    guard pdu.count == 23, pdu[0] & 0b11 == 0b10, pdu[2...6] == [17, 0, 6, 0, 6] else { return }
    learn(pdu[7...].reversed())
  }

  private mutating func learn(_ key: [UInt8]) {
    if keys.count < Self.keyLimit, !keys.contains(key) { keys.append(key) }
  }
}
