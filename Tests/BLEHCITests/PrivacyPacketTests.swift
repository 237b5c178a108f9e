import BLECore
import BLEHCI
import Testing

/// Packets of link-layer privacy octet by octet, composed from the Core Specification's tables.
@Suite struct PrivacyPacketTests {
  private static let peer = DeviceAddress(littleEndianOctets: [0x66, 0x55, 0x44, 0x33, 0x22, 0xC1])
  private static let resolvable = DeviceAddress(bits: 0x7081_940D_FBAA)

  static let packets: [(octets: String, encoded: [UInt8])] = [
    (
      "01 27 20 27 01 66 55 44 33 22 C1 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F "
        + "10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F",
      LEAddDeviceToResolvingList {
        $0.peerIdentityAddressType = .random
        $0.peerIdentityAddress = peer
        $0.peerIRK = Array(0x00...0x0F)
        $0.localIRK = Array(0x10...0x1F)
      }.h4
    ),
    (
      "01 28 20 07 01 66 55 44 33 22 C1",
      LERemoveDeviceFromResolvingList {
        $0.peerIdentityAddressType = .random
        $0.peerIdentityAddress = peer
      }.h4
    ),
    ("01 29 20 00", LEClearResolvingList().h4),
    ("01 2A 20 00", LEReadResolvingListSize().h4),
    ("01 2B 20 07 00 66 55 44 33 22 C1", LEReadPeerResolvableAddress { $0.peerIdentityAddress = peer }.h4),
    ("01 2C 20 07 00 66 55 44 33 22 C1", LEReadLocalResolvableAddress { $0.peerIdentityAddress = peer }.h4),
    ("01 2D 20 01 01", LESetAddressResolutionEnable { $0.enable = true }.h4),
    ("01 2E 20 02 84 03", LESetResolvablePrivateAddressTimeout().h4),
    (
      "01 4E 20 08 01 66 55 44 33 22 C1 01",
      LESetPrivacyMode {
        $0.peerIdentityAddressType = .random
        $0.peerIdentityAddress = peer
        $0.privacyMode = .device
      }.h4
    ),
    (
      "04 3E 1F 0A 00 40 00 01 03 66 55 44 33 22 C1 00 00 00 00 00 00 AA FB 0D 94 81 70 18 00 00 00 F4 01 05",
      LEEnhancedConnectionComplete {
        $0.connectionHandle = ConnectionHandle(rawValue: 0x0040)
        $0.role = .peripheral
        $0.peerAddressType = .randomIdentity
        $0.peerAddress = peer
        $0.peerResolvablePrivateAddress = resolvable
        $0.interval = ConnectionInterval(rawValue: 24)
        $0.supervisionTimeout = SupervisionTimeout(rawValue: 500)
        $0.centralClockAccuracy = .ppm50
      }.h4
    ),
    (
      "04 3E 12 0B 01 01 03 66 55 44 33 22 C1 01 AA FB 0D 94 81 70 C4",
      LEDirectedAdvertisingReport { event in
        var report = DirectedAdvertisingReport()
        report.addressType = .randomIdentity
        report.address = peer
        report.directAddress = resolvable
        report.rssi = -60
        event.reports = [report]
      }.h4
    ),
    (
      "04 3E 09 13 02 03 66 55 44 33 22 C1",
      LEScanRequestReceived {
        $0.advertisingHandle = 2
        $0.scannerAddressType = .randomIdentity
        $0.scannerAddress = peer
      }.h4
    ),
  ]

  @Test(arguments: packets)
  func octets(packet: (octets: String, encoded: [UInt8])) {
    #expect(packet.encoded == [UInt8](hexadecimal: packet.octets))
  }

  @Test("the event mask has the bit of each event")
  func eventMask() {
    #expect(LEEventMask(.leScanRequestReceived) == .scanRequestReceived)
    #expect(LEEventMask(.leDirectedAdvertisingReport) == .directedAdvertisingReport)
  }
}
