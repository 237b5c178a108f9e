import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import CentralHost
import Faults
import Simulation
import UnderstudyTesting
import VirtualRadio

/// The accessory and the centrals of one case, on an air in virtual time.
final class VirtualStage: CaseStage {
  let scenario: Scenario
  var position = 0
  private let air: TestAir
  private let device: TestAccessory
  private var phones: [String: (phone: CasePhone, device: TestCentral)] = [:]

  init(_ scenario: Scenario, _ test: ScenarioCase, on air: TestAir) throws {
    (self.scenario, self.air) = (scenario, air)
    device = try air.accessory(scenario.profile, name: "accessory", faults: test.faults)
  }

  private var accessory: SimulatedAccessory<ProfileRuntime> { device.simulated }

  /// The hosts and attributes that explain recorded packets.
  var recorded: RecordedHosts {
    let source = CaseRecording.source(of: accessory.controller)
    var recorded = RecordedHosts(
      names: [source: device.name], accessory: source,
      addresses: [accessory.stack.identity.randomAddress, accessory.stack.address].compactMap { $0?.bits },
      attributes: [])
    for (phone, central) in phones.values {
      recorded.names[CaseRecording.source(of: phone.central.controller)] = central.name
    }
    for record in accessory.stack.server.database.characteristics {
      recorded.attributes.append((record.value, record.definition.uuid, record.definition.id, false))
      if let handle = record.configuration {
        recorded.attributes.append((handle, .clientCharacteristicConfiguration, record.definition.id, true))
      }
    }
    return recorded
  }

  var now: Instant { air.radio.now }

  var accessoryEvents: [TestEvent]? { device.events }

  func phone(_ name: String) throws -> CasePhone {
    if let (phone, _) = phones[name] { return phone }
    let device = try air.central(
      name, as: scenario.persona, usesClassic: scenario.profile.classic != nil)
    let phone = CasePhone(device.simulated) { device.events }
    phones[name] = (phone, device)
    return phone
  }

  func connect(
    _ phone: CasePhone, _ transport: LinkTransport, _ parameters: LinkParameters
  ) throws -> ConnectionHandle {
    guard let (_, central) = phones.values.first(where: { $0.phone === phone }) else {
      throw StepError("there is no such central")
    }
    guard transport == .le else { return try central.makeClassicLink(to: device) }
    return try central.makeLink(to: device, parameters)
  }

  func isOwn(_ advertisement: Advertisement) -> Bool { device.hasSent(advertisement) }

  func isOwn(_ found: InquiredDevice) -> Bool { found.address == accessory.stack.controller.publicAddress }

  func handle(of id: String) throws -> UInt16 {
    guard let record = accessory.stack.server.database.characteristic(named: id) else {
      throw StepError("there is no characteristic \(id) at the moment")
    }
    return record.value
  }

  func psm(of id: String, _ phone: CasePhone) -> SPSM? { scenario.profile.psms[id] }

  func remember(_ found: RemoteDatabase, of phone: CasePhone) {
    phone.handles = [:]
    for record in accessory.stack.server.database.characteristics {
      let isFound = found.characteristics.contains {
        $0.value == record.value && $0.uuid == record.definition.uuid
      }
      if isFound { phone.handles?[record.definition.id] = record.value }
    }
  }

  func decode(_ octets: [UInt8], of id: String) -> ProfileValue? { try? device.decode(octets, of: id) }

  func advance(by duration: Duration) { air.advance(by: duration) }

  func advance(until condition: () -> Bool, within limit: Duration) -> Bool {
    air.advance(until: condition, within: limit)
  }

  func note(_ who: String, _ text: String) { air.transcript.note(who, text, at: air.now) }

  // MARK: Steps of the accessory

  func performOnAccessory(_ step: ScenarioStep) throws {
    switch step.action {
    case .arm(let fault):
      device.arm([fault])
    case .disarm(let id):
      guard accessory.stack.disarm(id) > 0 || id == nil else {
        throw StepError("no fault \(id ?? "") is armed")
      }
    case .air(let loss, let isReachable):
      air.impairment = PathImpairment(loss: loss > 0 ? .fraction(loss) : .none, isReachable: isReachable)
    case .set(let values):
      for (id, octets) in values {
        let index = try characteristic(id)
        let actions = try accessory.stack.application.set(index, toOctets: octets, at: now)
        try accessory.perform(.perform(actions))
      }
    case .value(let id, let expected):
      let value = accessory.stack.value(of: try characteristic(id), at: now) ?? []
      guard expected.matches(value) else {
        let (came, wanted) = (words(value, of: id), words(expected, of: id))
        throw StepRefusal("\(id) is \(came), not \(wanted)", expected: wanted, actual: came)
      }
    case .push(let id, let isIndication):
      let index = try characteristic(id)
      try accessory.perform(isIndication ? .indicate(index) : .notify(index))
    case .press(let button): try device.press(button)
    case .drop:
      for link in accessory.stack.linkStates {
        try accessory.perform(.disconnect(link.handle, reason: .remoteUserTerminatedConnection))
      }
    default: break
    }
  }

  private func characteristic(_ id: String) throws -> CharacteristicIndex {
    guard let record = accessory.stack.server.database.characteristic(named: id) else {
      throw StepError("there is no characteristic \(id) at the moment")
    }
    return record.index
  }
}
