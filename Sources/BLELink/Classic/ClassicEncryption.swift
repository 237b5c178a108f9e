import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP
import Faults

/// Authentication and encryption of links over BR/EDR (Core 5.4 Vol 3 Part C 5.2.2, Vol 4 Part E 7.1.10 to 7.1.16).
extension HostEngine {
  /// Gives the controller the key of the bond with a peer, unless it is too weak for this host, so that the peer has to pair again.
  mutating func receive(_ request: HCILinkKeyRequest, into out: inout HostOutput) {
    let address = request.address
    guard let link = classicLink(of: address) else { return refuseLinkKey(of: address) }
    switch interceptLinkKeyRequest(on: links[link].handle, into: &out) {
    case .ignore: return
    case .decline: return refuseLinkKey(of: address)
    default: break
    }
    let rules = links[link].security.policy
    guard let bond = links[link].security.bond, let octets = bond.linkKey else { return refuseLinkKey(of: address) }
    let strength = bond.linkKeyStrength ?? bond.strength
    guard strength.isAuthenticated || !rules.requiresAuthentication,
      strength.isSecureConnections || rules.secureConnections != .only
    else { return refuseLinkKey(of: address) }
    links[link].classic?.security.key = ClassicSecurity.Key(octets: octets, strength: strength)
    links[link].classic?.security.isKeyOfBond = true
    let reply = HCILinkKeyRequestReply {
      $0.address = address
      $0.linkKey = octets
    }
    addClassic(reply, of: link)
  }

  private mutating func refuseLinkKey(of address: DeviceAddress) {
    hci.commands.add(HCILinkKeyRequestNegativeReply { $0.address = address }, for: nil)
  }

  // MARK: - Requests of this side

  /// Authenticates the peer and encrypts the link, because the peer has requested a channel that needs it. Until then the channel is
  /// pending (Core 5.4 Vol 3 Part C 5.2.2.2).
  mutating func raiseClassicSecurity(of link: LinkID, into out: inout HostOutput) {
    guard let security = links[link].classic?.security, !security.isRaising, !security.isMeasuring else { return }
    links[link].classic?.security.isRaising = true
    let handle = links[link].handle
    addClassic(HCIAuthenticationRequested { $0.connectionHandle = handle }, of: link)
  }

  /// Handles the result of an authentication that this side has requested.
  mutating func receive(_ event: HCIAuthenticationComplete, into out: inout HostOutput) {
    let handle = event.connectionHandle
    guard let link = links.id(of: handle), links[link].isClassic else { return }
    guard event.status == .success else { return classicEncryptionFailed(of: link, event.status, into: &out) }
    guard links[link].classic?.security.inUse == nil else { return answerWaitingChannels(of: link, into: &out) }
    let command = HCISetConnectionEncryption {
      $0.connectionHandle = handle
      $0.isEnabled = true
    }
    addClassic(command, of: link)
  }

  /// Handles that the controller has refused a command about a link's security.
  mutating func classicCommandRefused(
    _ command: any HCICommand, _ status: ErrorCode, of link: LinkID, into out: inout HostOutput
  ) {
    guard command is HCIAuthenticationRequested || command is HCISetConnectionEncryption else {
      return reportRefusal(of: type(of: command).opcode, status, into: &out)
    }
    classicEncryptionFailed(of: link, status, into: &out)
  }

  /// Handles that a link was not encrypted.
  mutating func classicEncryptionFailed(of link: LinkID, _ status: ErrorCode, into out: inout HostOutput) {
    out.events.append(.encryptionFailed(links[link].handle, status))
    links[link].classic?.security.isRaising = false
    answerWaitingChannels(of: link, into: &out)
  }

  // MARK: - Results

  /// Handles a change of a link's encryption; `isPlain` says that it is E0. The size of its key is unknown until the controller has been asked.
  mutating func classicEncryptionChanged(
    of link: LinkID, _ status: ErrorCode, isOn: Bool, isPlain: Bool, into out: inout HostOutput
  ) {
    let handle = links[link].handle
    guard status == .success else { return classicEncryptionFailed(of: link, status, into: &out) }
    guard isOn else {
      links[link].classic?.security.inUse = nil
      // What needs encryption ends with it (Core 5.4 Vol 3 Part C 5.2.2.8).
      for bearer in links[link].bearers.enhancedIDs { closeBearer(bearer, of: link, into: &out) }
      classicSecurityChanged(of: link, into: &out)
      return closeUnprotectedChannels(of: link, into: &out)
    }
    // Level 4 excludes E0, which both controllers use if either host has come to lack Secure Connections (Core 5.4 Vol 3 Part C 5.2.2.8).
    guard !isPlain || links[link].security.policy.secureConnections != .only else {
      return endWeakLink(link, into: &out)
    }
    guard hci.profile.commands.contains(.readEncryptionKeySize) else {
      return classicLinkEncrypted(link, keySize: 16, into: &out)
    }
    links[link].classic?.security.isMeasuring = true
    hci.commands.add(HCIReadEncryptionKeySize { $0.connectionHandle = handle }, for: .encryptionKeySize(handle))
  }

