import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import UnderstudyTesting

/// The steps for values and channels.
extension CaseRunner {
  /// The result of an operation.
  enum Gift: Hashable {
    case octets([UInt8])
    case mtu(Int)
  }

  private func words(_ octets: [UInt8], of id: String?) -> String { stage.words(octets, of: id) }

  /// Performs an operation, and throws if its outcome is not the expected one. `id` is the characteristic whose value it returns.
  func check(_ outcome: ScenarioOutcome, of id: String? = nil, _ body: () throws -> Gift?) throws {
    do {
      let gift = try body()
      switch (outcome, gift) {
      case (.succeeds, _), (.any, _): return
      case (.gives(let expected), .octets(let octets)):
        guard octets == expected else {
          throw StepRefusal("the result is \(words(octets, of: id)), not \(words(expected, of: id))")
        }
      case (.mtu(let expected), .mtu(let mtu)):
        guard mtu == expected else { throw StepRefusal("the MTU is \(mtu), not \(expected)") }
      default: throw StepRefusal("it succeeded")
      }
    } catch let failure as GATTFailure {
      guard outcome.fits(failure) else { throw StepRefusal("\(failure)") }
    } catch let refusal as StepRefusal {
      guard outcome == .fails || outcome == .any, refusal.reason != "it succeeded" else { throw refusal }
    } catch let failure as SimulationFailure {
      guard outcome.fits(failure) else { throw StepRefusal("\(failure)") }
    } catch let error as HostRequestError {
      guard [.fails, .any, .cut].contains(outcome) else { throw StepRefusal("\(error)") }
    }
  }

  func performOnValue(_ step: ScenarioStep, by phone: CasePhone) throws {
    let central = phone.central
    switch step.action {
    case .read(let id, let outcome):
      let (link, handle) = (try link(of: phone), try handle(id, of: phone))
      try check(outcome, of: id) { .octets(try central.read(handle, on: link)) }
    case .write(let id, let value, let withResponse, let outcome):
      let (link, handle) = (try link(of: phone), try handle(id, of: phone))
      try check(outcome) {
        if withResponse {
          try central.write(value, to: handle, on: link)
        } else {
          try central.writeWithoutResponse(value, to: handle, on: link)
        }
        return nil
      }
    case .subscribe(let id, let isIndication, let outcome):
      try configure(id, isIndication ? .indication : .notification, phone, outcome)
    case .unsubscribe(let id, let outcome): try configure(id, [], phone, outcome)
    case .notified(let id, let values):
      try awaitValues(of: try handle(id, of: phone), values, phone, limit: step.limit)
    case .notNotified(let id):
      let handle = try handle(id, of: phone)
      let before = central.pushed.count
      stage.advance(by: step.limit)
      if let value = central.pushed.dropFirst(before).first(where: { $0.handle == handle }) {
        throw StepRefusal("\(value.value.hexadecimal) was received")
      }
    default: break
    }
  }

  /// Returns the handle of a characteristic's value: the one that the central discovered last, even if it is outdated, or else the one in
  /// the accessory's database.
  private func handle(_ id: String, of phone: CasePhone) throws -> UInt16 {
    if let handles = phone.handles {
      guard let handle = handles[id] else { throw StepError("the central has not discovered \(id)") }
      return handle
    }
    return try stage.handle(of: id)
  }

  private func configure(
    _ id: String, _ configuration: ClientConfiguration, _ phone: CasePhone, _ outcome: ScenarioOutcome
  ) throws {
    let (link, handle) = (try link(of: phone), try handle(id, of: phone))
    try check(outcome) {
      do {
        try phone.central.configure(handle, configuration, on: link)
      } catch GATTFailure.noConfiguration {
        let found = try phone.central.discover(on: link)
        stage.remember(found, of: phone)
        try phone.central.configure(handle, configuration, on: link)
      }
      return nil
    }
  }

  private func awaitValues(
    of handle: UInt16, _ values: [[UInt8]?], _ phone: CasePhone, limit: Duration
  ) throws {
    var wrong: String?
    var rest = values[...]
    let isDone = stage.advance(
      until: {
        while wrong == nil, let expected = rest.first, phone.nextPushed < phone.central.pushed.count {
          let pushed = phone.central.pushed[phone.nextPushed]
          phone.nextPushed += 1
          guard pushed.handle == handle else { continue }
          stage.note("value", pushed.value.hexadecimal)
          if let expected, pushed.value != expected {
            wrong = "\(pushed.value.hexadecimal) was received, not \(expected.hexadecimal)"
          }
          rest.removeFirst()
        }
        return wrong != nil || rest.isEmpty
      }, within: limit)
    if let wrong { throw StepRefusal(wrong) }
    guard isDone else { throw StepRefusal("only \(values.count - rest.count) of \(values.count) values were received") }
  }

  // MARK: - Channels

  func performOnChannel(_ step: ScenarioStep, by phone: CasePhone) throws {
    let link = try link(of: phone)
    func channel(_ id: String) throws -> ChannelID {
      guard let channel = phone.channels[id] else { throw StepError("no channel to \(id) is open") }
      return channel
    }
    switch step.action {
    case .open(let id, let outcome):
      guard let psm = stage.psm(of: id, phone) else { throw StepError("\(id) has no PSM") }
      try check(outcome) {
        phone.channels[id] = try phone.central.openChannel(psm, on: link).id
        phone.nextSDU[id] = 0
        return nil
      }
    case .send(let id, let octets, let outcome):
      let channel = try channel(id)
      try check(outcome) {
        try phone.central.sendSDU(octets, on: channel, of: link)
        return nil
      }
    case .received(let id, let expected):
      let channel = try channel(id)
      let place = phone.nextSDU[id] ?? 0
      guard stage.advance(until: { phone.central.sdus(on: channel, of: link).count > place }, within: step.limit)
      else {
        throw StepRefusal("no SDU was received within \(step.limit)")
      }
      let sdu = phone.central.sdus(on: channel, of: link)[place]
      phone.nextSDU[id] = place + 1
      guard sdu == expected else {
        throw StepRefusal("\(sdu.hexadecimal) was received, not \(expected.hexadecimal)")
      }
    case .closeChannel(let id): try phone.central.closeChannel(try channel(id), of: link)
    default: break
    }
  }
}

extension ScenarioOutcome {
  /// Returns whether a failure is the expected one.
  fileprivate func fits(_ failure: GATTFailure) -> Bool {
    switch (self, failure) {
    case (.fails, _), (.any, _), (.timesOut, .timedOut), (.cut, .closed), (.violation, .violation): true
    case (.refused(let code), .refused(let error, _, _)): error.rawValue == code
    default: false
    }
  }

  fileprivate func fits(_ failure: SimulationFailure) -> Bool {
    switch (self, failure) {
    case (.fails, _), (.any, _), (.timesOut, .timedOut): true
    default: false
    }
  }
}
