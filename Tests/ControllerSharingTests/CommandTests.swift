import BLECore
import BLEHCI
import ControllerSharing
import Testing

@Suite("Commands of hosts that share a controller")
struct CommandTests {
  private func complete(_ opcode: CommandOpcode, _ returned: [UInt8]) -> [UInt8] {
    HCICommandComplete {
      $0.opcode = opcode
      $0.returnParameters = returned
    }.h4
  }

  @Test("Commands go to the controller one at a time, in turn, and the host that sent one gets its answer")
  func turns() {
    let desk = Desk.ready(3)
    for seat in 0..<3 {
      for _ in 0..<2 { desk.host(seat, LERand()) }
    }
    var order: [Int] = []
    for round in 0..<6 {
      #expect(desk.succeed(Array(repeating: UInt8(round), count: 8)).opcodes == [.leRand])
      for seat in 0..<3 where !desk.heard(seat).isEmpty { order.append(seat) }
    }
    #expect(desk.sent().isEmpty)
    #expect(Set(order.prefix(3)) == [0, 1, 2] && Array(order.prefix(3)) == Array(order.suffix(3)))
  }

  @Test("The controller's request to wait is hidden from hosts, and observed")
  func grants() {
    let desk = Desk.ready()
    desk.host(0, LERand())
    desk.host(1, LERand())
    _ = desk.sent()
    desk.controller(
      HCICommandComplete {
        $0.commandPackets = 0
        $0.opcode = .leRand
        $0.returnParameters = [0, 1, 2, 3, 4, 5, 6, 7, 8]
      })
    #expect(desk.heard(0) == [complete(.leRand, [0, 1, 2, 3, 4, 5, 6, 7, 8])])
    #expect(desk.sent().isEmpty)
    desk.controller(HCICommandComplete())
    #expect(desk.sent().opcodes == [.leRand])
  }

