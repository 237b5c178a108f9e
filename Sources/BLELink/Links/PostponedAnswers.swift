import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI

/// The actions and answers of a link that the policy delays.
struct PostponedAnswers: Sendable {
  /// When to propose long packets.
  var dataLengthDue: Instant?
  /// The answer to a request of the link layer for other connection parameters.
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

  /// When the next of these is due.
  var nextDeadline: Instant? { .earliest(dataLengthDue, .earliest(parameters?.due, exchange?.due)) }
}

extension HostEngine {
  /// Delays, refuses or ignores an Exchange MTU Request, as the policy says; returns false for any other PDU.
  mutating func isPostponed(
    _ pdu: Span<UInt8>, on link: LinkID, over bearer: BearerID, into out: inout HostOutput
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
      links[link].postponed.exchange = .init(due: out.now + delay, pdu: pdu.withUnsafeBytes { Array($0) })
    case .refuse:
      let refusal = ErrorResponse(request: opcode, handle: 0, error: .requestNotSupported)
      send(refusal.encodedPDU, over: .fixed, of: handle, into: &out)
      if reportsAccess { out.events.append(.server(handle, .refused(opcode, handle: 0, refusal.error))) }
    case .ignore: break
    }
    return true
  }

  /// Executes the delayed actions of a link that are due.
  mutating func answerPostponed(on link: LinkID, into out: inout HostOutput) {
    let now = out.now
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
      serve(exchange.pdu.span, on: link, over: .fixed, into: &out)
    }
  }
}
