import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// Commands at the wrong time: Command Disallowed (Core 5.4 Vol 1 Part F 2.12).
@Suite("Commands in the wrong state")
struct CommandStateTests {
  private func host() throws -> ScriptedHost {
    let host = Stage().add()
    try host.bringUp()
    return host
  }

  private func refuses<Command: HCICommand>(_ host: ScriptedHost, _ command: Command) {
    host.forget()
    host.send(command.h4)
    #expect(host.statuses == [.commandDisallowed], "\(Command.opcode)")
  }

  @Test("while legacy advertising is on")
  func advertising() throws {
    let host = try host()
    try host.status(LESetRandomAddress { $0.address = .randomStatic(from: 1) })
    try host.status(LESetAdvertisingEnable { $0.enable = true })
    refuses(host, LESetAdvertisingParameters())
    refuses(host, LESetRandomAddress { $0.address = .randomStatic(from: 2) })
    refuses(host, LESetAddressResolutionEnable { $0.enable = true })
    refuses(host, LESetExtendedScanParameters())
    #expect(try host.status(LESetAdvertisingData()) == .success)
  }

  @Test("while advertising uses the filter accept list")
  func filteredAdvertising() throws {
    let host = try host()
    try host.status(LESetAdvertisingParameters { $0.filterPolicy = .listedBoth })
    try host.status(LESetAdvertisingEnable { $0.enable = true })
    refuses(host, LEClearFilterAcceptList())
    refuses(host, LEAddDeviceToFilterAcceptList())
    refuses(host, LERemoveDeviceFromFilterAcceptList())
  }

  @Test("while an extended set is on, or has incomplete data")
  func extendedSet() throws {
    let host = try host()
    try host.call(LESetExtendedAdvertisingParameters { $0.eventProperties = .connectable })
    try host.status(
      LESetExtendedAdvertisingData {
        $0.operation = .first
        $0.data = [1, 2]
      })
    let enable = LESetExtendedAdvertisingEnable {
      $0.enable = true
      $0.sets = [AdvertisingSetActivation(advertisingHandle: 0)]
    }
    refuses(host, enable)
    try host.status(
      LESetExtendedAdvertisingData {
        $0.operation = .last
        $0.data = [3]
      })
    #expect(try host.status(enable) == .success)
    refuses(host, LESetExtendedAdvertisingParameters())
    refuses(host, LERemoveAdvertisingSet())
    refuses(host, LEClearAdvertisingSets())
    refuses(host, LESetAdvertisingSetRandomAddress())
    refuses(host, LESetAdvertisingEnable())
    refuses(
      host,
      LESetExtendedAdvertisingData {
        $0.operation = .first
        $0.data = [1]
      })
  }

  @Test("while scanning")
  func scanning() throws {
    let host = try host()
    try host.status(LESetRandomAddress { $0.address = .randomStatic(from: 1) })
    try host.status(LESetScanEnable { $0.enable = true })
    refuses(host, LESetScanParameters())
    refuses(host, LESetRandomAddress { $0.address = .randomStatic(from: 2) })
    refuses(host, LESetAddressResolutionEnable())
  }

  @Test("while initiating, and when not")
  func initiating() throws {
    let host = try host()
    refuses(host, LECreateConnectionCancel())
    try host.begin(LECreateConnection { $0.initiatorFilterPolicy = .filterAcceptList })
    refuses(host, LECreateConnection())
    refuses(host, LEClearFilterAcceptList())
    #expect(try host.status(LECreateConnectionCancel()) == .success)
    refuses(host, LECreateConnectionCancel())
  }

  @Test("while linked, and without a request to answer")
  func linked() throws {
    let stage = Stage()
    let pair = try stage.connected()
    refuses(pair.central, HCIHostBufferSize())
    refuses(pair.central, HCISetControllerToHostFlowControl())
    refuses(pair.central, LERemoteConnectionParameterRequestReply())
    refuses(pair.central, LERemoteConnectionParameterRequestNegativeReply())
    refuses(pair.central, LELongTermKeyRequestReply())
    refuses(pair.peripheral, LELongTermKeyRequestNegativeReply())
    refuses(pair.peripheral, LEEnableEncryption())
    refuses(pair.peripheral, LEGenerateDHKey())
    try pair.central.begin(HCIDisconnect())
    refuses(pair.central, HCIDisconnect())
    refuses(pair.central, LEEnableEncryption())
  }

  @Test("old peripherals that may not start a procedure")
  func oldPeripheral() throws {
    let pair = try Stage().connected(peripheral: .v4_0)
    refuses(
      pair.peripheral,
      LEConnectionUpdate {
        $0.intervalMinimum.rawValue = 24
        $0.intervalMaximum.rawValue = 24
        $0.supervisionTimeout.rawValue = 500
      })
    refuses(pair.peripheral, LEReadRemoteFeatures())
  }

  @Test("flow control that was not prepared")
  func flowControl() throws {
    refuses(try host(), HCISetControllerToHostFlowControl { $0.flowControl = .acl })
    refuses(try host(), HCIHostNumberOfCompletedPackets())
  }
}
