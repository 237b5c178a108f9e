import BLEHCI
import Capture

extension PacketDecoder {
  /// Processes a PDU on the air.
  mutating func receiveAir(_ pdu: Span<UInt8>, _ reception: AirReception, _ summary: inout PacketSummary) {
    summary.accessAddress = reception.accessAddress
    summary.pdu = .record(0..<pdu.count)
    let isData: Bool
    switch reception.kind {
    case .toPeripheral:
      isData = true
    case .toCentral:
      isData = true
      summary.sender = .peer
    case nil:
      isData = reception.accessAddress != AirReception.advertisingAccessAddress
      if isData { guessSender(pdu.count, reception, &summary) }
    default: isData = false
    }
    summary.layer = isData ? .linkData : .advertising
    guard pdu.count >= 2, pdu.count == 2 + Int(pdu[1]) else {
      summary.fault = .malformed
      return
    }
    if reception.isCRCValid == false {
      summary.fault = .crc
      return
    }
    if isData {
      receiveLinkData(pdu, reception, &summary)
    } else {
      receiveAdvertising(pdu, &summary)
    }
  }

  /// Determines the sender of a packet on a connection from its time: the packets of an event alternate, T_IFS apart, and the central sends
  /// first (Core 5.4 Vol 6 Part B 4.1.1, 4.5.1). Events are at least 7.5 ms apart. The tolerance allows for sniffers with less accurate
  /// clocks.
  private mutating func guessSender(_ length: Int, _ reception: AirReception, _ summary: inout PacketSummary) {
    let place = link(
      Self.key(source: summary.source, accessAddress: reception.accessAddress), source: summary.source, isOnAir: true)
    let longestPause: Int64 = 3_000_000
    if let last = links[place].lastOnAir, summary.nanoseconds.elapsed(since: last.end) < longestPause {
      summary.sender = last.sender.other
    }
    // Access address and CRC have seven octets; the preamble has one, or two on LE 2M.
    let airTime = reception.phy == 2 ? Int64(length + 9) * 4000 : Int64(length + 8) * 8000
    links[place].lastOnAir = (summary.sender, summary.nanoseconds.advanced(bySaturating: airTime))
  }

  /// Processes a PDU on the advertising channels (Core 5.4 Vol 6 Part B 2.3).
  private mutating func receiveAdvertising(_ pdu: Span<UInt8>, _ summary: inout PacketSummary) {
    summary.opcode = UInt16(pdu[0] & 0x0F)
    summary.value = 2..<pdu.count
    switch pdu[0] & 0x0F {
    case 0, 1, 2, 4, 6:
      if pdu.count >= 8 { summary.address = pdu.address(2) }
      summary.sender = .peer
    case 3: if pdu.count >= 14 { summary.address = pdu.address(8) }
    case 5:
      guard pdu.count >= 18 else { return summary.fault = .malformed }
      summary.address = pdu.address(8)
      let accessAddress = UInt32(pdu.word(14)) | UInt32(pdu.word(16)) << 16
      begin(
        Self.key(source: summary.source, accessAddress: accessAddress), source: summary.source,
        address: pdu.address(8), isOnAir: true)
    case 7:
      summary.sender = .peer
      guard let header = ExtendedAdvertisingHeader(pdu) else { return summary.fault = .malformed }
      summary.address = header.address
    default: break
    }
  }

  /// Processes a PDU on a connection (Core 5.4 Vol 6 Part B 2.4).
  private mutating func receiveLinkData(
    _ pdu: Span<UInt8>, _ reception: AirReception, _ summary: inout PacketSummary
  ) {
    let place = link(
      Self.key(source: summary.source, accessAddress: reception.accessAddress), source: summary.source, isOnAir: true)
    summary.address = links[place].address
    summary.value = 2..<pdu.count
    guard pdu.count > 2 else {
      links[place].lastSequence[summary.sender.rawValue] = nil
      return
    }
    if isRepeated(pdu, on: place, summary.sender) {
      summary.opcode = LinkDataKind.repeated
      return
    }
    // An encrypted PDU would be four octets longer: the capture was decrypted without a mark.
    if links[place].isEncrypted, pdu.count == 3, pdu[0] & 0b11 == 0b11 { links[place].isEncrypted = false }
    if links[place].isEncrypted, !reception.isDecrypted {
      summary.opcode = LinkDataKind.encrypted
      return
    }
    switch pdu[0] & 0b11 {
    case 0b11:
      summary.layer = .linkControl
      summary.opcode = UInt16(pdu[2])
      receiveControl(pdu, on: place, &summary)
    case 0b10: recombine(.firstFromController, pdu, at: 2, on: place, &summary)
    case 0b01: recombine(.continuing, pdu, at: 2, on: place, &summary)
    default: summary.fault = .malformed
    }
  }

  /// Returns whether the PDU is a retransmission: the sender has just sent the same PDU with the same sequence number, and it was not
  /// acknowledged.
  private mutating func isRepeated(_ pdu: Span<UInt8>, on place: Int, _ sender: PacketSender) -> Bool {
    let bit = pdu[0] >> 3 & 1
    let content = pdu.array(from: 1)
    if let last = links[place].lastSequence[sender.rawValue], last.bit == bit, last.octets == content { return true }
    links[place].lastSequence[sender.rawValue] = (bit, content)
    return false
  }

  private mutating func receiveControl(_ pdu: Span<UInt8>, on place: Int, _ summary: inout PacketSummary) {
    switch pdu[2] {
    // LL_TERMINATE_IND, LL_REJECT_IND, LL_REJECT_EXT_IND.
    case 0x02, 0x0D: if pdu.count >= 4 { summary.status = pdu[3] }
    case 0x11: if pdu.count >= 5 { summary.status = pdu[4] }
    // From LL_START_ENC_REQ on everything is encrypted, until LL_PAUSE_ENC_RSP (Core 5.4 Vol 6 Part B 5.1.3).
    case 0x05:
      links[place].isEncrypted = true
      concludePairing(on: place)
    case 0x0B: links[place].isEncrypted = false
    default: break
    }
  }
}

/// Kinds of link-layer data PDUs that complete nothing.
package enum LinkDataKind {
  static let repeated: UInt16 = 1
  package static let encrypted: UInt16 = 2
}