  @Test("Each host has its own handles of advertising sets")
  func setHandles() {
    let desk = Desk(setsNeeded: [2, 1])
    for seat in 0...1 {
      desk.host(seat, HCIReset())
      desk.succeedAll()
    }
    var handles: [UInt8] = []
    for (seat, handle) in [(0, 0), (1, 0), (0, 7)] as [(Int, UInt8)] {
      desk.host(seat, LESetExtendedAdvertisingParameters { $0.advertisingHandle = handle })
      let parameters = desk.succeedAll()[0]
      desk.host(
        seat,
        LESetExtendedAdvertisingData {
          $0.advertisingHandle = handle
          $0.data = [2, 1, 6]
        })
      #expect(desk.succeedAll()[0][4] == parameters[4])
      handles.append(parameters[4])
    }
    #expect(Set(handles).count == 3)
    // No more than its share, and none of another host.
    for seat in 0...1 { _ = desk.heard(seat) }
    desk.host(1, LESetExtendedAdvertisingParameters { $0.advertisingHandle = 1 })
    desk.host(1, LERemoveAdvertisingSet { $0.advertisingHandle = 7 })
    desk.host(
      1,
      LESetExtendedAdvertisingEnable {
        $0.enable = true
        $0.sets = [AdvertisingSetActivation(advertisingHandle: 7)]
      })
    #expect(desk.sent().isEmpty)
    #expect(
      desk.heard(1) == [
        HCICommandStatus(.leSetExtendedAdvertisingParameters, .memoryCapacityExceeded).h4,
        HCICommandStatus(.leRemoveAdvertisingSet, .unknownAdvertisingIdentifier).h4,
        HCICommandStatus(.leSetExtendedAdvertisingEnable, .unknownAdvertisingIdentifier).h4,
      ])
    // All sets of one host are not all sets of the controller.
    desk.host(0, LESetExtendedAdvertisingEnable())
    let expected = LESetExtendedAdvertisingEnable {
      $0.sets = [handles[0], handles[2]].map { AdvertisingSetActivation(advertisingHandle: $0) }
    }
    #expect(desk.succeedAll() == [expected.h4])
    // A removed set can be created again.
    desk.host(1, LERemoveAdvertisingSet())
    desk.host(1, LESetExtendedAdvertisingParameters { $0.advertisingHandle = 1 })
    #expect(desk.succeedAll().map { $0[4] } == [handles[1], handles[1]])
  }

  @Test("A set that the controller refuses does not count")
  func refusedSet() {
    let desk = Desk(setsNeeded: [1, 1])
    desk.host(0, HCIReset())
    desk.succeedAll()
    for status in [ErrorCode.invalidHCICommandParameters, .success] {
      desk.host(0, LESetExtendedAdvertisingParameters())
      #expect(desk.sent().opcodes == [.leSetExtendedAdvertisingParameters])
      desk.controller(complete(.leSetExtendedAdvertisingParameters, [status.rawValue, 0]))
    }
  }

  @Test("Settings of the whole controller combine the hosts' requests")
  func settings() throws {
    let desk = Desk.ready()
    desk.host(0, HCISetEventMask { $0.eventMask = [.disconnectionComplete, .leMeta] })
    desk.host(1, HCISetEventMask { $0.eventMask = [.hardwareError] })
    #expect(
      desk.succeedAll().last
        == HCISetEventMask { $0.eventMask = [.disconnectionComplete, .leMeta, .hardwareError] }.h4)
    desk.host(0, LESetEventMask { $0.eventMask = [.dataLengthChange] })
    #expect(
      desk.succeedAll().last == LESetEventMask { $0.eventMask = [.dataLengthChange, .advertisingSetTerminated] }.h4)
    desk.host(0, LESetDefaultPHY { ($0.txPHYs, $0.rxPHYs) = (.le2M, .le2M) })
    desk.host(1, LESetDefaultPHY { ($0.txPHYs, $0.rxPHYs) = (.le1M, .le1M) })
    #expect(
      desk.succeedAll().last == LESetDefaultPHY { ($0.txPHYs, $0.rxPHYs) = ([.le1M, .le2M], [.le1M, .le2M]) }.h4)
  }

  @Test("Each host reads the data length that it suggested, until the controller has lost it")
  func suggestedDataLength() {
    let desk = Desk.ready()
    for (seat, octets) in [(0, 251), (1, 100)] as [(Int, UInt16)] {
      desk.host(
        seat,
        LEWriteSuggestedDefaultDataLength {
          $0.maximumTxOctets = octets
          $0.maximumTxTime = 2120
        })
    }
    #expect(
      desk.succeedAll().last
        == LEWriteSuggestedDefaultDataLength {
          $0.maximumTxOctets = 251
          $0.maximumTxTime = 2120
        }.h4)
    for (found, sent) in [(251, [251, 100]), (27, [27, 27])] as [(UInt8, [UInt8])] {
      for seat in 0...1 {
        _ = desk.heard(seat)
        desk.host(seat, LEReadSuggestedDefaultDataLength())
        desk.succeed([found, 0, 0x48, 0x08])
        #expect(
          desk.heard(seat) == [complete(.leReadSuggestedDefaultDataLength, [0, sent[seat], 0, 0x48, 0x08])])
      }
    }
  }

  @Test(
    "Buffers are divided completely",
    arguments: [(7, [4, 3]), (4, [2, 2]), (2, [1, 1]), (16, [6, 5, 5])] as [(UInt8, [UInt8])])
  func buffers(count: UInt8, shares: [UInt8]) {
    let desk = Desk(setsNeeded: shares.map { _ in 1 })
    for seat in shares.indices {
      desk.host(seat, HCIReset())
      desk.succeedAll()
      _ = desk.heard(seat)
      desk.host(seat, LEReadBufferSize())
      desk.succeed([251, 0, count])
      desk.host(seat, LEReadBufferSizeV2())
      desk.succeed([251, 0, count, 0, 0, 0])
      desk.host(seat, HCIReadBufferSize())
      desk.succeed([251, 0, 0, count, 0, 0, 0])
      #expect(
        desk.heard(seat) == [
          complete(.leReadBufferSize, [0, 251, 0, shares[seat]]),
          complete(.leReadBufferSizeV2, [0, 251, 0, shares[seat], 0, 0, 0]),
          complete(.readBufferSize, [0, 251, 0, 0, shares[seat], 0, 0, 0]),
        ])
    }
    #expect(desk.shared.refusal == nil)
  }

  @Test("Commands that would affect all hosts are not reported as supported")
  func supportedCommands() throws {
    let desk = Desk.ready()
    desk.host(0, HCIReadLocalSupportedCommands())
    desk.succeed(Array(repeating: 0xFF, count: 64))
    let answer = try #require(desk.heard(0).first)
    var commands = SupportedCommands()
    commands.octets = Array(answer[7...])
    #expect(commands.contains(.reset) && commands.contains(.leSetExtendedAdvertisingEnable))
    for opcode: CommandOpcode in [
      .setControllerToHostFlowControl, .hostBufferSize, .hostNumberOfCompletedPackets, .leSetAdvertisingEnable,
      .leSetExtendedScanEnable, .leExtendedCreateConnection, .leClearAdvertisingSets, .leAddDeviceToResolvingList,
    ] { #expect(!commands.contains(opcode), "\(opcode)") }
    // Nor does any reach the controller.
    desk.host(0, LESetAdvertisingEnable())
    desk.host(0, HCIHostNumberOfCompletedPackets())
    desk.host(0, LESetRandomAddress())
    #expect(desk.sent().isEmpty)
    #expect(
      desk.heard(0) == [
        HCICommandStatus(.leSetAdvertisingEnable, .unknownHCICommand).h4, complete(.leSetRandomAddress, [0]),
      ])
  }

  @Test("A connection accepts commands only from its own host")
  func foreignConnection() {
    let desk = Desk.ready()
    desk.connect(5, by: 0)
    for seat in 0...1 { desk.host(seat, HCIReadRSSI { $0.connectionHandle.rawValue = 5 }) }
    #expect(desk.succeedAll().opcodes == [.readRSSI])
    #expect(desk.heard(1) == [HCICommandStatus(.readRSSI, .unknownConnectionIdentifier).h4])
    #expect(desk.heard(0).count == 1)
  }

  // MARK: Refusals

  @Test("A controller without extended advertising is refused, with the missing features")
  func noExtendedAdvertising() throws {
    let desk = Desk.ready()
    desk.host(0, HCIReadLocalSupportedCommands())
    var commands = SupportedCommands.everything
    commands.remove(.leSetExtendedAdvertisingData)
    desk.succeed(commands.octets)
    // A single case may be a fault of the line.
    #expect(desk.shared.refusal == nil && desk.heard(0).isEmpty)
    desk.succeed(commands.octets)
    #expect(desk.shared.refusal == SharingRefusal(hosts: 2, lack: .extendedAdvertising(.leSetExtendedAdvertisingData)))
    #expect(desk.shared.refusal?.description.contains("HCI_LE_Set_Extended_Advertising_Data") == true)
    let featureless = Desk.ready()
    featureless.host(1, LEReadLocalSupportedFeatures())
    for _ in 0..<2 { featureless.succeed([0xFF, 0, 0, 0, 0, 0, 0, 0]) }
    #expect(featureless.shared.refusal?.lack == .extendedAdvertising(nil))
    // From then on nothing is sent.
    featureless.host(0, LERand())
    #expect(featureless.sent().isEmpty)
  }

  @Test("A missing feature is accepted as such only if the controller reports it twice")
  func doubt() {
    let desk = Desk.ready()
    desk.host(0, LEReadBufferSize())
    desk.succeed([27, 0, 1])
    desk.succeed([27, 0, 6])
    #expect(desk.heard(0) == [complete(.leReadBufferSize, [0, 27, 0, 3])])
    desk.host(0, LEReadBufferSize())
    desk.succeed([27, 0, 1])
    #expect(desk.shared.refusal == nil)
  }

  @Test("Too few advertising sets or buffers are refused, with their number")
  func tooFew() {
    let sets = Desk(setsNeeded: [2, 2])
    sets.host(1, HCIReset())
    sets.succeedAll()
    sets.host(1, LEReadNumberOfSupportedAdvertisingSets())
    for _ in 0..<2 { sets.succeed([3]) }
    #expect(sets.shared.refusal == SharingRefusal(hosts: 2, lack: .advertisingSets(3, needed: 4)))
    let buffers = Desk.ready(3)
    buffers.host(0, LEReadBufferSize())
    for _ in 0..<2 { buffers.succeed([27, 0, 2]) }
    #expect(buffers.shared.refusal?.description.contains("2 data buffer(s)") == true)
    // If there are enough, both are divided as required.
    let enough = Desk(setsNeeded: [2, 1])
    enough.host(0, HCIReset())
    enough.succeedAll()
    _ = enough.heard(0)
    enough.host(0, LEReadNumberOfSupportedAdvertisingSets())
    enough.succeed([3])
    #expect(enough.heard(0) == [complete(.leReadNumberOfSupportedAdvertisingSets, [0, 2])])
    #expect(enough.shared.refusal == nil)
  }
}
