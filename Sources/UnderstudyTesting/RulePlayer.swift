import AccessoryProfile
import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import UnderstudyCore

/// Performs the device requests of a profile's rules, as `Accessory` does outside of tests.
final class RulePlayer {
  private let profile: Profile
  private var isRestarting = false

  init(_ profile: Profile) { self.profile = profile }

  /// Informs rules of events, and performs their requests.
  func follow(_ events: [HostEvent], of host: SimulatedAccessory<ProfileRuntime>, at now: Instant) {
    for case .security(let link, .paired) in events {
      respond(.perform(host.stack.application.clientPaired(link.client, at: now)), host, at: now)
    }
    for request in host.stack.application.takeDeviceRequests() { carryOut(request, host, at: now) }
    if isRestarting, host.stack.linkStates.isEmpty {
      isRestarting = false
      respond(.perform(host.stack.application.restart(at: now)), host, at: now)
    }
  }

  private func carryOut(_ request: DeviceRequest, _ host: SimulatedAccessory<ProfileRuntime>, at now: Instant) {
    switch request.action {
    case .disconnect: disconnect(request.client, host, at: now)
    case .advertise(let set, let isOn): respond(.advertise(set: set, isOn: isOn), host, at: now)
    case .setModes(let modes): respond(.setModes(modes), host, at: now)
    case .publish(let id, let isPublished): publish(id, isPublished, host, at: now)
    case .service(let id, let isPresent):
      try? host.respond { stack, out throws(ControlError) in
        try stack.setService(id, of: profile, isPresent: isPresent, at: now, into: &out)
      }
    case .forgetBonds(let bonded):
      for peer in host.stack.peers(bonded, of: request.client) { respond(.removeBond(peer), host, at: now) }
    case .restart:
      isRestarting = true
      disconnect(nil, host, at: now)
    }
  }

  private func disconnect(_ client: ClientID?, _ host: SimulatedAccessory<ProfileRuntime>, at now: Instant) {
    for link in host.stack.linkStates where client == nil || link.handle.client == client {
      respond(.disconnect(link.handle, reason: .remoteUserTerminatedConnection), host, at: now)
    }
  }

  private func publish(_ id: String, _ isPublished: Bool, _ host: SimulatedAccessory<ProfileRuntime>, at now: Instant) {
    guard let definition = profile.channels.first(where: { $0.id == id }), let channel = definition.published else {
      return
    }
    respond(.channel(isPublished ? .publish(channel) : .unpublish(channel.psm)), host, at: now)
    host.stack.application.setHandler(isPublished ? definition.handler : nil, of: channel.psm)
  }

  /// Performs a request. Ignores failures, as `Accessory` does.
  private func respond(_ request: HostRequest, _ host: SimulatedAccessory<ProfileRuntime>, at now: Instant) {
    try? host.respond { stack, out throws(HostRequestError) in try stack.perform(request, at: now, into: &out) }
  }
}
