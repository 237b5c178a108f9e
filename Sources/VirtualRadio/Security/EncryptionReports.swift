import BLECore
import BLEHCI

// Reports about encryption to the host (Core 5.4 Vol 4 Part E 7.7).
extension VirtualController {
  func reportKeyRequest(_ request: EncryptionRequest, of end: LinkEnd) {
    send(
      LELongTermKeyRequest {
        $0.connectionHandle = ConnectionHandle(rawValue: end.handle)
        $0.random = request.random
        $0.encryptedDiversifier = request.encryptedDiversifier
      })
  }

  /// Reports an encryption change. The second version of the event replaces the first if the host has unmasked it (7.7.8).
  func reportEncryption(of end: LinkEnd, status: ErrorCode) {
    let state: EncryptionState = end.encryption.isOn ? .on : .off
    if configuration.version >= .v5_3, isWanted(.encryptionChangeV2) {
      send(
        HCIEncryptionChangeV2 {
          $0.status = status
          $0.connectionHandle = ConnectionHandle(rawValue: end.handle)
          $0.encryption = state
          $0.keySize = state == .on ? 16 : 0
        })
    } else {
      send(
        HCIEncryptionChange {
          $0.status = status
          $0.connectionHandle = ConnectionHandle(rawValue: end.handle)
          $0.encryption = state
        })
    }
  }

  func reportKeyRefresh(of end: LinkEnd) {
    send(HCIEncryptionKeyRefreshComplete { $0.connectionHandle = ConnectionHandle(rawValue: end.handle) })
  }

  func reportPayloadTimeout(of end: LinkEnd) {
    send(HCIAuthenticatedPayloadTimeoutExpired { $0.connectionHandle = ConnectionHandle(rawValue: end.handle) })
  }
}
