import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT

/// Permissions and answers to writes, from how the device treated its clients.
extension DeviceDrafting {
  /// Returns the protection that a refusal demands; nil if it has another reason.
  static func need(of refusal: ObservedServer.Refusal) -> String? {
    switch refusal.error {
    case .insufficientAuthentication: refusal.isEncrypted ? "authenticated" : "encrypted"
    case .insufficientEncryption, .encryptionKeySizeTooShort: "encrypted"
    default: nil
    }
  }

  func permissions(_ handle: UInt16, _ declaration: ObservedServer.Declaration) -> [ProfileDraft.Entry] {
    var parts: [String] = []
    for isWrite in [false, true] {
      let refusals = observed.refusals[handle]?.filter { $0.isWrite == isWrite } ?? []
      let key = isWrite ? "write" : "read"
      let needs = refusals.compactMap { Self.need(of: $0) }
      if let need = needs.contains("authenticated") ? "authenticated" : needs.first {
        parts.append("\(key): \(need)")
      } else if refusals.contains(where: { $0.error == (isWrite ? .writeNotPermitted : .readNotPermitted) }) {
        parts.append("\(key): forbidden")
      }
    }
    if let configuration = configuration(of: handle),
      let need = observed.refusals[configuration]?.compactMap({ Self.need(of: $0) }).first
    {
      parts.append("subscribe: \(need)")
    }
    guard !parts.isEmpty else { return [] }
    return [
      ProfileDraft.Entry("permissions", "{ \(parts.joined(separator: ", ")) }", "from the errors that a client got")
    ]
  }

  /// Returns the handle of the Client Characteristic Configuration that belongs to a value.
  private func configuration(of handle: UInt16) -> UInt16? {
    observed.types.filter { $0.key > handle && $0.value == .clientCharacteristicConfiguration }.map(\.key).min()
      .flatMap { found in
        observed.declarations.keys.contains { $0 > handle && $0 < found } ? nil : found
      }
  }

  // MARK: Writes

  /// What a write led to.
  private struct Exchange: Hashable {
    var error: ATTErrorCode?
    /// The values that were sent soon after it, in order.
    var replies: [Reply] = []
  }

  private struct Reply: Hashable {
    var handle: UInt16
    var value: [UInt8]
  }

  /// How soon after a write a value counts as its answer.
  private static let answerTime: Int64 = 1_000_000_000

  /// Returns rules for the writes that were seen: those that got an error, and those that got the same answer each time.
  func writes(to handle: UInt16, _ declaration: ObservedServer.Declaration) -> [ProfileDraft.Entry] {
    let writes = observed.writes.enumerated().filter { $0.element.handle == handle }
    guard !writes.isEmpty else { return [] }
    var outcomes: [[UInt8]: Set<Exchange>] = [:]
    var order: [[UInt8]] = []
    for (number, write) in writes where write.isAnswered && write.value.count <= 64 {
      if outcomes[write.value] == nil { order.append(write.value) }
      outcomes[write.value, default: []].insert(exchange(number, write))
    }
    var rules: [String] = []
    for value in order.prefix(50) where !value.isEmpty {
      guard let found = outcomes[value], found.count == 1, let exchange = found.first else { continue }
      if let error = exchange.error, Self.isApplications(error) {
        rules.append("{ when: hex:\(value.hexadecimal), error: 0x\([error.rawValue].hexadecimal) }")
      } else if exchange.error == nil, !exchange.replies.isEmpty {
        let replies = exchange.replies.compactMap { reply in
          id(of: reply.handle).map { "{ reply: { \($0): hex:\(reply.value.hexadecimal) } }" }
        }
        guard replies.count == exchange.replies.count else { continue }
        let deeds = replies.count == 1 ? replies[0] : "[ \(replies.joined(separator: ", ")) ]"
        rules.append("{ when: hex:\(value.hexadecimal), do: \(deeds) }")
      }
    }
    guard !rules.isEmpty else { return [] }
    return [
      ProfileDraft.Entry(
        "on-write", "[ \(rules.joined(separator: ", ")) ]", "from \(writes.count) writes that were seen")
    ]
  }

  /// Whether an error comes from the device's own rules, and not from its server.
  private static func isApplications(_ error: ATTErrorCode) -> Bool {
    error.rawValue >= 0x80 || error == .unlikelyError || error == .insufficientResources
  }

  private func exchange(_ number: Int, _ write: ObservedServer.Write) -> Exchange {
    var exchange = Exchange(error: write.answer)
    let next = number + 1 < observed.writes.count ? observed.writes[number + 1].time : .max
    let end = min(next, write.time &+ Self.answerTime)
    var found: [(Int64, Reply)] = []
    for (handle, samples) in observed.samples where repliesOnly(handle) {
      for sample in samples where sample.origin != .read && sample.time > write.time && sample.time < end {
        found.append((sample.time, Reply(handle: handle, value: sample.value)))
      }
    }
    exchange.replies = found.sorted { $0.0 < $1.0 }.prefix(8).map(\.1)
    return exchange
  }

  /// Whether all values of an attribute that were sent followed a write soon, so that they are answers and not measurements.
  private func repliesOnly(_ handle: UInt16) -> Bool {
    guard let samples = observed.samples[handle] else { return false }
    return samples.allSatisfy { sample in
      sample.origin == .read
        || observed.writes.contains { $0.time < sample.time && sample.time < $0.time &+ Self.answerTime }
    }
  }
}
