import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import Faults
import PeripheralHost
import Simulation
import Testing
import Understudy
import UnderstudyTesting

/// An accessory with faults, and a central that is not connected yet.
struct FaultScene {
  static let profile = """
    understudy: 1
    name: Faulty
    gatt: { service-changed: present }
    connection: { max-connections: 2 }
    services:
      - uuid: FFF0
        id: main
        characteristics:
          - { id: level, uuid: FFF1, properties: [read, write, notify, indicate], format: u8, value: 7, notify: on-change }
          - { id: lock, uuid: FFF2, properties: [read, write, write-without-response], format: hex, value: hex:0102 }
          - { id: count, uuid: FFF3, properties: [read, notify], format: u8, value: { counter: { to: 200 } }, notify: { every: 100 ms } }
      - include: current-time
    l2cap:
      - { id: stream, handler: echo, mtu: 100, mps: 50 }

    """

  let accessory: SimulatedAccessory<ProfileRuntime>
  let phone: ScriptedCentral
  let profile: Profile
  private let air = TestAir()

  init(_ faults: String..., extra: String = "") throws {
    let list = faults.map { "  - { \($0) }\n" }.joined()
    let text = Self.profile + extra + (faults.isEmpty ? "" : "faults:\n\(list)")
    var random = SplitMix64(seed: 1)
    profile = try Profile.load(text: text).assigningPSMs(random: &random)
    accessory = try air.accessory(profile).simulated
    phone = try air.central().simulated
  }

  var simulation: RadioSimulation { air.radio }

  /// Connects, and does nothing else.
  func connect() throws -> ConnectionHandle {
    try phone.connect(to: try phone.find(ScanFilter(name: "Faulty")).address)
  }

  /// Returns the handle of a characteristic's value.
  func handle(_ id: String) throws -> UInt16 {
    try #require(accessory.stack.server.database.characteristic(named: id)).value
  }

  /// The injected faults, by id.
  var injected: [String] {
    accessory.events.compactMap { if case .injected(_, let id, _, _) = $0 { id } else { nil } }
  }

  /// Returns the end of an operation, which may be a failure.
  func outcome(_ operation: GATTOperation, on link: ConnectionHandle) throws -> GATTOutcome {
    try phone.outcome(of: phone.begin(operation, on: link), operation, on: link)
  }
}
