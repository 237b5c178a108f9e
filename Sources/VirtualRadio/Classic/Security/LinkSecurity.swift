import BLECore
import BLEHCI

/// The security of a link of BR/EDR: its keys, its encryption, and the change in progress.
struct LinkSecurity {
  /// A change that one end's host has asked for.
  enum Task: Hashable {
    case authenticate
    case encrypt(Bool)
    case refreshKey
    case changeLinkKey
  }

  /// Whether both ends have proved that they have the same key on this link.
  var isAuthenticated = false
  var encryption = EncryptionState.off
  var keySize: UInt8 = 16
  /// The change in progress, and the end that asked for it.
  var current: (task: Task, by: ClassicPlace)?
  /// The changes that wait for it, in order.
  var waiting: [(task: Task, by: ClassicPlace)] = []
  var pairing: Pairing?
  /// The end whose link manager waits for the peer's, and the epoch of the timeline's check.
  var waiter: ClassicPlace?
  var epoch: UInt32 = 0

  func has(_ task: Task, by place: ClassicPlace) -> Bool {
    (current.map { $0.task == task && $0.by == place } ?? false)
      || waiting.contains { $0.task == task && $0.by == place }
  }
}

// Changes take turns.
extension Air {
  /// Begins a change as soon as all earlier ones have finished.
  func ask(_ task: LinkSecurity.Task, at end: ClassicEnd, over link: ClassicLink) {
    link.security.waiting.append((task, end.place))
    beginNextTask(over: link)
  }

  private func beginNextTask(over link: ClassicLink) {
    while link.security.current == nil, !link.security.waiting.isEmpty {
      let (task, place) = link.security.waiting.removeFirst()
      let end = link[place]
      guard let classic = end.classic, !end.isTerminating else { continue }
      link.security.current = (task, place)
      switch task {
      case .authenticate: beginAuthentication(at: end, over: link)
      case .encrypt(let isOn): beginEncryption(isOn: isOn, at: end, over: link, classic)
      case .refreshKey:
        expectAnswer(over: link, at: place)
        send(.encryptionRefresh, from: end, over: link)
      case .changeLinkKey:
        expectAnswer(over: link, at: place)
        send(.newLinkKey, from: end, over: link)
      }
    }
  }

  /// Ends the current change and begins the next one.
  func finishTask(over link: ClassicLink) {
    link.security.current = nil
    link.security.pairing = nil
    link.security.waiter = nil
    for end in link.ends where end.question != .connection { end.question = nil }
    beginNextTask(over: link)
  }

  /// Starts the response timeout of an end that waits for its peer's link manager.
  func expectAnswer(over link: ClassicLink, at place: ClassicPlace) {
    link.security.waiter = place
    link.security.epoch &+= 1
    timeline.schedule(
      .classic(.response(link.id, link.security.epoch)), at: now + LinkManagerTime.responseTimeout)
  }

  /// Ends a link whose peer has not answered (Core 5.4 Vol 1 Part F 2.34).
  func checkResponse(of link: ClassicLink, epoch: UInt32) {
    guard link.security.epoch == epoch, let waiter = link.security.waiter, link[waiter].isPresent else { return }
    link.security.waiter = nil
    detach(link, at: link[waiter], .linkLayerResponseTimeout, own: .linkLayerResponseTimeout)
  }

  /// Tells a host that waits for a change that the link has ended.
  func endSecurity(of link: ClassicLink, at end: ClassicEnd, reason: ErrorCode) {
    if let pairing = link.security.pairing, pairing.hasBegun(at: end.place) {
      link.security.pairing?.capabilities[end.place] = nil
      end.classic?.send(
        HCISimplePairingComplete {
          $0.status = .authenticationFailure
          $0.address = end.peerAddress
        })
    }
    guard let current = link.security.current, current.by == end.place, end.isOpen else { return }
    link.security.current = nil
    if current.task == .authenticate { reportAuthentication(at: end, reason) }
  }

  func reportAuthentication(at end: ClassicEnd, _ status: ErrorCode) {
    guard end.isOpen else { return }
    end.classic?.send(
      HCIAuthenticationComplete {
        $0.status = status
        $0.connectionHandle = end.connectionHandle
      })
  }

  // MARK: Questions to the host

  /// Asks the host something. Returns false if the host has masked the event, which counts as a refusal.
  func question<Event: HCIEvent>(_ question: ClassicEnd.Question, _ event: Event, at end: ClassicEnd) -> Bool {
    guard let classic = end.classic, classic.controller.isWanted(Event.code) else { return false }
    end.question = question
    classic.send(event)
    return true
  }

  // MARK: Messages

  func receiveSecurity(_ message: LMPMessage, at end: ClassicEnd, over link: ClassicLink) {
    switch message {
    case .challenge: receiveChallenge(at: end, over: link)
    case .challengeAnswer(let status): receiveChallengeAnswer(status, at: end, over: link)
    case .pinStart, .pinAnswer: receivePIN(message, at: end, over: link)
    case .capabilities, .capabilitiesAnswer, .publicKey, .confirmed, .stageFailed, .check, .checkAnswer, .keypress:
      receivePairing(message, at: end, over: link)
    default: receiveEncryption(message, at: end, over: link)
    }
  }
}
