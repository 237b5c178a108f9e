import BLECore
import BLEHCI

// Roles, modes and policies of links (Core 5.4 Vol 4 Part E 7.2).
extension CommandTable {
  static let linkPolicy: [CommandEntry] = [
    classicBegun(HCISniffMode.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      let intervals = [command.minimumInterval.rawValue, command.maximumInterval.rawValue]
      try classic.require(intervals.allSatisfy { (0x0002...0xFFFE).contains($0) && $0 % 2 == 0 })
      try classic.require(command.minimumInterval <= command.maximumInterval)
      try classic.require((1...0x7FFF).contains(command.attempt) && command.timeout <= 0x7FFF)
      try classic.require(link.sniff == nil && !end.requests.contains(.roleSwitch), .commandDisallowed)
      let parameters = SniffParameters(
        interval: command.maximumInterval, attempt: Int(command.attempt), timeout: Int(command.timeout))
      try classic.air.begin(.sniff, .sniffRequest(parameters), at: end, over: link)
    },
    classicBegun(HCIExitSniffMode.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      try classic.require(link.sniff != nil, .commandDisallowed)
      try classic.air.begin(.unsniff, .unsniffRequest, at: end, over: link)
    },
    classic(HCIRoleDiscovery.self, handleFirst: true) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      return HCIRoleDiscovery.ReturnParameters {
        $0.connectionHandle = command.connectionHandle
        $0.role = link.role(of: end.place)
      }
    },
    classicBegun(HCISwitchRole.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.address)
      try classic.require(end.isOpen, .unknownConnectionIdentifier)
      try classic.require(command.role.rawValue <= 1)
      try classic.require(link.sniff == nil && !end.requests.contains(.sniff), .commandDisallowed)
      guard link.role(of: end.place) != command.role else { return classic.reportRole(of: link, at: end.place) }
      try classic.air.begin(.roleSwitch, .switchRequest, at: end, over: link)
    },
    classic(HCIReadLinkPolicySettings.self, handleFirst: true) { classic, command throws(Refusal) in
      let (_, end) = try classic.existing(command.connectionHandle)
      return HCIReadLinkPolicySettings.ReturnParameters {
        $0.connectionHandle = command.connectionHandle
        $0.settings = end.policy
      }
    },
    classic(HCIWriteLinkPolicySettings.self, handleFirst: true) { classic, command throws(Refusal) in
      let (_, end) = try classic.existing(command.connectionHandle)
      try requirePolicy(command.settings, classic)
      end.policy = command.settings
      return ConnectionReturn { $0.connectionHandle = command.connectionHandle }
    },
    classic(HCIReadDefaultLinkPolicySettings.self) { classic, _ in
      HCIReadDefaultLinkPolicySettings.ReturnParameters { $0.settings = classic.settings.policy }
    },
    classicPlain(HCIWriteDefaultLinkPolicySettings.self) { classic, command throws(Refusal) in
      try requirePolicy(command.settings, classic)
      classic.settings.policy = command.settings
    },
    classic(HCISniffSubrating.self, handleFirst: true) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      try classic.require((0x0002...0xFFFE).contains(command.maximumLatency.rawValue))
      try classic.require(command.minimumRemoteTimeout.rawValue <= 0xFFFE)
      try classic.require(command.minimumLocalTimeout.rawValue <= 0xFFFE)
      let values = SniffSubrating(
        maximumLatency: command.maximumLatency, minimumRemoteTimeout: command.minimumRemoteTimeout,
        minimumLocalTimeout: command.minimumLocalTimeout)
      // It takes effect while the link sleeps.
      if link.sniff != nil {
        classic.air.report(values, at: end)
        classic.air.send(.sniffSubrating(values), from: end, over: link)
      }
      return ConnectionReturn { $0.connectionHandle = command.connectionHandle }
    },
  ]

  /// Checks that the controller supports what a policy allows. Hold mode is not supported.
  private static func requirePolicy(_ policy: LinkPolicySettings, _ classic: ClassicController) throws(Refusal) {
    let supported: LinkPolicySettings = [.roleSwitch, .sniff]
    try classic.require(policy.isSubset(of: supported), .unsupportedFeatureOrParameterValue)
  }
}
