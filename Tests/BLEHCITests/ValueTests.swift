import BLECore
import BLEHCI
import Testing

@Suite struct ValueTests {
  @Test("Opcodes have a group, a number and a name")
  func opcodes() {
    let opcode = CommandOpcode(ogf: 0x08, ocf: 0x000A)
    #expect(opcode == .leSetAdvertisingEnable)
    #expect(opcode.ogf == 0x08)
    #expect(opcode.ocf == 0x0A)
    #expect(!opcode.isVendor)
    #expect(opcode.description == "HCI_LE_Set_Advertising_Enable (0x200A)")
    #expect(CommandOpcode.none.description == "NOP (0x0000)")
    #expect(CommandOpcode(rawValue: 0xFC77).description == "Vendor command (0xFC77)")
    #expect(CommandOpcode(rawValue: 0x2FFF).description == "Command (0x2FFF)")
    #expect(CommandOpcode(rawValue: 0x0001).supportBit == nil)
    #expect(CommandOpcode(rawValue: 0xFFFF).supportBit == nil)
  }

  @Test("Supported commands are where the specification puts them")
  func supportedCommands() throws {
    var supported = SupportedCommands([.disconnect, .reset, .leSetEventMask, .leSetPrivacyMode, .leReadBufferSizeV2])
    var octets = [UInt8](repeating: 0, count: 64)
    octets[0] = 1 << 5
    octets[5] = 1 << 7
    octets[25] = 1 << 0
    octets[39] = 1 << 2
    octets[41] = 1 << 5
    #expect(supported.encoded == octets)
    #expect(supported.contains(.reset))
    #expect(!supported.contains(.leReadBufferSize))
    #expect(supported.contains(.readLocalSupportedCommands))
    #expect(!supported.contains(.zephyrReadStaticAddresses))
    let vendorWasAdded = supported.insert(.zephyrReadStaticAddresses)
    #expect(!vendorWasAdded)
    supported.remove(.reset)
    #expect(!supported.contains(.reset))
    #expect(
      supported.known
        == [.disconnect, .readLocalSupportedCommands, .leSetEventMask, .leReadBufferSizeV2, .leSetPrivacyMode]
        .sorted { $0.rawValue < $1.rawValue })
    supported[64 * 8] = true
    supported[-1] = true
    #expect(!supported[64 * 8])
    #expect(!supported[-1])
  }

  @Test("Every command except vendor commands has its own bit")
  func supportBits() {
    let bits = CommandRegistry.all.compactMap { $0.opcode.supportBit }
    #expect(Set(bits).count == bits.count)
    let without = CommandRegistry.all.map { $0.opcode }.filter { $0.supportBit == nil && !$0.isVendor }
    #expect(without == [.readLocalSupportedCommands])
  }

  @Test("Times have their units")
  func units() {
    #expect(AdvertisingInterval(rawValue: 0x20).duration == .milliseconds(20))
    #expect(AdvertisingInterval(rounding: .microseconds(152_500)).rawValue == 244)
    #expect(ConnectionInterval(rounding: .milliseconds(15)).rawValue == 12)
    #expect(ConnectionInterval(rawValue: 6).duration == .microseconds(7500))
    #expect(SupervisionTimeout(rounding: .seconds(6)).rawValue == 600)
    #expect(ScanInterval(rawValue: 16).duration == .milliseconds(10))
    #expect(ScanPeriod(rawValue: 2).duration == .milliseconds(2560))
    #expect(RPATimeout(rawValue: 900).duration == .seconds(900))
    #expect(AuthenticatedPayloadTimeout(rawValue: 3000).duration == .seconds(30))
    #expect(ConnectionEventLength(rounding: .seconds(-1)).rawValue == 0)
    #expect(SupervisionTimeout(rounding: .seconds(1_000_000)).rawValue == .max)
    #expect(AdvertisingDuration(rawValue: 1) < AdvertisingDuration(rawValue: 2))
    #expect(ScanDuration(rawValue: 100).duration == .seconds(1))
  }

  @Test("An interval too long for its field becomes the longest possible")
  func clampedIntervals() {
    let legacy = LESetAdvertisingParameters { $0.intervalMinimum = AdvertisingInterval(rawValue: 0x12345) }
    #expect(legacy.encoded.prefix(2) == [0xFF, 0xFF])
    let extended = LESetExtendedAdvertisingParameters {
      $0.primaryIntervalMinimum = AdvertisingInterval(rawValue: .max)
    }
    #expect(extended.encoded[3..<6] == [0xFF, 0xFF, 0xFF])
  }

  @Test("Masks have the specified bits")
  func masks() {
    #expect(EventMask.leMeta.rawValue == 0x2000_0000_0000_0000)
    #expect(EventMask.encryptionKeyRefreshComplete.rawValue == 0x8000_0000_0000)
    #expect(!EventMask.specificationDefault.contains(.leMeta))
    #expect(EventMask.specificationDefault.contains(.disconnectionComplete))
    #expect(LEEventMask(.leAdvertisingSetTerminated) == .advertisingSetTerminated)
    #expect(LEEventMask(.leEnhancedConnectionComplete) == .enhancedConnectionComplete)
    #expect(LEEventMask(.leChannelSelectionAlgorithm) == .channelSelectionAlgorithm)
    #expect(LEEventMask(LESubevent(rawValue: 0)) == nil)
    #expect(LEEventMask(LESubevent(rawValue: 65)) == nil)
    #expect(LEFeatures.extendedAdvertising.rawValue == 1 << 12)
  }

  @Test("Data status is two bits among flags")
  func dataStatus() {
    var type: ExtendedReportType = [.connectable, .legacy]
    #expect(type.dataStatus == .complete)
    type.dataStatus = .truncated
    #expect(type.rawValue == 0x51)
    type.dataStatus = .moreToCome
    #expect(type.rawValue == 0x31)
    #expect(type.contains([.connectable, .legacy]))
  }

  @Test("Values print their meaning")
  func descriptions() {
    #expect(ConnectionHandle(rawValue: 0x0040).description == "0x0040")
    #expect(ConnectionHandle.zero.isValid)
    #expect(!ConnectionHandle(rawValue: 0x0F00).isValid)
    #expect(CoreVersion.v5_4.description == "5.4")
    #expect(CoreVersion.v4_2 < .v5_0)
    #expect(ControllerManufacturer.zephyr.description == "The Linux Foundation (0x05F1)")
    #expect(ControllerManufacturer(rawValue: 0x1234).description == "0x1234")
    #expect(EventCode.commandComplete.description == "HCI_Command_Complete (0x0E)")
    #expect(LESubevent(rawValue: 0x40).description == "LE subevent (0x40)")
    #expect(ChannelMap(bits: .max).bits == 0x1F_FFFF_FFFF)
    #expect(PHYSet(rawValue: 0xFF).parameterCount == 3)
  }

  @Test("Connection data follows its events")
  func connectionDetails() {
    let peer = DeviceAddress.randomStatic(from: 5)
    var details = ConnectionDetails(
      LEConnectionComplete {
        $0.peerAddress = peer
        $0.peerAddressType = .random
        $0.interval.rawValue = 24
        $0.latency = 4
        $0.supervisionTimeout.rawValue = 100
      })
    #expect(
      details
        == ConnectionDetails(
          LEEnhancedConnectionComplete {
            $0.peerAddress = peer
            $0.peerAddressType = .random
            $0.interval.rawValue = 24
            $0.latency = 4
            $0.supervisionTimeout.rawValue = 100
          }))
    #expect(details.peer == peer && details.peerType == .random && details.latency == 4)
    #expect(details.interval == .milliseconds(30) && details.timeout == .seconds(1))
    details.update(
      LEConnectionUpdateComplete {
        $0.interval.rawValue = 8
        $0.supervisionTimeout.rawValue = 200
      })
    #expect(details.interval == .milliseconds(10) && details.latency == 0 && details.timeout == .seconds(2))
  }

  @Test("Lengths on the air and PHYs", arguments: [(27, 328 as UInt16), (251, 2120)])
  func dataLength(_ octets: Int, _ microseconds: UInt16) {
    #expect(DataLength.transmitTime(octets: octets) == microseconds)
    let request = LESetDataLength(ConnectionHandle(rawValue: 1), octets: octets)
    #expect(request.connectionHandle.rawValue == 1 && request.txOctets == octets && request.txTime == microseconds)
    let suggestion = LEWriteSuggestedDefaultDataLength(octets: octets)
    #expect(suggestion.maximumTxOctets == octets && suggestion.maximumTxTime == microseconds)
    #expect([PHY.le1M, .le2M, .leCoded, PHY(rawValue: 9)].map { PHYSet($0) } == [.le1M, .le2M, .leCoded, .le1M])
  }
}
