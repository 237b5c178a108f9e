import BLECore

/// The Security Manager of an accessory that does not pair: it refuses every Pairing Request, so that the central knows at once
/// (Core 5.4 Vol 3 Part H 2.3.5.1 and 3.5.5).
public enum PairingRefusal {
  /// Takes a Security Manager packet; appends Pairing Failed, and returns true, when it is a Pairing Request. Other packets
  /// belong to no pairing and are ignored.
  public static func receive(_ packet: Span<UInt8>, reply: inout OctetBuffer) -> Bool {
    guard packet.count > 0, packet[0] == SMPCode.pairingRequest.rawValue else { return false }
    reply.append(SMPCode.pairingFailed.rawValue)
    PairingFailed(reason: .pairingNotSupported).encode(into: &reply)
    return true
  }
}
