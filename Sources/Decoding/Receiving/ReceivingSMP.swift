import BLECore
import BLESMP
import Capture

extension PacketDecoder {
  /// Processes a Security Manager packet as part of a pairing (Core 5.4 Vol 3 Part H 2.1).
  mutating func receiveSMP(_ packet: Span<UInt8>, on place: Int, _ summary: inout PacketSummary) {
    summary.layer = .smp
    guard packet.count > 0 else {
      summary.fault = .malformed
      return
    }
    summary.opcode = UInt16(packet[0])
    let code = SMPCode(rawValue: packet[0])
    let content = packet.extracting(1...)
    if SMPTree.length(of: code).map({ $0 != content.count }) ?? false { summary.fault = .malformed }
    let pairing = pairing(for: code, on: place, summary)
    guard let pairing else { return }
    pairings[pairing].latest = summary.nanoseconds
    if pairings[pairing].codes.count < PairingConversation.codeLimit { pairings[pairing].codes.append(packet[0]) }
    summary.request = pairings[pairing].number
    summary.latency = summary.nanoseconds.elapsed(since: pairings[pairing].began)
    switch code {
    case .pairingRequest: pairings[pairing].request = try? PairingFeatures(decoding: content)
    case .pairingResponse: pairings[pairing].response = try? PairingFeatures(decoding: content)
    case .pairingFailed where content.count == 1:
      summary.status = content[0]
      pairings[pairing].outcome = .failed(content[0])
      links[place].pairing = nil
    default: break
    }
  }

  /// Returns the position of a packet's pairing. A request starts a pairing, or continues that of a Security Request.
  private mutating func pairing(for code: SMPCode, on place: Int, _ summary: PacketSummary) -> Int? {
    let isRequest = code == .pairingRequest
    if let open = links[place].pairing {
      let isAnswered = isRequest && pairings[open].request != nil
      let isOver = code == .securityRequest && pairings[open].outcome != .open
      if !isAnswered, !isOver { return open }
    }
    guard isRequest || code == .securityRequest, pairings.count < Self.pairingLimit else { return nil }
    pairings.append(
      PairingConversation(
        number: summary.number, began: summary.nanoseconds, latest: summary.nanoseconds, handle: summary.handle,
        initiator: isRequest ? summary.sender : summary.sender.other))
    links[place].pairing = pairings.count - 1
    return pairings.count - 1
  }

  /// Notes that the link is encrypted, which completes its pairing except for key distribution.
  mutating func concludePairing(on place: Int) {
    guard let pairing = links[place].pairing, pairings[pairing].outcome == .open else { return }
    pairings[pairing].outcome = .encrypted
  }
}
