import BLEHCI

/// What the Common Extended Advertising Payload of a PDU on the air says about its sender and its advertising set (Core 5.4 Vol 6 Part B
/// 2.3.4).
package struct ExtendedAdvertisingHeader: Hashable {
  /// AdvMode: whether the set accepts connections.
  package var isConnectable: Bool
  /// AdvMode: whether the set answers scan requests.
  package var isScannable: Bool
  /// AdvA.
  package var address: UInt64?
  /// Whether there is a TargetA.
  package var isDirected = false
  /// ADI: the Advertising DID in bits 0 to 11, the SID in bits 12 to 15.
  package var dataInfo: UInt16?
  /// Whether an AuxPtr says that another PDU follows.
  package var hasPointer = false
  /// TxPower, in dBm.
  package var power: Int8?
  /// Where AdvData is in the PDU.
  package var data: Range<Int>

  /// The Advertising SID.
  package var setID: UInt8? { dataInfo.map { UInt8($0 >> 12) } }

  /// Reads the header of a PDU, which begins with its header of two octets; nil if it is malformed.
  package init?(_ pdu: Span<UInt8>) {
    guard pdu.count >= 3 else { return nil }
    let mode = pdu[2] >> 6
    (isConnectable, isScannable) = (mode == 1, mode == 2)
    let end = 3 + Int(pdu[2] & 0x3F)
    guard end <= pdu.count else { return nil }
    data = end..<pdu.count
    guard end > 3 else { return }
    let flags = pdu[3]
    var place = 4
    /// Returns the place of a field, if its flag is set.
    func field(_ bit: UInt8, _ length: Int) -> Int? {
      guard flags >> bit & 1 != 0 else { return nil }
      defer { place += length }
      return place
    }
    let (sender, target, _) = (field(0, 6), field(1, 6), field(2, 1))
    let (info, pointer, _, level) = (field(3, 2), field(4, 3), field(5, 18), field(6, 1))
    guard place <= end else { return nil }
    address = sender.map { pdu.address($0) }
    isDirected = target != nil
    dataInfo = info.map { pdu.word($0) }
    hasPointer = pointer != nil
    power = level.map { Int8(bitPattern: pdu[$0]) }
  }
}
