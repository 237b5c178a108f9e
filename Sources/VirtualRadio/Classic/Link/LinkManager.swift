import BLECore
import BLEHCI

// What a link manager does with the peer's messages, and for its host (Core 5.4 Vol 2 Part C 4).
extension Air {
  func receive(_ message: LMPMessage, at end: ClassicEnd, over link: ClassicLink) {
    guard end.isPresent else { return }
    switch message {
    case .connectionRequest(let classOfDevice): receiveConnectionRequest(classOfDevice, at: end, over: link)
    case .connectionAccepted(let switches): receiveAcceptance(switchesRole: switches, at: end, over: link)
    case .connectionRefused(let reason):
      close(link, at: end.place, reason: reason)
      leave(link, at: end.place.other)
    case .setupComplete: receiveSetupComplete(at: end, over: link)
    case .detach(let reason, _): close(link, at: end.place, reason: reason)
    case .featuresRequest, .features, .versionRequest, .version, .nameRequest, .name, .clockOffsetRequest,
      .clockOffset:
      receiveInformation(message, at: end, over: link)
    case .switchRequest, .switchAnswer, .sniffRequest, .sniffAnswer, .unsniffRequest, .unsniffAccepted,
      .supervisionTimeout, .sniffSubrating:
      receiveChange(message, at: end, over: link)
    default: receiveSecurity(message, at: end, over: link)
    }
  }

  /// Begins a request of the host; refused while the same one is not answered.
  func begin(
    _ request: ClassicEnd.Request, _ message: LMPMessage, at end: ClassicEnd, over link: ClassicLink
  ) throws(Refusal) {
    guard !end.isTerminating, end.requests.insert(request).inserted else { throw Refusal(.commandDisallowed) }
    send(message, from: end, over: link)
  }

  func requestName(at end: ClassicEnd, over link: ClassicLink) {
    if end.requests.insert(.name).inserted { send(.nameRequest, from: end, over: link) }
  }

  // MARK: Information

  private func receiveInformation(_ message: LMPMessage, at end: ClassicEnd, over link: ClassicLink) {
    guard let classic = end.classic else { return }
    switch message {
    case .featuresRequest(let page):
      send(
        .features(classic.features(page: page), page: page, lastPage: classic.configuration.lastPage), from: end,
        over: link)
    case .features(let features, let page, let lastPage):
      receiveFeatures(features, page: page, lastPage: lastPage, at: end, over: link)
    case .versionRequest: send(.version, from: end, over: link)
    case .version:
      end.requests.remove(.version)
      if let peer = link[end.place.other].classic { classic.reportVersion(of: end, peer.controller.configuration) }
    case .nameRequest: send(.name(classic.settings.name), from: end, over: link)
    case .name(let name):
      guard end.requests.contains(.name) else { return }
      classic.reportName(of: end, status: .success, name)
      if link.purpose == .name { detach(link, at: end, .remoteUserTerminatedConnection, own: .success) }
    case .clockOffsetRequest: send(.clockOffset, from: end, over: link)
    case .clockOffset:
      end.requests.remove(.clockOffset)
      guard let peer = link[end.place.other].classic else { return }
      classic.send(
        HCIReadClockOffsetComplete {
          $0.connectionHandle = end.connectionHandle
          $0.clockOffset = classic.clockOffset(to: peer)
        })
    default: break
    }
  }

  private func receiveFeatures(
    _ features: LMPFeaturePage, page: UInt8, lastPage: UInt8, at end: ClassicEnd, over link: ClassicLink
  ) {
    guard let classic = end.classic else { return }
    if link.purpose == .name {
      guard !end.isTerminating else { return }
      classic.send(
        HCIRemoteHostSupportedFeaturesNotification {
          $0.address = end.peerAddress
          $0.features = features
        })
      return requestName(at: end, over: link)
    }
    if page == 0, end.requests.remove(.features) != nil {
      classic.send(
        HCIReadRemoteSupportedFeaturesComplete {
          $0.connectionHandle = end.connectionHandle
          $0.features = features
        })
    }
    guard end.requests.remove(.extendedFeatures(page)) != nil else { return }
    classic.send(
      HCIReadRemoteExtendedFeaturesComplete {
        $0.connectionHandle = end.connectionHandle
        $0.page = page
        $0.lastPage = lastPage
        $0.features = features
      })
  }

  // MARK: Roles and modes

  private func receiveChange(_ message: LMPMessage, at end: ClassicEnd, over link: ClassicLink) {
    guard let classic = end.classic else { return }
    switch message {
    case .switchRequest: answerSwitch(at: end, over: link)
    case .switchAnswer(let status):
      end.requests.remove(.roleSwitch)
      if status != .success { classic.reportRole(of: link, at: end.place, status: status) }
    case .sniffRequest(let parameters):
      let isAllowed = end.policy.contains(.sniff) && end.features.contains(.sniffMode) && link.sniff == nil
      let status: ErrorCode = isAllowed ? .success : .lmpPDUNotAllowed
      if isAllowed { sleep(link, parameters) }
      send(.sniffAnswer(parameters, status), from: end, over: link)
    case .sniffAnswer(_, let status):
      end.requests.remove(.sniff)
      if status != .success { classic.reportMode(of: link, at: end.place, status: status) }
    case .unsniffRequest:
      if link.sniff != nil {
        link.sniff = nil
        for end in link.ends { end.classic?.reportMode(of: link, at: end.place) }
      }
      send(.unsniffAccepted, from: end, over: link)
    case .unsniffAccepted: end.requests.remove(.unsniff)
    case .supervisionTimeout(let timeout):
      classic.send(
        HCILinkSupervisionTimeoutChanged {
          $0.connectionHandle = end.connectionHandle
          $0.timeout = timeout
        })
    case .sniffSubrating(let values): report(values, at: end)
    default: break
    }
  }

  private func answerSwitch(at end: ClassicEnd, over link: ClassicLink) {
    let isAllowed = end.policy.contains(.roleSwitch) && link.commonFeatures.contains(.roleSwitch) && link.sniff == nil
    send(.switchAnswer(isAllowed ? .success : .roleChangeNotAllowed), from: end, over: link)
    guard isAllowed else { return }
    link.central = link.central.other
    for end in link.ends { end.classic?.reportRole(of: link, at: end.place) }
    wake(link)
  }

  private func sleep(_ link: ClassicLink, _ parameters: SniffParameters) {
    link.sniff = (parameters, now)
    for end in link.ends { end.classic?.reportMode(of: link, at: end.place) }
  }

  /// Reports how seldom an end listens, and its peer.
  func report(_ values: SniffSubrating, at end: ClassicEnd) {
    end.classic?.send(
      HCISniffSubratingEvent {
        $0.connectionHandle = end.connectionHandle
        $0.maximumTxLatency = values.maximumLatency
        $0.maximumRxLatency = values.maximumLatency
        $0.minimumRemoteTimeout = values.minimumRemoteTimeout
        $0.minimumLocalTimeout = values.minimumLocalTimeout
      })
  }
}

extension ErrorCode {
  /// LMP PDU Not Allowed.
  static let lmpPDUNotAllowed = ErrorCode(rawValue: 0x24)
}