  /// Handles the size of the key that encrypts a link (Core 5.4 Vol 4 Part E 7.5.6).
  mutating func encryptionKeySizeAnswered(
    _ parameters: Span<UInt8>, of handle: ConnectionHandle, into out: inout HostOutput
  ) {
    guard let link = links.id(of: handle), links[link].isClassic else { return }
    let answer = try? HCIReadEncryptionKeySize.ReturnParameters(decoding: parameters)
    guard let answer, answer.status == .success else {
      return disconnect(link, reason: .authenticationFailure)
    }
    classicLinkEncrypted(link, keySize: Int(answer.keySize), into: &out)
  }

  /// Handles that a link is encrypted. One whose key is too short is ended: an attacker may have shortened it on the air (Core 5.4 Vol 3
  /// Part C 5.2.2.8).
  private mutating func classicLinkEncrypted(_ link: LinkID, keySize: Int, into out: inout HostOutput) {
    links[link].classic?.security.isMeasuring = false
    guard keySize >= links[link].security.policy.keySizes.lowerBound else { return endWeakLink(link, into: &out) }
    let key = links[link].classic?.security.key
    var strength = key?.strength ?? KeyStrength(isAuthenticated: false, isSecureConnections: false, keySize: keySize)
    strength.keySize = keySize
    links[link].classic?.security.inUse = strength
    links[link].classic?.security.encryptingKey = key?.octets
    let isProof = links[link].classic?.security.isKeyOfBond ?? false
    classicSecurityChanged(of: link, into: &out)
    if isProof { bondProven(of: link, into: &out) }
    beginHeldDerivation(of: link, into: &out)
    if !isProof { askForDerivation(of: link) }
  }

  /// Ends a link whose encryption is too weak, and gives up the channels that have waited for it.
  private mutating func endWeakLink(_ link: LinkID, into out: inout HostOutput) {
    classicEncryptionFailed(of: link, .insufficientSecurity, into: &out)
    disconnect(link, reason: .authenticationFailure)
  }

  /// Closes the channels whose requirement the link no longer meets: those of ATT, also while they are being configured, and those of the
  /// application.
  private mutating func closeUnprotectedChannels(of link: LinkID, into out: inout HostOutput) {
    let security = links[link].session.security
    let unmet = (classic?.published ?? []).filter { $0.requirement.shortfall(on: security) != nil }.map(\.psm)
    links[link].classic?.channels.abort(unmet, at: out.now, events: &out.classicChannels)
    handOnClassicChannelEvents(of: link, into: &out)
    for channel in links[link].channels.all where channel.isIncoming {
      let published = publishedChannels.first { $0.psm == channel.psm }
      guard published?.requirement.shortfall(on: security, isAuthorized: true) != nil else { continue }
      links[link].channels.abort(channel.id, at: out.now, events: &out.channels)
    }
    handOnChannelEvents(of: link, into: &out)
  }

  private mutating func classicSecurityChanged(of link: LinkID, into out: inout HostOutput) {
    links[link].classic?.security.isRaising = false
    securityChanged(of: link)
    out.events.append(.security(links[link].handle, .securityChanged(links[link].session.security)))
    answerWaitingChannels(of: link, into: &out)
  }

  /// Continues with the channels that have waited for encryption: those that the peer has requested, and the one of this side.
  private mutating func answerWaitingChannels(of link: LinkID, into out: inout HostOutput) {
    openWaitingAttributeChannel(of: link, into: &out)
    guard let waiting = links[link].classic?.waiting, !waiting.isEmpty else { return }
    links[link].classic?.waiting = []
    for (ticket, psm) in waiting {
      let requirement = classic?.published.first { $0.psm == psm }?.requirement ?? .open
      let isMet = requirement.shortfall(on: links[link].session.security) == nil
      _ = links[link].classic?.channels.answer(
        ticket, isAuthorized: isMet, at: out.now, events: &out.classicChannels)
    }
    handOnClassicChannelEvents(of: link, into: &out)
  }
}
