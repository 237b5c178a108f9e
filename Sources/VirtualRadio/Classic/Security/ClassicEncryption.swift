import BLECore
import BLEHCI

// Encryption and its keys (Core 5.4 Vol 2 Part C 4.2.4, 4.2.5).
extension Air {
  func beginEncryption(isOn: Bool, at end: ClassicEnd, over link: ClassicLink, _ classic: ClassicController) {
    guard (link.security.encryption != .off) != isOn else {
      classic.reportEncryption(of: link, at: end, .success)
      return finishTask(over: link)
    }
    expectAnswer(over: link, at: end.place)
    send(.encryption(isOn: isOn), from: end, over: link)
  }

  func receiveEncryption(_ message: LMPMessage, at end: ClassicEnd, over link: ClassicLink) {
    guard let classic = end.classic else { return }
    switch message {
    case .encryption(let isOn):
      let status = isOn ? agreeOnEncryption(over: link) : .success
      if status == .success {
        if !isOn { link.security.encryption = .off }
        classic.reportEncryption(of: link, at: end, .success)
      }
      send(.encryptionAnswer(isOn: isOn, status), from: end, over: link)
    case .encryptionAnswer(_, let status):
      classic.reportEncryption(of: link, at: end, status)
      finishTask(over: link)
    case .encryptionRefresh:
      classic.controller.send(HCIEncryptionKeyRefreshComplete { $0.connectionHandle = end.connectionHandle })
      send(.encryptionRefreshAnswer, from: end, over: link)
    case .encryptionRefreshAnswer:
      classic.controller.send(HCIEncryptionKeyRefreshComplete { $0.connectionHandle = end.connectionHandle })
      finishTask(over: link)
    case .newLinkKey: send(.newLinkKeyAnswer, from: end, over: link)
    case .newLinkKeyAnswer:
      useNewKey(.changedCombination, over: link, madeBy: end)
      classic.send(HCIChangeConnectionLinkKeyComplete { $0.connectionHandle = end.connectionHandle })
      finishTask(over: link)
    default: break
    }
  }

  /// Chooses cipher and key size, and returns whether both ends accept them.
  private func agreeOnEncryption(over link: ClassicLink) -> ErrorCode {
    let sides = link.ends.compactMap(\.classic)
    guard sides.count == 2 else { return .unspecifiedError }
    let isSecure = sides.allSatisfy(\.supportsSecureConnections)
    let size = min(16, sides.map(\.configuration.encryptionKeySize).min() ?? 16)
    let least = sides.map(\.settings.minimumKeySize).max() ?? 1
    guard size >= least else { return .encryptionModeNotAcceptable }
    link.security.keySize = size
    link.security.encryption = isSecure ? .onWithAESCCM : .on
    return .success
  }
}

extension ClassicController {
  /// Reports the encryption of a link. The second version of the event replaces the first if the host has unmasked it (Core 5.4 Vol 4 Part E
  /// 7.7.8).
  func reportEncryption(of link: ClassicLink, at end: ClassicEnd, _ status: ErrorCode) {
    let encryption = link.security.encryption
    if controller.configuration.version >= .v5_3, controller.isWanted(.encryptionChangeV2) {
      send(
        HCIEncryptionChangeV2 {
          $0.status = status
          $0.connectionHandle = end.connectionHandle
          $0.encryption = encryption
          $0.keySize = encryption == .off ? 0 : link.security.keySize
        })
    } else {
      send(
        HCIEncryptionChange {
          $0.status = status
          $0.connectionHandle = end.connectionHandle
          $0.encryption = encryption
        })
    }
  }
}

extension ErrorCode {
  /// Encryption Mode Not Acceptable.
  static let encryptionModeNotAcceptable = ErrorCode(rawValue: 0x25)
}
