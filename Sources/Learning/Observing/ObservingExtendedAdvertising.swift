import BLECore
import BLEHCI
import Capture
import Decoding

/// Extended advertisements from the air that are still incomplete. AUX_CHAIN_IND names no sender, but has the ADI of the PDU that points to it
/// (Core 5.4 Vol 6 Part B 2.3.1.9).
struct AdvertisingChains: Sendable {
  /// The part of an advertisement that has been received.
  struct Chain: Sendable {
    var begin: Int64
    var address: DeviceAddress
    var addressType: AddressType
    var kind: ExtendedReportType
    var power: Int8 = 127
    var phy = PHY.none
    var data: [UInt8] = []
  }

  /// The maximum number of stored chains.
  private static let limit = 64
  /// AuxPtr points at most 2.46 s ahead (2.3.4.5).
  private static let lifetime: Int64 = 2_460_000_000

  /// The chains, by source and ADI.
  private var open: [UInt64: Chain] = [:]

  private static func key(_ source: UInt32, _ dataInfo: UInt16?) -> UInt64 {
    UInt64(source) << 32 | (dataInfo.map { UInt64($0) } ?? 0x1_0000)
  }

  /// Removes and returns the chain that a PDU continues; nil if there is none.
  mutating func take(_ source: UInt32, _ dataInfo: UInt16?, at time: Int64) -> Chain? {
    guard let chain = open.removeValue(forKey: Self.key(source, dataInfo)) else { return nil }
    return time >= chain.begin && time &- chain.begin < Self.lifetime ? chain : nil
  }

  /// Stores an incomplete chain, unless it is longer than the maximum of 1,650 octets (Core 5.4 Vol 6 Part B 2.3.4.9).
  mutating func keep(_ chain: Chain, _ source: UInt32, _ dataInfo: UInt16?) {
    guard chain.data.count <= 1_650 else { return }
    if open.count >= Self.limit { open.removeAll() }
    open[Self.key(source, dataInfo)] = chain
  }
}

extension DeviceObserver {
  /// Processes an extended advertising PDU that a sniffer received: ADV_EXT_IND, AUX_ADV_IND, AUX_SCAN_RSP or AUX_CHAIN_IND (Core 5.4 Vol 6 Part
  /// B 2.3.1.5 to 2.3.1.9, 2.3.2.3).
  mutating func takeExtendedAdvertising(_ summary: PacketSummary, _ record: CaptureRecord) {
    guard case .air(let reception) = record.content, let header = ExtendedAdvertisingHeader(record.octets.span) else {
      return
    }
    let earlier = chains.take(summary.source, header.dataInfo, at: summary.nanoseconds)
    guard var chain = begin(summary, record, header) ?? earlier else { return }
    chain.data += record.octets[header.data]
    if let power = header.power { chain.power = power }
    // ADV_EXT_IND has no data, and is never sent on LE 2M.
    if !reception.isPrimary { chain.phy = PHY(rawValue: reception.phy) }
    if header.hasPointer { return chains.keep(chain, summary.source, header.dataInfo) }
    if isScanResponse(chain, header, reception) { chain.kind.formUnion(.scanResponse) }
    note(
      chain.data, kind: chain.kind, of: chain.address, type: chain.addressType,
      ObservedSet.Key(isLegacy: false, setID: header.setID ?? 0xFF), at: chain.begin, secondary: chain.phy,
      power: chain.power)
  }

  /// Returns the beginning of an advertisement; nil if the PDU names no sender.
  private func begin(
    _ summary: PacketSummary, _ record: CaptureRecord, _ header: ExtendedAdvertisingHeader
  ) -> AdvertisingChains.Chain? {
    guard let bits = header.address else { return nil }
    var kind = ExtendedReportType([])
    if header.isConnectable { kind.formUnion(.connectable) }
    if header.isScannable { kind.formUnion(.scannable) }
    if header.isDirected { kind.formUnion(.directed) }
    return AdvertisingChains.Chain(
      begin: summary.nanoseconds, address: DeviceAddress(bits: bits),
      addressType: record.octets[0] & 0x40 == 0 ? .publicDevice : .random, kind: kind)
  }

  /// Returns whether this is an AUX_SCAN_RSP. If the sniffer does not name the kind of PDU, a scannable set of the sender with the same
  /// Advertising SID proves it.
  private func isScanResponse(
    _ chain: AdvertisingChains.Chain, _ header: ExtendedAdvertisingHeader, _ reception: AirReception
  ) -> Bool {
    if reception.kind == .auxiliaryScanResponse { return true }
    guard !header.isConnectable, !header.isScannable else { return false }
    return devices[.address(chain.address.bits)]?.sets.contains {
      !$0.key.isLegacy && $0.key.setID == header.setID ?? 0xFF && $0.kind.contains(.scannable)
    } ?? false
  }
}

extension AirReception {
  /// Whether it was received on a primary advertising channel: 37, 38 or 39 (Core 5.4 Vol 6 Part B 1.4.1). False if unknown.
  fileprivate var isPrimary: Bool { rfChannel.map { [0, 12, 39].contains($0) } ?? false }
}
