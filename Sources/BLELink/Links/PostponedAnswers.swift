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
    _ pdu: Span<UInt8>, on index: Int, over place: Int, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    let opcode = ATTOpcode(rawValue: pdu[0])
    // Enhanced bearers have no MTU to exchange.
    guard opcode == .exchangeMTURequest, place == 0, links[index].bearers[0].att.openRequest == nil else {
      return false
    }
    let link = links[index].handle
    switch policy.mtuAnswer {
    case .accept: return false
    case .late(let delay):
      links[index].postponed.exchange = .init(due: now + delay, pdu: pdu.withUnsafeBytes { Array($0) })
    case .refuse:
      let refusal = ErrorResponse(request: opcode, handle: 0, error: .requestNotSupported)
      send(refusal.encodedPDU, over: .fixed, of: link, at: now, into: &out)
      if reportsAccess { out.events.append(.server(link, .refused(opcode, handle: 0, refusal.error))) }
    case .ignore: break
    }
    return true
  }

  /// Does what was put off and is due on a link.
  mutating func answerPostponed(on index: Int, at now: Instant, into out: inout HostOutput) {
    guard let due = links[index].postponed.nextDeadline, due <= now else { return }
    if let due = links[index].postponed.dataLengthDue, due <= now {
      links[index].postponed.dataLengthDue = nil
      setDataLength(links[index].handle, octets: policy.dataLength)
    }
    if let answer = links[index].postponed.parameters, answer.due <= now {
      links[index].postponed.parameters = nil
      self.answer(answer.request, isAccepted: answer.isAccepted)
    }
    if let exchange = links[index].postponed.exchange, exchange.due <= now {
      links[index].postponed.exchange = nil
      serve(exchange.pdu.span, on: index, over: 0, at: now, into: &out)
    }
  }
}
