import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing
import TestPreset
import VirtualRadio

/// Known mistakes of hosts with their controllers, one test each.
@Suite("Peer defects: controllers")
struct PeerDefectControllerTests {
  @Test("Number Of Completed Packets with several handles frees the buffers of all of them")
  func completedPackets() throws {
    let host = try RawHost(Specimen.configuration(connection: ConnectionPolicy(maximumConnections: 3)))
    let handles: [UInt16] = [0x40, 0x41, 0x42]
    for handle in handles { host.connect(handle) }
    let count = host.accessory.stack.controller.aclCount
    var sent: [RawHost.Sent] = []
    for number in 0..<count * 2 {
      sent += host.give(RawHost.data([0x0A, 0x12, 0], on: handles[number % handles.count])).filter { $0.type == .acl }
    }
    #expect(sent.count == count)
    let freed = Dictionary(grouping: sent) { UInt16($0.octets[0]) | UInt16($0.octets[1] & 0x0F) << 8 }
    let more = host.give(
      HCINumberOfCompletedPackets {
        $0.completed = freed.sorted { $0.key < $1.key }.map {
          CompletedPackets(ConnectionHandle(rawValue: $0.key), count: UInt16($0.value.count))
        }
      })
    #expect(freed.count == handles.count && more.count == count)
    #expect(host.accessory.events.faults == [])
  }

  @Test(
    "While a command's answer is awaited, data and other events are processed",
    .enabled(if: ControllerConfiguration.underTest.features.contains(.dataPacketLengthExtension)))
  func dataWhileCommand() throws {
    let host = try RawHost()
    let begun = host.give(
      LEEnhancedConnectionComplete {
        $0.connectionHandle.rawValue = 0x40
        $0.role = .peripheral
        $0.peerAddress = .randomStatic(from: 1)
        $0.interval.rawValue = 24
        $0.supervisionTimeout.rawValue = 400
      })
    // A command is pending now, and is never answered.
    #expect(begun.compactMap(\.opcode).count == 1)
    let answers = host.give(RawHost.data([0x0A, 0x12, 0], on: 0x40))
    #expect(answers.map(\.type) == [.acl] && answers[0].octets.suffix(5) == [0x0B] + Array("text".utf8))
    host.give(
      LEConnectionUpdateComplete {
        $0.connectionHandle.rawValue = 0x40
        $0.interval.rawValue = 80
        $0.supervisionTimeout.rawValue = 400
      })
    #expect(host.accessory.stack.linkStates.first?.details.interval == .milliseconds(100))
    host.give(
      HCIDisconnectionComplete {
        $0.connectionHandle.rawValue = 0x40
        $0.reason = .remoteUserTerminatedConnection
      })
    #expect(host.accessory.stack.linkStates.isEmpty && host.accessory.events.faults == [])
  }

  @Test(
    "Advertising intervals mean the same in legacy and in extended sets",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets))
  func advertisingInterval() throws {
    let counts = try AdvertisingSetDefinition.Kind.allCases.map { kind in
      try GAPScene(kind: kind, [.flags(.bredrNotSupported)]).heard(isActive: false, for: .seconds(20)).advertising.count
    }
    // Every 100 ms plus up to 10 ms (Core 5.4 Vol 6 Part B 4.4.2.2.1), except for events between two scan windows.
    #expect(counts.allSatisfy { (170...200).contains($0) }, "\(counts)")
  }
}
