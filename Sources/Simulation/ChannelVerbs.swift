import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost

/// A scripted central's operations on credit-based channels and enhanced bearers.
extension ScriptedCentral {
  /// Opens enhanced bearers, and waits until each is open or refused. Returns the link's bearers at that time.
  @discardableResult
  package func openBearers(_ count: Int, on link: ConnectionHandle) throws -> [EnhancedBearer] {
    let first = events.count
    try perform(.openBearers(link, count: count))
    let isAnswered = stage.run(
      until: {
        let answers = events[min(first, events.count)...].count { event in
          switch event {
          case .channel(link, .opened(let status)): status.psm == .enhancedAttributeProtocol
          case .channel(link, .closed(_, .enhancedAttributeProtocol, _, _)): true
          default: false
          }
        }
        return answers >= count
      }, limit: limit)
    guard isAnswered else { throw SimulationFailure.timedOut("enhanced bearers", after: limit) }
    return stack.enhancedBearers(of: link)
  }

  /// Opens a channel, and waits until it is open.
  package func openChannel(
    _ psm: SPSM, _ parameters: ChannelParameters = ChannelParameters(mtu: 2048, mps: 247), on link: ConnectionHandle
  ) throws -> ChannelStatus {
    let first = events.count
    let id = try stack.openChannel(psm, on: link, parameters: parameters, at: stage.now, into: &out)
    collect()
    return try wait(for: "a channel", from: first) { event -> Result<ChannelStatus, SimulationFailure>? in
      switch event {
      case .channel(link, .opened(let status)) where status.id == id: .success(status)
      case .channel(link, .closed(id, _, let closure, _)): .failure(.refused("no channel: \(closure)"))
      default: nil
      }
    }.get()
  }

  /// Requests a channel without waiting for the answer, which is reported by the event `channel`.
  package func requestChannel(
    _ psm: SPSM, _ parameters: ChannelParameters = ChannelParameters(mtu: 2048, mps: 247), on link: ConnectionHandle
  ) throws {
    _ = try stack.openChannel(psm, on: link, parameters: parameters, at: stage.now, into: &out)
    collect()
    stage.exchange()
  }

  /// Submits an SDU to a channel, if there is room for it now.
  @discardableResult
  package func offerSDU(_ sdu: [UInt8], on channel: ChannelID, of link: ConnectionHandle) -> SDUSubmission {
    let submission = stack.sendSDU(sdu.span, on: channel, of: link, at: stage.now, into: &out)
    collect()
    stage.exchange()
    return submission
  }

  /// Submits an SDU to a channel as soon as there is room for it.
  package func sendSDU(_ sdu: [UInt8], on channel: ChannelID, of link: ConnectionHandle) throws {
    var submission = SDUSubmission.full
    stage.run(
      until: {
        submission = stack.sendSDU(sdu.span, on: channel, of: link, at: stage.now, into: &out)
        collect()
        return submission != .full
      }, limit: limit)
    if submission == .full { throw SimulationFailure.timedOut("room for an SDU", after: limit) }
    guard submission == .queued else { throw SimulationFailure.refused("SDU: \(submission)") }
    stage.exchange()
  }

  /// Returns the SDUs received on a channel, in order.
  package func sdus(on channel: ChannelID, of link: ConnectionHandle) -> [[UInt8]] {
    events.compactMap { event in
      if case .sdu(link, channel, let sdu) = event { sdu } else { nil }
    }
  }

  /// Closes a channel, and waits until it is closed.
  package func closeChannel(_ channel: ChannelID, of link: ConnectionHandle) throws {
    let first = events.count
    try perform(.closeChannel(link, channel))
    try wait(for: "the end of the channel", from: first) { event -> Void? in
      if case .channel(link, .closed(channel, _, _, _)) = event { () } else { nil }
    }
  }
}
