import AccessoryProfile
import BLECore
import BLEHCI
import BLEL2CAP

extension ChannelEvent {
  /// Returns the event's name and fields. A channel is identified by its CID on this side.
  package func described(on handle: ConnectionHandle) -> (name: String, fields: [String: ProfileValue]) {
    switch self {
    case .opened(let status): ("channel-opened", handle.fields(status.json))
    case .closed(let id, let psm, let closure, let unsent):
      (
        "channel-closed",
        handle.fields([
          "channel": id.json, "psm": psm.json, "reason": .string(closure.text), "unsent": .int(Int64(unsent)),
        ])
      )
    case .maySend(let id): ("channel-may-send", handle.fields(["channel": id.json]))
    case .reconfigured(let id, let mtu, let mps):
      (
        "channel-reconfigured",
        handle.fields(["channel": id.json, "mtu": .int(Int64(mtu)), "mps": .int(Int64(mps))])
      )
    case .reconfigurationAnswered(let ids, let result):
      (
        "channel-reconfiguration-answered",
        handle.fields([
          "channels": .array(ids.map(\.json)), "result": result.map { .int(Int64($0.rawValue)) } ?? .null,
        ])
      )
    case .authorizationAsked(let request, _):
      (
        "channel-authorization-asked",
        handle.fields(["psm": request.psm.json, "channels": .int(Int64(request.channels))])
      )
    case .peerRefused(let psm, let result, let channels):
      (
        "channel-refused",
        handle.fields([
          "psm": psm.json, "result": .int(Int64(result.rawValue)), "channels": .int(Int64(channels)),
        ])
      )
    }
  }
}

extension ChannelStatus {
  package var json: [String: ProfileValue] {
    [
      "channel": id.json, "remote": remote.json, "psm": psm.json, "incoming": .bool(isIncoming),
      "open": .bool(isOpen), "mtu": .int(Int64(receiveMTU)), "mps": .int(Int64(receiveMPS)),
      "peer_mtu": .int(Int64(sendMTU)), "peer_mps": .int(Int64(sendMPS)), "credits": .int(Int64(receiveCredits)),
      "peer_credits": .int(Int64(sendCredits)), "queued": .int(Int64(queuedOctets)), "sent": sent.json,
      "received": received.json,
    ]
  }
}

extension ChannelTraffic {
  fileprivate var json: ProfileValue {
    .object(["sdus": .int(Int64(sdus)), "frames": .int(Int64(frames)), "octets": .int(Int64(octets))])
  }
}

extension ChannelID {
  fileprivate var json: ProfileValue { .int(Int64(rawValue)) }
}

extension SPSM {
  package var json: ProfileValue { .int(Int64(rawValue)) }
}

extension ChannelClosure {
  /// Why the channel has ended, as text.
  package var text: String {
    switch self {
    case .local: "closed here"
    case .unpublished: "unpublished"
    case .remote: "closed by the central"
    case .linkLost: "the connection has ended"
    case .violation(let violation): "the central broke the protocol: \(violation.text)"
    case .refused(.result(let result)): "refused with result 0x\(String(result.rawValue, radix: 16))"
    case .refused(.notUnderstood): "the central does not support the request"
    case .refused(.unanswered): "the central did not answer"
    }
  }
}

extension ChannelViolation {
  fileprivate var text: String {
    switch self {
    case .noCredits: "a frame without credits"
    case .frameTooLong(let octets): "a frame of \(octets) octets, more than the MPS"
    case .missingSDULength: "a frame without the SDU length"
    case .sduTooLong(let octets): "an SDU of \(octets) octets, more than the MTU"
    case .sduOverflow: "frames with more octets than the SDU"
    case .creditOverflow: "more than 65,535 credits"
    case .unacceptableResponse: "a response with invalid values"
    case .duplicateDestination: "two channels with the same CID"
    }
  }
}

extension ChannelSink {
  /// What it has received.
  package var json: ProfileValue {
    .object([
      "sdus": .int(Int64(sdus)), "octets": .int(Int64(octets)),
      "sha256": sha256.map { .string($0.hexadecimal) } ?? .null,
    ])
  }
}
