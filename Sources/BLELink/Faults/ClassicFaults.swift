import BLECore
import BLEHCI
import BLEL2CAP
import BLESDP
import Faults

/// Faults over BR/EDR.
extension HostEngine {
  /// Injects the fault that a request for a connection triggers; returns whether it is used up. A controller that gets no answer rejects the
  /// connection itself after its Connection Accept Timeout (Core 5.4 Vol 4 Part E 6.7).
  mutating func isUsedUp(_ request: HCIConnectionRequest, into out: inout HostOutput) -> Bool {
    switch injectFault(at: .paged(request.address), on: nil, into: &out) {
    case .ignore: return true
    case .delay(let delay):
      faults?.agenda.add(.answer(request), at: out.now + delay)
      return true
    case .decline:
      reject(request)
      return true
    case let action?: return action.endsLinks
    case nil: return false
    }
  }

  /// Injects the fault that a request for service discovery triggers; returns whether it is used up.
  mutating func isUsedUp(
    discovery pdu: Span<UInt8>, on id: ChannelID, of link: LinkID, into out: inout HostOutput
  ) -> Bool {
    let connection = links[link].handle
    switch injectFault(at: .discovery, on: connection, into: &out) {
    case .ignore: return true
    case .delay(let delay):
      faults?.agenda.add(.discover(pdu.withUnsafeBytes { Array($0) }, connection, id), at: out.now + delay)
      return true
    case .decline:
      guard let (header, _) = try? SDPHeader.decodePrefix(of: pdu) else { return true }
      SDPErrorResponse(error: .insufficientResources).encodePDU(transaction: header.transaction, into: &out.bearer)
      sendDiscovery(on: id, of: link, into: &out)
      return true
    case .repeatAnswer(let count):
      for _ in 0..<count { answerDiscovery(pdu, on: id, of: link, into: &out) }
      return true
    case .alter(let alteration):
      answerDiscovery(pdu, on: id, of: link, into: &out) { alteration.applied(toDiscovery: $0) }
      return true
    case let action?: return action.endsLinks
    case nil: return false
    }
  }
}

extension FaultAlteration {
  /// Returns a response of service discovery with the alteration.
  fileprivate func applied(toDiscovery pdu: [UInt8]) -> [UInt8] {
    let head = SDPHeader.octetCount
    switch self {
    case .truncate(let count): return Array(pdu.prefix(max(1, count)))
    case .lengthen(let count): return pdu + [UInt8](repeating: 0, count: max(0, count - pdu.count))
    case .corrupt: return pdu.prefix(head) + pdu.dropFirst(head).map { ~$0 }
    case .wrongRequest: return pdu.prefix(1) + pdu.dropFirst().prefix(2).map { ~$0 } + pdu.dropFirst(3)
    case .value(let octets): return pdu.prefix(3) + [UInt8(octets.count >> 8), UInt8(octets.count & 0xFF)] + octets
    case .replace(let octets): return octets
    }
  }
}
