import BLECore
import BLEHCI
import BLEL2CAP
import Faults

/// Faults in L2CAP channels.
extension HostEngine {
  /// Injects the fault that a signalling packet triggers; returns whether the packet is used up. Only channel requests
  /// (Core 5.4 Vol 3 Part A 4.22, 4.25) can trigger one.
  mutating func isUsedUp(signalling frame: Span<UInt8>, on link: LinkID, into out: inout HostOutput) -> Bool {
    guard faults?.watches(.channelRequest) == true, let request = ChannelRequestFrame(frame) else { return false }
    let connection = links[link].handle
    switch injectFault(at: .channelRequest(request.psm), on: connection, into: &out) {
    case .ignore: return true
    case .refuseChannel(let result):
      scheduler.sendFrame(on: links[link].signallingChannel, of: connection, into: &out.octets) { buffer in
        request.refuse(CreditBasedResult(rawValue: result), into: &buffer)
      }
      return true
    case let action?: return action.endsLinks
    case nil: return false
    }
  }

  /// Injects the fault that an opened channel triggers.
  mutating func injectFault(
    atOpened status: ChannelStatus, on connection: ConnectionHandle, into out: inout HostOutput
  ) {
    guard faults?.watches(.channelOpened) == true else { return }
    disturb(
      status, injectFault(at: .channelOpened(status.psm), on: connection, into: &out), on: connection,
      into: &out)
  }

  /// Injects the fault that a received SDU triggers; returns whether the SDU is used up.
  mutating func isUsedUp(sduOn id: ChannelID, of link: LinkID, into out: inout HostOutput) -> Bool {
    guard faults?.watches(.sdu) == true, let status = links[link].channels.status(id) else { return false }
    let connection = links[link].handle
    let action = injectFault(at: .sdu(status.psm), on: connection, into: &out)
    disturb(status, action, on: connection, into: &out)
    return action == .drop || action == .ignore || action?.endsLinks == true
  }

  private mutating func disturb(
    _ status: ChannelStatus, _ action: FaultAction?, on connection: ConnectionHandle, into out: inout HostOutput
  ) {
    guard let link = links.id(of: connection) else { return }
    switch action {
    case .withholdCredits: links[link].channels.hold(status.id)
    case .overflowCredits:
      scheduler.sendFrame(on: links[link].signallingChannel, of: connection, into: &out.octets) { buffer in
        FlowControlCredit(source: status.id, credits: .max).encodePacket(identifier: 0xFE, into: &buffer)
      }
    case .badFrame(let kind):
      scheduler.sendFrame(on: status.remote, of: connection, into: &out.octets) { $0.append(kind.payload(for: status)) }
    case .closeChannel: faults?.agenda.add(.close(status.id, connection), at: .zero)
    default: break
    }
  }
}

extension FaultFrame {
  /// Returns the payload of such a frame for the peer's end of the channel (Core 5.4 Vol 3 Part A 3.4.3).
  fileprivate func payload(for status: ChannelStatus) -> [UInt8] {
    switch self {
    case .tooLongSDU: frame(sduLength: status.sendMTU + 1, octets: 1)
    case .excess: frame(sduLength: 1, octets: 2)
    case .tooLong: frame(sduLength: 2 * status.sendMPS, octets: 2 * status.sendMPS)
    case .short: [0x55]
    }
  }

  private func frame(sduLength: Int, octets: Int) -> [UInt8] {
    let length = UInt16(clamping: sduLength)
    return [UInt8(length & 0xFF), UInt8(length >> 8)] + [UInt8](repeating: 0x55, count: octets)
  }
}

/// A signalling packet in which a peer requests channels.
private struct ChannelRequestFrame {
  let psm: SPSM
  private let identifier: UInt8
  /// The number of channels of an enhanced request; nil for an LE credit-based request, which is for one.
  private let count: Int?

  /// Nil if the packet is not a channel request, or is malformed.
  init?(_ frame: Span<UInt8>) {
    guard let (header, length) = try? SignallingHeader.decodePrefix(of: frame) else { return nil }
    let data = frame.extracting(length...)
    switch header.code {
    case .leCreditBasedConnectionRequest:
      guard let request = try? LECreditBasedConnectionRequest(decoding: data) else { return nil }
      (psm, count) = (request.psm, nil)
    case .creditBasedConnectionRequest:
      guard let request = try? CreditBasedConnectionRequest(decoding: data) else { return nil }
      (psm, count) = (request.psm, request.sources.count)
    default: return nil
    }
    identifier = header.identifier
  }

  /// Appends the response that refuses it. An enhanced response lists destination 0 for each channel.
  func refuse(_ result: CreditBasedResult, into buffer: inout OctetBuffer) {
    guard let count else {
      var response = LECreditBasedConnectionResponse()
      response.result = result
      return response.encodePacket(identifier: identifier, into: &buffer)
    }
    var response = CreditBasedConnectionResponse()
    response.result = result
    response.destinations = [ChannelID](repeating: ChannelID(rawValue: 0), count: count)
    response.encodePacket(identifier: identifier, into: &buffer)
  }
}
