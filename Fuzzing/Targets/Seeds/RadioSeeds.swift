import BLECore
import BLEHCI

/// The inputs of `RadioTarget`.
enum RadioSeeds {
  /// A script of the steps of two hosts.
  private struct RadioScript {
    var octets: [UInt8]

    init(
      _ one: UInt8 = 0, _ two: UInt8 = 0, immediate: Bool = false, connected: Bool = true, classic: Bool = false,
      _ write: (inout Self) -> Void
    ) {
      octets = [(immediate ? 1 : 0) | (connected ? 2 : 0) | (classic ? 4 : 0), one, two]
      write(&self)
    }

    mutating func send<Command: HCICommand>(_ host: UInt8, _ command: Command) {
      let parameters = command.encoded
      octets += [host, 0] + Command.opcode.octets + [UInt8(parameters.count)] + parameters
    }

    mutating func raw(_ host: UInt8, _ run: [UInt8]) { octets += [host, 2, UInt8(run.count)] + run }

    mutating func data(_ host: UInt8, handle: UInt8 = 0, flags: UInt8 = 0, _ run: [UInt8]) {
      octets += [host, 3, handle, flags, UInt8(run.count)] + run
    }

    /// Lets time pass, in units of 4 ms.
    mutating func time(_ count: UInt8) { octets += [0, 4, count] }
  }

  static var all: [Seed] { presets + links + lists + classic }

  /// A link between controllers of each preset, and data on it.
  private static var presets: [Seed] {
    (0..<7).map { preset in
      Seed(
        "preset-\(preset)",
        RadioScript(UInt8(preset), UInt8((preset + 3) % 7), immediate: preset == 3) {
          $0.data(0, [3, 0, 4, 0, 0x0A, 3, 0]); $0.time(20); $0.data(1, [2, 0, 4, 0, 0x0B, 1]); $0.time(20)
          $0.send(0, HCIDisconnect { $0.reason = .remoteUserTerminatedConnection }); $0.time(50)
        }.octets)
    }
  }

  private static var links: [Seed] {
    [
      Seed(
        "procedures",
        RadioScript {
          $0.send(0, HCIReadRemoteVersionInformation()); $0.send(1, LEReadRemoteFeatures()); $0.time(50)
          $0.send(
            0,
            LESetDataLength {
              $0.txOctets = 251; $0.txTime = 2120
            })
          $0.send(
            0,
            LESetPHY {
              $0.txPHYs = .le2M; $0.rxPHYs = .le2M
            });
          $0.time(100)
          $0.send(0, LEReadPHY()); $0.send(0, HCIReadRSSI()); $0.send(0, LEReadChannelMap())
        }.octets),
      Seed(
        "update",
        RadioScript {
          $0.send(
            0,
            LEConnectionUpdate {
              $0.intervalMinimum.rawValue = 6; $0.intervalMaximum.rawValue = 12; $0.supervisionTimeout.rawValue = 100
            })
          $0.time(200); $0.send(1, LERemoteConnectionParameterRequestReply { $0.intervalMaximum.rawValue = 24 });
          $0.time(50)
        }.octets),
      Seed(
        "encryption",
        RadioScript {
          $0.send(0, LEEnableEncryption { $0.longTermKey = [UInt8](repeating: 7, count: 16) }); $0.time(60)
          $0.send(1, LELongTermKeyRequestReply { $0.longTermKey = [UInt8](repeating: 7, count: 16) }); $0.time(60)
          $0.data(0, [3, 0, 4, 0, 0x0A, 3, 0]); $0.send(0, LEEnableEncryption()); $0.time(60)
          $0.send(1, LELongTermKeyRequestNegativeReply()); $0.time(60)
        }.octets),
      Seed(
        "flow-control",
        RadioScript {
          $0.send(
            1,
            HCIHostBufferSize {
              $0.aclDataPacketLength = 251; $0.totalACLDataPackets = 1
            })
          $0.send(1, HCISetControllerToHostFlowControl()); for _ in 0..<5 { $0.data(0, [1, 0, 4, 0, 9]) }
          $0.time(60); $0.send(1, HCIHostNumberOfCompletedPackets()); $0.time(60)
        }.octets),
      Seed(
        "bad-data",
        RadioScript {
          $0.data(0, handle: 3, [1]); $0.data(0, flags: 2, [1]); $0.data(0, flags: 1, [1]); $0.data(0, []);
          $0.raw(0, [2, 0, 0, 255, 1])
        }.octets),
      Seed(
        "reset",
        RadioScript {
          $0.data(0, [1, 0, 4, 0, 9]); $0.send(0, HCIReset()); $0.time(255); $0.time(255)
        }.octets),
      Seed(
        "stray",
        RadioScript(connected: false) {
          $0.raw(0, [9, 9, 1, 3, 0x0C, 0, 4, 4]); $0.raw(1, [1, 3])
        }.octets),
    ]
  }

