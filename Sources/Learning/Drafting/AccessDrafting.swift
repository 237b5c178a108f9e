import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import Importing

/// Derives permissions and rules for writes from the device's answers to its clients.
extension DeviceDrafting {
  /// Returns the protection that a refused access needs; nil if the refusal has another cause.
  static func need(of refusal: ObservedServer.Refusal) -> LinkProtection? {
    switch refusal.error {
    case .insufficientAuthentication: refusal.isEncrypted ? .authenticated : .encrypted
    case .insufficientEncryption, .encryptionKeySizeTooShort: .encrypted
    default: nil
    }
  }

  /// Adds a characteristic's permissions and its rules for writes.
  func describeAccess(of handle: UInt16, _ result: inout ImportedCharacteristic) {
    let refusals = observed.refusals[handle] ?? []
    var permissions = result.properties.openPermissions
    if let need = refusals.filter({ !$0.isWrite }).compactMap({ Self.need(of: $0) }).max() {
      permissions.read = AccessRequirement(protection: need)
    } else if refusals.contains(where: { !$0.isWrite && $0.error == .readNotPermitted }) {
      permissions.read = nil
    }
    if let need = refusals.filter(\.isWrite).compactMap({ Self.need(of: $0) }).max() {
      permissions.write = AccessRequirement(protection: need)
    } else if refusals.contains(where: { $0.isWrite && $0.error == .writeNotPermitted }) {
      permissions.write = nil
    }
    if permissions != result.properties.openPermissions {
      result.permissions = permissions
      result.comments.append("The permissions follow from the errors that a client got.")
    }
    if let configuration = configuration(of: handle),
      let need = observed.refusals[configuration]?.compactMap({ Self.need(of: $0) }).max()
    {
      result.subscribing = AccessRequirement(protection: need)
    }
    if let rules = rules(for: handle) { result.keys.append(rules) }
  }

  /// Returns the handle of the Client Characteristic Configuration that belongs to a value.
  private func configuration(of handle: UInt16) -> UInt16? {
    let next = observed.declarations.keys.filter { $0 > handle }.min() ?? .max
    return observed.types.first { $0.key > handle && $0.key < next && $0.value == .clientCharacteristicConfiguration }?
      .key
  }

  // MARK: Writes

  /// The outcome of a write.
  private struct Exchange: Hashable {
    var error: ATTErrorCode?
    /// The values that the device sent soon after it, in order.
    var replies: [ObservedReplies.Reply] = []
  }

  /// Returns rules for the writes that got the same error, or the same answer, each time.
  private func rules(for handle: UInt16) -> ImportedKey? {
    let writes = observed.writes.enumerated().filter { $0.element.handle == handle }
    var outcomes: [[UInt8]: Set<Exchange>] = [:]
    var order: [[UInt8]] = []
    for (number, write) in writes where write.isAnswered && write.value.count <= 64 {
      if outcomes[write.value] == nil { order.append(write.value) }
      outcomes[write.value, default: []].insert(
        Exchange(error: write.answer, replies: replies.answers(to: number)))
    }
    let rules = order.prefix(50).compactMap { value -> String? in
      guard !value.isEmpty, let found = outcomes[value], found.count == 1, let exchange = found.first else {
        return nil
      }
      if let error = exchange.error {
        // The server itself sends the other errors: they follow from the permissions.
        guard error.rawValue >= 0x80 || error == .unlikelyError || error == .insufficientResources else { return nil }
        return "{ when: hex:\(value.hexadecimal), error: 0x\([error.rawValue].hexadecimal) }"
      }
      let actions = exchange.replies.compactMap { reply in
        id(of: reply.handle).map { "{ reply: { \($0): hex:\(reply.value.hexadecimal) } }" }
      }
      guard !actions.isEmpty, actions.count == exchange.replies.count else { return nil }
      let action = actions.count == 1 ? actions[0] : "[ \(actions.joined(separator: ", ")) ]"
      return "{ when: hex:\(value.hexadecimal), do: \(action) }"
    }
    guard !rules.isEmpty else { return nil }
    return ImportedKey("on-write", "[ \(rules.joined(separator: ", ")) ]", comments: ["From \(writes.count) writes."])
  }
}
