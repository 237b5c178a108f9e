import AccessoryProfile
import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import Foundation

/// Channels of apps.
extension PhoneSystem {
  func openChannel(_ psm: UInt16, _ peer: AppPeer) {
    guard let link = device(peer.device)?.link else { return }
    open(ChannelOpening(peer: peer, psm: psm), on: link)
  }

  private func open(_ opening: ChannelOpening, on link: PhoneLink) {
    do throws(HostRequestError) {
      let id = try stack.openChannel(
        SPSM(rawValue: opening.psm), on: link.handle, parameters: persona.channelParameters, at: now, into: &out)
      link.openings[id] = opening
    } catch {
      refuse(opening, CBError(.outOfSpace))
    }
    collect()
  }

  private func refuse(_ opening: ChannelOpening, _ error: any Error) {
    let fields: [String: ProfileValue] = [
      "psm": .int(Int64(opening.psm)), "error": .string(error.localizedDescription),
    ]
    deliver(opening.peer, "didOpenChannel", fields) { $0.delegate?.peripheral($0, didOpen: nil, error: error) }
  }

  func handle(_ event: ChannelEvent, on handle: ConnectionHandle) {
    guard let link = link(handle) else { return }
    switch event {
    case .opened(let status): opened(status, on: link)
    case .closed(let id, _, let closure, _):
      if let opening = link.openings.removeValue(forKey: id) { return notOpened(opening, closure, on: link) }
      link.channels.removeValue(forKey: id)?.end()
    case .maySend(let id): link.channels[id].map { send(from: $0, on: link) }
    default: break
    }
  }

  private func opened(_ status: ChannelStatus, on link: PhoneLink) {
    guard let opening = link.openings.removeValue(forKey: status.id) else { return }
    guard let record = record(opening.peer.manager) else { return }
    let pipe = ChannelPipe(
      status.id, of: opening.peer, sduLimit: status.sendMTU, app: record.app)
    link.channels[status.id] = pipe
    let psm = opening.psm
    deliver(opening.peer, "didOpenChannel", ["psm": .int(Int64(psm))]) { peripheral in
      let channel = CBL2CAPChannel(psm: psm, peer: peripheral, pipe: pipe)
      peripheral.delegate?.peripheral(peripheral, didOpen: channel, error: nil)
    }
  }

  /// Handles the failure to open a channel. If the link was not secure enough, secures the link and tries again.
  private func notOpened(_ opening: ChannelOpening, _ closure: ChannelClosure, on link: PhoneLink) {
    guard case .refused(.result(let result)) = closure, result.isLackOfSecurity else {
      if closure == .linkLost { return }
      return refuse(opening, CBError(.operationNotSupported))
    }
    guard !opening.hasRaisedSecurity else { return refuse(opening, CBATTError(.insufficientEncryption)) }
    var again = opening
    again.hasRaisedSecurity = true
    link.securedOpenings.append(again)
    perform(link.device.identity == nil ? .pair(link.handle) : .pairAnew(link.handle))
  }

  /// Opens the channels that wait for a secure link, or reports an error for each if the link did not become secure.
  func continueOpenings(on link: PhoneLink, isSecure: Bool) {
    let waiting = link.securedOpenings
    link.securedOpenings = []
    for opening in waiting {
      if isSecure { open(opening, on: link) } else { refuse(opening, CBATTError(.insufficientEncryption)) }
    }
  }

  // MARK: - Data

  func received(_ sdu: [UInt8], on id: ChannelID, of handle: ConnectionHandle) {
    guard let link = link(handle), let pipe = link.channels[id] else { return }
    if pipe.receive(sdu) {
      try? stack.perform(.hold(handle, id, true), at: now, into: &out)
      pipe.isHeld = true
    }
    notify(pipe)
  }

  /// Gives the peer credits again after the app has read.
  func resume(_ pipe: ChannelPipe) {
    guard let link = device(pipe.peer.device)?.link, link.channels[pipe.id] === pipe, pipe.isHeld else { return }
    pipe.isHeld = false
    try? stack.perform(.hold(link.handle, pipe.id, false), at: now, into: &out)
    stack.advance(to: now, into: &out)
    collect()
  }

  /// Sends what the app has written.
  func send(from pipe: ChannelPipe) {
    guard let link = device(pipe.peer.device)?.link, link.channels[pipe.id] === pipe else { return }
    send(from: pipe, on: link)
  }

  private func send(from pipe: ChannelPipe, on link: PhoneLink) {
    while let sdu = pipe.nextSDU() {
      guard stack.sendSDU(sdu.span, on: pipe.id, of: link.handle, at: now, into: &out) == .queued else { break }
      pipe.sent(sdu.count)
    }
    collect()
    notify(pipe)
    if pipe.isDrained { closeChannel(pipe, on: link) }
  }

  /// Closes a channel because the app has closed its streams or has ended.
  func closeChannel(_ pipe: ChannelPipe, on link: PhoneLink) {
    guard link.channels[pipe.id] === pipe else { return }
    perform(.closeChannel(link.handle, pipe.id))
  }

  func close(_ pipe: ChannelPipe) {
    guard let link = device(pipe.peer.device)?.link else { return }
    pipe.closesWhenDrained = true
    if pipe.isDrained { closeChannel(pipe, on: link) }
  }

  /// Queues the events that the app's streams must raise.
  func notify(_ pipe: ChannelPipe) {
    guard let record = record(pipe.peer.manager), record.app.phase != .terminated else { return }
    for (stream, events, target) in pipe.takeEvents() {
      // Streams are not declared Sendable. Only the app's run loop uses this one, and its state is behind locks.
      nonisolated(unsafe) let stream = stream
      deliveries.append(Delivery(app: record.app, target: target) { for event in events { stream.raise(event) } })
    }
  }
}

extension CreditBasedResult {
  /// Whether a channel was refused because the link is not secure enough (Core 5.4 Vol 3 Part A 4.23).
  var isLackOfSecurity: Bool {
    self == .insufficientAuthentication || self == .insufficientEncryption || self == .encryptionKeySizeTooShort
  }
}
