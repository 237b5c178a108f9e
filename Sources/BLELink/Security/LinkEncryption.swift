import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLESMP

/// Encryption by the controller (Core 5.4 Vol 4 Part E 7.7.8, 7.7.39, 7.7.65.5, 7.8.24...26).
extension HostEngine {
  // MARK: - To the controller

  /// Encrypts a link as its central.
  mutating func encrypt(_ link: LinkID, with key: LongTermKey, at now: Instant) {
    links[link].protection.encryptionBegan = now
    links[link].protection.isKeyOfBond = links[link].security.bond?.keyAsCentral == key
    let handle = links[link].handle
    let command = LEEnableEncryption {
      $0.connectionHandle = handle
      $0.random = key.random
      $0.encryptedDiversifier = key.diversifier
      $0.longTermKey = key.key
    }
    hci.commands.add(command, for: .link(handle, .encryption))
  }

  /// Answers the controller's request for a key, after the central has started encryption. A missing key is reported here, because after
  /// the negative reply the peripheral's controller reports no encryption change (Core 5.4 Vol 4 Part E 7.8.26).
  mutating func answer(_ request: LELongTermKeyRequest, into out: inout HostOutput) {
    let handle = request.connectionHandle
    guard let link = links.id(of: handle) else { return unknownLinkSpoke(handle, into: &out) }
    recognizePeer(of: link, random: request.random, diversifier: request.encryptedDiversifier)
    let key = links[link].security.longTermKey(random: request.random, diversifier: request.encryptedDiversifier)
    guard let key else {
      out.events.append(.encryptionFailed(handle, .pinOrKeyMissing))
      return hci.commands.add(
        LELongTermKeyRequestNegativeReply { $0.connectionHandle = handle }, for: .link(handle, .encryption))
    }
    links[link].protection.encryptionBegan = out.now
    links[link].protection.isKeyOfBond = links[link].security.bond?.keyAsPeripheral?.key == key
    let reply = LELongTermKeyRequestReply {
      $0.connectionHandle = handle
      $0.longTermKey = key
    }
    hci.commands.add(reply, for: .link(handle, .encryption))
  }

  /// Handles the controller's refusal to encrypt.
  mutating func encryptionRefused(
    _ command: any HCICommand, _ status: ErrorCode, of handle: ConnectionHandle, into out: inout HostOutput
  ) {
    if let link = links.id(of: handle), links[link].isClassic {
      return classicCommandRefused(command, status, of: link, into: &out)
    }
    // A command that was repeated because its answer was lost is refused. `checkEncryption` covers other losses.
    guard status != .commandDisallowed || watchInterval == nil else { return }
    guard command is LEEnableEncryption else {
      return reportRefusal(of: type(of: command).opcode, status, into: &out)
    }
    encryptionChanged(of: handle, status, isOn: false, into: &out)
  }

  /// Sets the maximum time without an authenticated packet on an encrypted link.
  private mutating func setPayloadTimeout(_ handle: ConnectionHandle) {
    guard let timeout = policy.security.authenticatedPayloadTimeout,
      hci.profile.commands.contains(.writeAuthenticatedPayloadTimeout)
    else { return }
    let command = HCIWriteAuthenticatedPayloadTimeout {
      $0.connectionHandle = handle
      $0.timeout = AuthenticatedPayloadTimeout(rounding: timeout)
    }
    hci.commands.add(command, for: .link(handle, .other))
  }

  // MARK: - From the controller

  /// Handles an event about encryption.
  mutating func receiveEncryptionEvent(
    _ code: EventCode, _ parameters: Span<UInt8>, into out: inout HostOutput
  ) throws(LayoutFault) {
    switch code {
    case .encryptionChange:
      let event = try HCIEncryptionChange.received(parameters)
      encryptionChanged(
        of: event.connectionHandle, event.status, isOn: event.encryption != .off, isPlain: event.encryption == .on,
        into: &out)
    case .encryptionChangeV2:
      let event = try HCIEncryptionChangeV2.received(parameters)
      encryptionChanged(
        of: event.connectionHandle, event.status, isOn: event.encryption != .off, isPlain: event.encryption == .on,
        into: &out)
    case .encryptionKeyRefreshComplete:
      let event = try HCIEncryptionKeyRefreshComplete.received(parameters)
      encryptionChanged(of: event.connectionHandle, event.status, isOn: true, into: &out)
    default:
      let handle = try HCIAuthenticatedPayloadTimeoutExpired.received(parameters).connectionHandle
      if links.id(of: handle) != nil { out.events.append(.authenticatedPayloadTimeout(handle)) }
    }
  }

  /// Handles a change of a link's encryption, or its failure. Encryption with the bond's key proves the peer's identity. `isPlain` says that the
  /// event tells of no better cipher than the transport's first: on BR/EDR E0.
  private mutating func encryptionChanged(
    of handle: ConnectionHandle, _ status: ErrorCode, isOn: Bool, isPlain: Bool = false, into out: inout HostOutput
  ) {
    let now = out.now
    guard let link = links.id(of: handle) else { return }
    if links[link].isClassic {
      return classicEncryptionChanged(of: link, status, isOn: isOn, isPlain: isPlain, into: &out)
    }
    links[link].protection.encryptionBegan = nil
    let isEncrypted = isOn && status == .success
    let isWithBond = isEncrypted && links[link].protection.isKeyOfBond
    links[link].protection.isKeyOfBond = false
    if status != .success { out.events.append(.encryptionFailed(handle, status)) }
    if isEncrypted, links[link].session.security.protection == .none { setPayloadTimeout(handle) }
    withSecurityManager(of: link, into: &out) { manager, random, output in
      manager.encryptionChanged(isOn: isEncrypted, at: now, random: &random, into: &output)
    }
    if isWithBond { bondProven(of: link, into: &out) }
    if isWithBond || !isEncrypted { securityRaised(of: link, isSecure: isWithBond, into: &out) }
    if isEncrypted { occurred(.encrypted, on: handle, into: &out) }
  }

  // MARK: - Lost events

  /// How long the controller may take to report the result of encryption after it has the key, if the peer is in range.
  private static var encryptionLimit: Duration { .seconds(8) }

  /// Ends links whose encryption the controller does not report: the event was lost, and no command reads its content. The peer connects
  /// again.
  mutating func checkEncryption(into out: inout HostOutput) {
    for link in links.ids {
      guard let began = links[link].protection.encryptionBegan, !links[link].isClosing,
        out.now - began >= max(Self.encryptionLimit, links[link].details.timeout + .seconds(2))
      else { continue }
      links[link].protection.encryptionBegan = nil
      out.events.append(.fault(.encryptionUnreported(links[link].handle)))
      disconnect(link, reason: .remoteUserTerminatedConnection)
    }
  }
}
