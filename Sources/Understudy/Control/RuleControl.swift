import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import PeripheralHost
import Transport

/// Carrying out what the profile's rules request, and controlling the rules from outside.
extension Accessory {
  /// The buttons that the profile's rules use.
  public var buttons: [String] { stack.application.buttons }

  /// The name of the profile's state; nil if the profile has no states.
  public var profileState: String? { stack.application.stateName }

  /// Presses a button.
  public func press(_ button: String) throws(ControlError) {
    let actions: [ApplicationAction]
    do throws(ProfileValueError) {
      actions = try stack.application.press(button, at: loop.now())
    } catch {
      throw .unknownButton(error.message)
    }
    try perform(.perform(actions))
  }

  /// Executes `code` for each write of a characteristic, before the rules of the profile, which apply if it accepts the write; nil removes
  /// the code. It runs in the accessory's own turn, on its loop: it must not block, and others wait while it runs. Each write is what a
  /// central sent in one request, command or queue of prepared writes, even if the profile assembles packets from several.
  ///
  /// - Throws: `unknownCharacteristic`, or `unsuitableValue` for a characteristic that the host answers itself.
  public func onWrite(_ characteristic: String, _ code: WriteDecision.Code?) throws(ControlError) {
    let index = try self.characteristic(named: characteristic)
    guard stack.server.database[index].belongsToApplication else {
      throw .unsuitableValue("\(characteristic) belongs to the host itself, which answers its writes")
    }
    stack.application.setCode(code, of: index)
  }

  /// Whether the accessory is asleep: off the air, without connections.
  public var isAsleep: Bool { stack.application.isAsleep }

  /// Puts the accessory to sleep, or wakes it up.
  public func setAsleep(_ isAsleep: Bool) throws(ControlError) {
    try perform(.perform(stack.application.setAsleep(isAsleep, at: loop.now())))
  }

  /// Passes the host's events to the rules that react to them.
  func tellRules(of event: HostEvent, at now: Instant) {
    guard case .security(let handle, .paired) = event else { return }
    let actions = stack.application.clientPaired(handle.client, at: now)
    try? stack.perform(.perform(actions), at: now, into: &out)
  }

  /// Reports what the rules did, and carries out what they request.
  func followRules(at now: Instant) {
    for report in stack.application.takeRuleReports() {
      switch report {
      case .gap(let gap): emit(.rule(report), name(of: gap.characteristic))
      case .changed(let index, let octets): emit(.rule(report), name(of: index), decode(octets, of: index))
      default: emit(.rule(report))
      }
    }
    for request in stack.application.takeDeviceRequests() { carryOut(request, at: now) }
    if isRestarting, stack.linkStates.isEmpty {
      isRestarting = false
      try? stack.perform(.perform(stack.application.restart(at: now)), at: now, into: &out)
    }
  }

  private func carryOut(_ request: DeviceRequest, at now: Instant) {
    do throws(ControlError) {
      switch request.action {
      case .disconnect: try disconnect(request.client, at: now)
      case .advertise(let set, let isOn): try carryOut(.advertise(set: set, isOn: isOn), at: now)
      case .setModes(let modes): try carryOut(.setModes(modes), at: now)
      case .publish(let channel, true):
        if let definition = profile.channels.first(where: { $0.id == channel }),
          !channels.contains(where: { $0.id == channel })
        {
          _ = try publish(definition)
        }
      case .publish(let channel, false): if channels.contains(where: { $0.id == channel }) { try unpublish(channel) }
      case .service(let id, let isPresent):
        try stack.setService(id, of: profile, isPresent: isPresent, at: now, into: &out)
      case .forgetBonds(let bonded):
        for peer in stack.peers(bonded, of: request.client) { try carryOut(.removeBond(peer), at: now) }
      case .restart:
        isRestarting = true
        try disconnect(nil, at: now)
      }
    } catch {
      emit(.rule(.failed(place: "a rule", reason: "\(error)")))
    }
  }

  private func carryOut(_ request: HostRequest, at now: Instant) throws(ControlError) {
    do throws(HostRequestError) { try stack.perform(request, at: now, into: &out) } catch { throw .refused(error) }
  }

  private func disconnect(_ client: ClientID?, at now: Instant) throws(ControlError) {
    for link in stack.linkStates where client == nil || link.handle.client == client {
      try carryOut(.disconnect(link.handle, reason: .remoteUserTerminatedConnection), at: now)
    }
  }
}
