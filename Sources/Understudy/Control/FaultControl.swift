import AccessoryProfile
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import Faults
import PeripheralHost
import Transport

/// Arming faults of an accessory.
extension Accessory {
  /// Arms faults. A fault replaces an armed one with the same id.
  public func arm(_ faults: [Fault]) {
    let now = loop.now()
    defer { flush(at: now) }
    stack.arm(faults, of: profile.hostConfiguration(seed: options.seed), channels: publishedPSMs, at: now)
  }

  /// Arms a fault in the syntax of a profile, and returns its state with its id. Throws if the fault is invalid.
  public func armFault(_ json: ProfileValue) throws(ControlError) -> FaultState {
    let fault: Fault
    do throws(ProfileValueError) {
      fault = try stack.application.loadFault(
        json, number: nextFaultNumber, channels: publishedPSMs.keys.sorted())
    } catch {
      throw .unsuitableValue(error.message)
    }
    arm([fault])
    guard let state = faults().first(where: { $0.fault.id == fault.id }) else { throw .unknownFault(fault.id) }
    if let reason = reason(against: fault.action, on: stack.controller) {
      emit(.faultImpossible(fault.id, reason: reason))
    }
    return state
  }

  /// Returns the armed faults, in the order in which they were armed.
  public func faults() -> [FaultState] { stack.faultStates }

  /// Disarms the fault with that id, or all faults. An action that a fault has already begun continues.
  public func disarm(_ id: String? = nil) throws(ControlError) {
    let now = loop.now()
    defer { flush(at: now) }
    if stack.disarm(id) == 0, let id { throw .unknownFault(id) }
  }

  /// The number of the next fault without an id.
  private var nextFaultNumber: Int {
    let ids = stack.faultStates.map(\.fault.id)
    return (1...(ids.count + 1)).first { !ids.contains("fault-\($0)") } ?? ids.count + 1
  }

  private var publishedPSMs: [String: SPSM] {
    var profile = profile
    profile.channels = channels
    return profile.psms
  }

  /// Reports the faults that this controller cannot inject, as soon as the controller is known.
  func reportImpossibleFaults(on controller: ControllerProfile) {
    for state in stack.faultStates {
      guard let reason = reason(against: state.fault.action, on: controller) else { continue }
      emit(.faultImpossible(state.fault.id, reason: reason))
    }
  }

  /// Returns why a controller cannot perform the fault; nil if it can.
  private func reason(against action: FaultAction, on controller: ControllerProfile) -> String? {
    switch action {
    case .vanish, .reboot, .resetController:
      sharing == nil
        ? nil
        : "several accessories share the controller, which cannot drop the links of only one: they are "
          + "disconnected with the reason \"user terminated\""
    case .flood(.phy, _, _):
      controller.commands.contains(.leSetPHY) ? nil : "the controller has no PHY other than LE 1M"
    case .flood(.dataLength, _, _):
      controller.commands.contains(.leSetDataLength) ? nil : "the controller cannot change the data length"
    default: nil
    }
  }
}

extension FaultState {
  /// The state for the control API.
  public var json: ProfileValue {
    .object([
      "id": .string(fault.id), "on": .string(fault.occasion.text), "done": .string(fault.action.text),
      "seen": .int(Int64(seen)), "fired": .int(Int64(fired)), "spent": .bool(isSpent), "missing": .bool(isMissing),
    ])
  }
}
