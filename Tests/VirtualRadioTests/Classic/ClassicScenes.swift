import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

extension ScriptedHost {
  var address: DeviceAddress {
    get throws { try call(HCIReadBDADDR()).address }
  }

  /// Sends Reset, enables every event, and begins to scan for inquiries and pages.
  func bringUpClassic(simplePairing: Bool = true, secure: Bool = true) throws {
    try bringUp()
    try status(HCIWriteSimplePairingMode { $0.isEnabled = simplePairing })
    if secure { try status(HCIWriteSecureConnectionsHostSupport { $0.isEnabled = true }) }
    try status(HCIWriteLEHostSupport { $0.leSupported = true })
    try status(HCIWriteScanEnable { $0.scans = [.inquiry, .page] })
    try status(HCIWriteDefaultLinkPolicySettings { $0.settings = [.roleSwitch, .sniff] })
  }

  func last<Event: HCIEvent>(_ type: Event.Type, sourceLocation: SourceLocation = #_sourceLocation) throws -> Event {
    try #require(all(type).last, sourceLocation: sourceLocation)
  }
}

/// Two hosts with a link of BR/EDR; the first one has paged.
struct ClassicPair {
  var first: ScriptedHost
  var second: ScriptedHost
  var atFirst: ConnectionHandle
  var atSecond: ConnectionHandle
  var firstAddress: DeviceAddress
  var secondAddress: DeviceAddress
}

extension Stage {
  /// Adds two hosts that can find each other, with links to nobody.
  func classicHosts(
    _ first: ControllerConfiguration = .dual, _ second: ControllerConfiguration = .dual, simplePairing: Bool = true,
    secure: Bool = true
  ) throws -> (ScriptedHost, ScriptedHost) {
    let hosts = (add(first), add(second))
    try hosts.0.bringUpClassic(simplePairing: simplePairing, secure: secure)
    try hosts.1.bringUpClassic(simplePairing: simplePairing, secure: secure)
    return hosts
  }

  /// Connects two hosts that have been brought up.
  func connectClassic(
    _ first: ScriptedHost, _ second: ScriptedHost, as role: LinkRole = .peripheral
  ) throws -> ClassicPair {
    let (firstAddress, secondAddress) = (try first.address, try second.address)
    try #require(
      try first.begin(
        HCICreateConnection {
          $0.address = secondAddress
          $0.allowsRoleSwitch = true
        }) == .success)
    try #require(run { !second.all(HCIConnectionRequest.self).isEmpty })
    try #require(
      try second.begin(
        HCIAcceptConnectionRequest {
          $0.address = firstAddress
          $0.role = role
        }) == .success)
    try #require(
      run { !first.all(HCIConnectionComplete.self).isEmpty && !second.all(HCIConnectionComplete.self).isEmpty })
    let pair = ClassicPair(
      first: first, second: second, atFirst: try first.last(HCIConnectionComplete.self).connectionHandle,
      atSecond: try second.last(HCIConnectionComplete.self).connectionHandle, firstAddress: firstAddress,
      secondAddress: secondAddress)
    run(.milliseconds(100))
    return pair
  }

  /// Adds two hosts and connects them.
  func classicPair(
    _ first: ControllerConfiguration = .dual, _ second: ControllerConfiguration = .dual, simplePairing: Bool = true,
    secure: Bool = true
  ) throws -> ClassicPair {
    let hosts = try classicHosts(first, second, simplePairing: simplePairing, secure: secure)
    return try connectClassic(hosts.0, hosts.1)
  }
}