  private static var lists: [Seed] {
    [
      Seed(
        "scanning",
        RadioScript(connected: false) {
          $0.send(0, LESetScanParameters { $0.scanType = .active }); $0.send(0, LESetScanEnable { $0.enable = true })
          $0.send(1, LESetAdvertisingData { $0.data = LegacyAdvertisingData([2, 1, 6]) ?? $0.data })
          $0.send(1, LESetAdvertisingParameters { $0.intervalMinimum.rawValue = 0x20 })
          $0.send(1, LESetAdvertisingEnable { $0.enable = true }); $0.time(100)
        }.octets),
      Seed(
        "extended",
        RadioScript(connected: false) {
          $0.send(0, LESetExtendedScanParameters { $0.parameters = [ScanningPHYParameters()] })
          $0.send(0, LESetExtendedScanEnable { $0.enable = true })
          $0.send(
            1,
            LESetExtendedAdvertisingParameters {
              $0.eventProperties = .connectable; $0.primaryIntervalMinimum.rawValue = 0x20
              $0.primaryIntervalMaximum.rawValue = 0x20; $0.advertisingSID = 3
            })
          $0.send(
            1,
            LESetExtendedAdvertisingData {
              $0.operation = .complete; $0.data = [2, 1, 6]
            })
          $0.send(
            1,
            LESetExtendedAdvertisingEnable {
              $0.enable = true
              $0.sets = [
                AdvertisingSetActivation(
                  advertisingHandle: 0, duration: AdvertisingDuration(rawValue: 10), maximumEvents: 3)
              ]
            })
          $0.time(100); $0.send(1, LERemoveAdvertisingSet()); $0.send(1, LEClearAdvertisingSets())
        }.octets),
      Seed(
        "privacy",
        RadioScript {
          $0.send(0, LEAddDeviceToResolvingList { $0.peerIdentityAddress = .randomStatic(from: 0x1122_3344) })
          $0.send(0, LESetAddressResolutionEnable { $0.enable = true }); $0.send(0, LEReadResolvingListSize())
          $0.send(0, LEAddDeviceToFilterAcceptList()); $0.send(0, LESetPrivacyMode()); $0.time(30)
        }.octets),
      Seed(
        "keys",
        RadioScript(connected: false) {
          $0.send(0, LEReadLocalP256PublicKey()); $0.send(0, LEGenerateDHKey()); $0.send(1, LEEncrypt());
          $0.send(1, LERand())
          $0.time(1)
        }.octets),
    ]
  }

  /// Links of BR/EDR between two controllers of the last preset.
  private static var classic: [Seed] {
    let handle = ConnectionHandle(rawValue: 1)
    let peers = [DeviceAddress(bits: 0x0012_3400_0002), DeviceAddress(bits: 0x0012_3400_0001)]
    return [false, true].map { immediate in
      Seed(
        immediate ? "classic-immediate" : "classic",
        RadioScript(9, 9, immediate: immediate, connected: false, classic: true) {
          $0.send(0, HCIAuthenticationRequested { $0.connectionHandle = handle })
          $0.send(0, HCILinkKeyRequestNegativeReply { $0.address = peers[0] })
          for host in UInt8(0)...1 {
            $0.send(host, HCIIOCapabilityRequestReply { $0.address = peers[Int(host)] }); $0.time(20)
          }
          for host in UInt8(0)...1 { $0.send(host, HCIUserConfirmationRequestReply { $0.address = peers[Int(host)] }) }
          $0.time(50)
          $0.send(
            0,
            HCISetConnectionEncryption {
              $0.connectionHandle = handle; $0.isEnabled = true
            })
          $0.data(0, handle: 1, [3, 0, 4, 0, 0x0A, 3, 0]); $0.data(1, handle: 1, flags: 2, [2, 0, 4, 0, 0x0B, 1])
          $0.time(50)
          $0.send(0, HCISniffMode { $0.connectionHandle = handle });
          $0.send(1, HCIFlush { $0.connectionHandle = handle })
          $0.time(100)
          $0.send(1, HCIDisconnect { $0.connectionHandle = handle }); $0.time(50)
        }.octets)
    }
  }
}
