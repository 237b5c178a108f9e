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
  /// What an operation gives.
  enum OperationResult: Hashable {
    case octets([UInt8])
    case mtu(Int)
  }

  private func words(_ octets: [UInt8], of id: String?) -> String { stage.words(octets, of: id) }

  private func words(_ outcome: ScenarioOutcome, of id: String?) -> String {
    if case .gives(let value) = outcome { stage.words(value, of: id) } else { outcome.words }
  }

  /// Performs an operation, and throws if its outcome is not the expected one. `id` is the characteristic whose value it returns.
  func check(_ outcome: ScenarioOutcome, of id: String? = nil, _ body: () throws -> OperationResult?) throws {
    do {
      let result = try body()
      switch (outcome, result) {
      case (.succeeds, _), (.any, _): return
      case (.gives(let expected), .octets(let octets)):
        guard expected.matches(octets) else {
          let (came, wanted) = (words(octets, of: id), stage.words(expected, of: id))
          throw StepRefusal("the result is \(came), not \(wanted)", expected: wanted, actual: came)
        }
      case (.mtu(let expected), .mtu(let mtu)):
        guard mtu == expected else {
          throw StepRefusal("the MTU is \(mtu), not \(expected)", expected: "\(expected)", actual: "\(mtu)")
        }
      default: throw StepRefusal("it succeeded", expected: outcome.words, actual: "success")
      }
    } catch let failure as GATTFailure {
      guard outcome.fits(failure) else {
        throw StepRefusal("\(failure)", expected: words(outcome, of: id), actual: "\(failure)")
      }
    } catch let refusal as StepRefusal {
      guard outcome == .fails || outcome == .any, refusal.reason != "it succeeded" else { throw refusal }
    } catch let failure as SimulationFailure {
      guard outcome.fits(failure) else {
        throw StepRefusal("\(failure)", expected: words(outcome, of: id), actual: "\(failure)")
      }
    } catch let error as HostRequestError {
      guard [.fails, .any, .cut].contains(outcome) else { throw StepRefusal("\(error)") }
    }
  }

  func performOnValue(_ step: ScenarioStep, by phone: CasePhone) throws {
    let central = phone.central
    switch step.action {
    case .read(let id, let outcome):
      let (link, handle) = (try link(of: phone), try handle(id, of: phone))
      try check(outcome, of: id) {
        try openAttributes(of: phone)
        return .octets(try central.read(handle, on: link))
      }
    case .write(let id, let value, let withResponse, let outcome):
      let (link, handle) = (try link(of: phone), try handle(id, of: phone))
      try check(outcome) {
        try openAttributes(of: phone)
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
      try awaitValues(of: id, values, phone, limit: step.limit)
    case .notNotified(let id):
      let handle = try handle(id, of: phone)
      let before = central.pushed.count
      stage.advance(by: step.limit)
      if let value = central.pushed.dropFirst(before).first(where: { $0.handle == handle }) {
        let came = words(value.value, of: id)
        throw StepRefusal("\(came) was received", expected: "no value", actual: came)
      }
    default: break
    }
  }

  /// Returns the handle of a characteristic's value. A central uses the handles that it discovered last, even if they are outdated; a central
  /// that has not discovered uses those of the accessory's database.
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
      try openAttributes(of: phone)
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

  private func awaitValues(of id: String, _ values: [ExpectedValue?], _ phone: CasePhone, limit: Duration) throws {
    let handle = try handle(id, of: phone)
    var wrong: StepRefusal?
    var rest = values[...]
    let isDone = stage.advance(
      until: {
        while wrong == nil, let expected = rest.first, phone.nextPushed < phone.central.pushed.count {
          let pushed = phone.central.pushed[phone.nextPushed]
          phone.nextPushed += 1
          guard pushed.handle == handle else { continue }
          stage.note("value", pushed.value.hexadecimal)
          if let expected, !expected.matches(pushed.value) {
            let (came, wanted) = (words(pushed.value, of: id), stage.words(expected, of: id))
            let place = values.count == 1 ? "" : " as value \(values.count - rest.count + 1) of \(values.count)"
            wrong = StepRefusal("\(came) was received\(place), not \(wanted)", expected: wanted, actual: came)
          }
          rest.removeFirst()
        }
        return wrong != nil || rest.isEmpty
      }, within: limit)
    if let wrong { throw wrong }
    guard isDone else {
      throw StepRefusal(
        "only \(values.count - rest.count) of \(values.count) values were received",
        expected: values.map { $0.map { stage.words($0, of: id) } ?? "any value" }.joined(separator: "\n"),
        actual: rest.count == values.count ? "no value" : "the first \(values.count - rest.count) of them")
    }
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
        throw StepRefusal(
          "hex:\(sdu.hexadecimal) was received, not hex:\(expected.hexadecimal)",
          expected: "hex:\(expected.hexadecimal)", actual: "hex:\(sdu.hexadecimal)")
      }
    case .closeChannel(let id): try phone.central.closeChannel(try channel(id), of: link)
    default: break
    }
  }
}

extension ScenarioOutcome {
  /// The outcome, for people.
  fileprivate var words: String {
    switch self {
    case .succeeds: "success"
    case .gives(let value): "hex:\(value.octets.hexadecimal)"
    case .mtu(let mtu): "an MTU of \(mtu)"
    case .fails: "a failure"
    case .refused(let code): "the error \(ATTErrorCode(rawValue: code))"
    case .timesOut: "no answer"
    case .cut: "the end of the link"
    case .violation: "an answer that violates the protocol"
    case .any: "success or a failure"
    }
  }

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
