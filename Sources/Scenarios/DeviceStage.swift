import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import Simulation
import UnderstudyCore
import UnderstudyTesting

/// A real device and one central, in real time. The stage can neither act on the device nor see its events.
final class DeviceStage: CaseStage {
  let scenario: Scenario
  var position = 0
  private let central: ScriptedCentral
  private let filter: DeviceFilter
  private let record: Journal
  private let transcript: Transcript
  private let begin: Instant
  private var phone: CasePhone?
  private var phoneName: String?
  /// The device's database, as discovered by this stage on the present link.
  private var database: RemoteDatabase?

  init(_ scenario: Scenario, _ filter: DeviceFilter, _ central: ScriptedCentral, _ transcript: Transcript) {
    (self.scenario, self.filter, self.central, self.transcript) = (scenario, filter, central, transcript)
    record = Journal("central", transcript)
    let begin = central.stage.now
    self.begin = begin
    central.observer = { [record, unowned central] events in
      for event in events {
        // Advertisements would fill the transcript.
        if case .advertisement = event { continue }
        record.take(event.json, at: Instant(nanoseconds: central.stage.now.nanoseconds - begin.nanoseconds))
      }
    }
  }

  var now: Instant { central.stage.now }

  var accessoryEvents: [TestEvent]? { nil }

  func phone(_ name: String) throws -> CasePhone {
    if let phone, phoneName == name { return phone }
    guard phone == nil else { throw StepError("a device is tested with one central, so there is no \(name)") }
    let new = CasePhone(central) { [record] in record.events }
    (phone, phoneName) = (new, name)
    return new
  }

  func connect(
    _ phone: CasePhone, _ transport: LinkTransport, _ parameters: LinkParameters
  ) throws -> ConnectionHandle {
    guard transport == .le else { throw StepError("a device is tested over LE alone") }
    let heard = try central.hear { [filter] in $0.isConnectable && filter.fits($0) }
    database = nil
    return try central.connect(
      ConnectionRequest(to: heard.address, type: heard.addressType, parameters: parameters))
  }

  func isOwn(_ advertisement: Advertisement) -> Bool { filter.fits(advertisement) }

  func isOwn(_ device: InquiredDevice) -> Bool { false }

  func handle(of id: String) throws -> UInt16 {
    guard let link = phone?.link else { throw StepError("the central is not connected") }
    if database == nil { database = try central.discover(on: link) }
    guard let handle = handles(in: database ?? RemoteDatabase())[id] else {
      throw StepRefusal("the device has no \(id)")
    }
    return handle
  }

  func psm(of id: String, _ phone: CasePhone) -> SPSM? {
    // A device may choose its PSM at each start. The characteristic that publishes it says which.
    guard let link = phone.link, let handle = try? self.handle(of: "\(id)-psm"),
      let value = try? central.read(handle, on: link), value.count >= 2
    else { return scenario.profile.psms[id] }
    return SPSM(rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
  }

  func remember(_ found: RemoteDatabase, of phone: CasePhone) {
    database = found
    phone.handles = handles(in: found)
  }

  /// Returns the value handles by the ids of the profile. Several characteristics of one type in a service match in their order.
  private func handles(in found: RemoteDatabase) -> [String: UInt16] {
    guard let own = try? scenario.profile.hostConfiguration(seed: 0).makeDatabase() else { return [:] }
    var remote: [DeviceAttribute: [UInt16]] = [:]
    for service in found.services {
      for characteristic in service.characteristics {
        remote[DeviceAttribute(service: service.uuid, uuid: characteristic.uuid), default: []]
          .append(characteristic.value)
      }
    }
    var handles: [String: UInt16] = [:]
    for record in own.characteristics {
      guard let service = own.services.first(where: { $0.handles.contains(record.value) }) else { continue }
      let key = DeviceAttribute(service: service.uuid, uuid: record.definition.uuid)
      guard let next = remote[key]?.first else { continue }
      remote[key]?.removeFirst()
      handles[record.definition.id] = next
    }
    return handles
  }

  /// A characteristic by its type and that of its service.
  private struct DeviceAttribute: Hashable {
    var service: BluetoothUUID
    var uuid: BluetoothUUID
  }

  func decode(_ octets: [UInt8], of id: String) -> ProfileValue? {
    scenario.profile.behaviors.first { $0.id == id }?.format.decode(octets)
  }

  func performOnAccessory(_ step: ScenarioStep) throws {
    switch step.action {
    // On a device, a central must read the value.
    case .value(let id, let expected):
      guard let link = phone?.link else { throw StepSkip("no central is connected to read \(id)") }
      let value = try central.read(try handle(of: id), on: link)
      guard expected.matches(value) else {
        let (came, wanted) = (words(value, of: id), words(expected, of: id))
        throw StepRefusal("\(id) is \(came), not \(wanted)", expected: wanted, actual: came)
      }
    default: throw StepSkip("a device cannot be told to do this")
    }
  }

  func advance(by duration: Duration) { central.stage.run(for: duration) }

  func advance(until condition: () -> Bool, within limit: Duration) -> Bool {
    central.stage.run(until: condition, limit: limit)
  }

  func note(_ who: String, _ text: String) { transcript.note(who, text, at: now - begin) }
}

extension ScenarioStep {
  /// Whether the step acts on the accessory. A device cannot be made to do that, so the steps after it would mean nothing.
  fileprivate var needsAccessory: Bool {
    switch action {
    case .set, .push, .arm, .disarm, .press, .drop, .air: true
    default: false
    }
  }
}

extension ScenarioCase {
  /// Why the case cannot run on a device; nil if it can.
  package var needOfAccessory: String? {
    if !faults.isEmpty { return "it injects faults" }
    return steps.first(where: \.needsAccessory).map { "line \($0.line) acts on the accessory: \($0.text)" }
  }
}

extension CaseRunner {
  /// Runs a case with a central in real time on a device that the filter describes. A case that acts on the accessory is skipped.
  package static func run(
    _ test: ScenarioCase, of scenario: Scenario, on device: DeviceFilter, with central: ScriptedCentral
  ) -> CaseResult {
    var result = CaseResult(scenario: scenario.name, name: test.name, file: scenario.file, failure: nil)
    if let need = test.needOfAccessory {
      result.skipped = need
      return result
    }
    let transcript = Transcript()
    let stage = DeviceStage(scenario, device, central, transcript)
    let begin = stage.now
    result.failure = CaseRunner(stage: stage, test: test, begin: begin).play()
    for link in central.links { try? central.disconnect(link) }
    for bond in central.stack.bonds { try? central.perform(.removeBond(bond.peer)) }
    central.cache = nil
    central.events = []
    central.pushed = []
    result.transcript = transcript.lines
    result.duration = stage.now - begin
    return result
  }
}
