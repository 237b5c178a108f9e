import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI

/// What a link does later than the peer asks for it, because the policy says so.
struct PostponedAnswers: Sendable {
  /// When long packets are offered.
  var dataLengthDue: Instant?
  /// A request for other connection parameters by the link layer.
  var parameters: ParameterAnswer?
  /// An Exchange MTU Request.
  var exchange: Exchange?

  struct ParameterAnswer: Sendable {
    var due: Instant
    var request: LERemoteConnectionParameterRequest
    var isAccepted: Bool
  }

  struct Exchange: Sendable {
    var due: Instant
    var pdu: [UInt8]
  }

  /// When the next of them is due.
  var nextDeadline: Instant? { .earliest(dataLengthDue, .earliest(parameters?.due, exchange?.due)) }
}

extension HostEngine {
  /// Does what the policy for Exchange MTU Requests wants instead of an answer at once; false for every other PDU.
  mutating func isPostponed(
    _ pdu: Span<UInt8>, on link: LinkID, over bearer: BearerID, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    let opcode = ATTOpcode(rawValue: pdu[0])
    // Enhanced bearers have no MTU to exchange.
    guard opcode == .exchangeMTURequest, bearer == .fixed, links[link].bearers.fixed.att.openRequest == nil else {
      return false
    }
    let handle = links[link].handle
    switch policy.mtuAnswer {
    case .accept: return false
    case .late(let delay):
      links[link].postponed.exchange = .init(due: now + delay, pdu: pdu.withUnsafeBytes { Array($0) })
    case .refuse:
      let refusal = ErrorResponse(request: opcode, handle: 0, error: .requestNotSupported)
      send(refusal.encodedPDU, over: .fixed, of: handle, at: now, into: &out)
      if reportsAccess { out.events.append(.server(handle, .refused(opcode, handle: 0, refusal.error))) }
    case .ignore: break
    }
    return true
  }

  /// Does what was put off and is due on a link.
  mutating func answerPostponed(on link: LinkID, at now: Instant, into out: inout HostOutput) {
    guard let due = links[link].postponed.nextDeadline, due <= now else { return }
    if let due = links[link].postponed.dataLengthDue, due <= now {
      links[link].postponed.dataLengthDue = nil
      setDataLength(links[link].handle, octets: policy.dataLength)
    }
    if let answer = links[link].postponed.parameters, answer.due <= now {
      links[link].postponed.parameters = nil
      self.answer(answer.request, isAccepted: answer.isAccepted)
    }
    if let exchange = links[link].postponed.exchange, exchange.due <= now {
      links[link].postponed.exchange = nil
      serve(exchange.pdu.span, on: link, over: .fixed, at: now, into: &out)
    }
  }
}
