import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import Faults
import PeripheralHost
import Testing

@Suite("Faults over BR/EDR")
struct ClassicFaultTests {
  private func stage(
    _ occasion: FaultOccasion, _ action: FaultAction, peer: DeviceAddress? = nil, bond: Bond? = nil
  ) throws -> ClassicBench {
    let stage = try ClassicBench(bond: bond)
    var fault = Fault(id: "fault", on: occasion, do: action)
    fault.peer = peer
    stage.bench.stack.arm([fault], at: stage.bench.now)
    return stage
  }

  // MARK: Pages

  @Test("A connection is rejected, or never answered")
  func pages() throws {
    let refusing = try stage(.paged, .decline)
    refusing.request()
    #expect(refusing.opcodes == [.rejectConnectionRequest])
    let silent = try stage(.paged, .ignore)
    silent.request()
    silent.bench.advance(.seconds(60))
    #expect(silent.opcodes == [])
  }

  @Test("A connection is accepted late")
  func latePage() throws {
    let stage = try stage(.paged, .delay(.seconds(3)))
    stage.request()
    stage.bench.advance(.milliseconds(2999))
    #expect(stage.opcodes == [])
    stage.bench.advance(.milliseconds(1))
    #expect(stage.opcodes == [.acceptConnectionRequest])
  }

  @Test("A fault about one peer does not concern others")
  func peer() throws {
    let other = try stage(.paged, .decline, peer: DeviceAddress(bits: 1))
    other.request()
    #expect(other.opcodes == [.acceptConnectionRequest])
    let same = try stage(.paged, .decline, peer: ClassicBench.peer)
    same.request()
    #expect(same.opcodes == [.rejectConnectionRequest])
  }

  // MARK: Keys

  @Test(
    "The key of the bond is missing, is not provided, or is wrong",
    arguments: [
      (FaultOccasion.linkKey, FaultAction.decline, [CommandOpcode.linkKeyRequestNegativeReply]),
      (.linkKey, .ignore, []), (.connected, .corruptKeys, [.linkKeyRequestReply]),
    ])
  func keys(occasion: FaultOccasion, action: FaultAction, expected: [CommandOpcode]) throws {
    let stage = try stage(occasion, action, bond: ClassicBench.bond())
    stage.connect()
    stage.bench.event(HCILinkKeyRequest { $0.address = ClassicBench.peer })
    #expect(stage.opcodes == expected)
    if expected == [.linkKeyRequestReply] {
      #expect(try stage.last(.linkKeyRequestReply).suffix(16) == ClassicBench.key.map { ~$0 }[...])
    }
  }

  // MARK: Service discovery

  /// A Service Search Request for L2CAP with transaction 1, and its response: four records.
  private static let search: [UInt8] = [0x02, 0, 1, 0, 8, 0x35, 3, 0x19, 0x01, 0x00, 0, 1, 0]
  private static let found: [UInt8] = [0x03, 0, 1, 0, 9, 0, 1, 0, 1, 0, 0, 0, 0, 0]

  @Test(
    "The response of the Service Discovery Server is wrong",
    arguments: [
      (FaultAction.decline, [[0x01, 0, 1, 0, 2, 0, 6]]), (.ignore, []), (.repeatAnswer(2), [found, found]),
      (.alter(.truncate(6)), [Array(found.prefix(6))]),
      (.alter(.lengthen(20)), [found + [UInt8](repeating: 0, count: 6)]),
      (.alter(.corrupt), [found.prefix(5) + found.dropFirst(5).map { ~$0 }]),
      (.alter(.wrongRequest), [[0x03, 0xFF, 0xFE] + found.dropFirst(3)]),
      (.alter(.value([7, 8])), [[0x03, 0, 1, 0, 2, 7, 8]]), (.alter(.replace([9])), [[9]]),
    ] as [(FaultAction, [[UInt8]])])
  func discovery(action: FaultAction, expected: [[UInt8]]) throws {
    let stage = try stage(.discovery, action)
    stage.connect()
    let channel = try stage.open(.serviceDiscovery)
    #expect(stage.exchange(Self.search, on: channel) == expected)
    #expect(stage.bench.violations == [])
  }

  @Test("The response of the Service Discovery Server is late, and is not sent after the link has ended")
  func lateDiscovery() throws {
    let stage = try stage(.discovery, .delay(.seconds(1)))
    stage.connect()
    let channel = try stage.open(.serviceDiscovery)
    #expect(stage.exchange(Self.search, on: channel) == [])
    let before = stage.bench.frames.count
    stage.bench.advance(.seconds(1))
    #expect(stage.received(from: before) == [Self.found])
    stage.exchange(Self.search, on: channel)
    stage.bench.disconnect(ClassicBench.handle)
    stage.bench.advance(.seconds(1))
    #expect(stage.bench.violations == [])
  }

  @Test(
    "Faults that concern the whole accessory act on these occasions, too",
    arguments: [FaultOccasion.paged, .discovery, .linkKey])
  func wholeAccessory(occasion: FaultOccasion) throws {
    let stage = try stage(occasion, .reboot(.seconds(2)))
    stage.request()
    if occasion != .paged {
      stage.connect()
      if occasion == .discovery {
        stage.exchange(Self.search, on: try stage.open(.serviceDiscovery))
      } else {
        stage.bench.event(HCILinkKeyRequest { $0.address = ClassicBench.peer })
      }
    }
    #expect(stage.bench.stack.linkStates.isEmpty)
    stage.bench.advance(.seconds(3))
    stage.request()
    #expect(stage.opcodes.contains(.acceptConnectionRequest) || occasion == .paged)
  }
}
