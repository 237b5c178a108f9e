import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// An air in virtual time with scripted hosts on it.
final class Stage {
  let air: Air
  private(set) var hosts: [ScriptedHost] = []

  init(seed: UInt64 = 1, timing: AirConfiguration.Timing = .linkLayer) {
    air = Air(configuration: AirConfiguration(seed: seed, timing: timing))
  }

  func add(_ configuration: ControllerConfiguration = .full) -> ScriptedHost {
    let number = UInt64(hosts.count + 1)
    let id = air.addController(
      configuration: configuration.publicAddress == .zero && configuration.manufacturer != .zephyr
        ? configuration.with(publicAddress: DeviceAddress(bits: 0x0012_3400_0000 | number)) : configuration)
    let host = ScriptedHost(stage: self, id: id)
    hosts.append(host)
    collect()
    return host
  }

  /// Passes the output of each controller to its host.
  func collect() {
    for id in air.controllersWithOutput {
      var buffer = OctetBuffer()
      air.drain(id, into: &buffer)
      hosts.first { $0.id == id }?.take(buffer.copy())
    }
  }

  /// Advances time by that much, event by event.
  func run(_ duration: Duration) {
    let end = air.now + duration
    while let deadline = air.nextDeadline, deadline <= end {
      air.advance(to: deadline)
      collect()
    }
    air.advance(to: end)
    collect()
  }

  /// Advances time until `condition` is true, by at most `limit`; returns whether it is true.
  @discardableResult
  func run(until limit: Duration = .seconds(10), _ condition: () -> Bool) -> Bool {
    let end = air.now + limit
    while !condition() {
      guard let deadline = air.nextDeadline, deadline <= end else { return false }
      air.advance(to: deadline)
      collect()
    }
    return true
  }

  // MARK: Common scenes

  /// Returns two hosts with a link that was made with legacy commands: central, peripheral, and their handles.
  func connected(
    central centralConfiguration: ControllerConfiguration = .full,
    peripheral peripheralConfiguration: ControllerConfiguration = .full, interval: UInt16 = 24, latency: UInt16 = 0,
    timeout: UInt16 = 100
  ) throws -> Pair {
    let central = add(centralConfiguration)
    let peripheral = add(peripheralConfiguration)
    try central.bringUp()
    try peripheral.bringUp()
    let address = DeviceAddress.randomStatic(from: 0x1122_3344)
    try #require(try peripheral.status(LESetRandomAddress { $0.address = address }) == .success)
    try #require(try central.status(LESetRandomAddress { $0.address = .randomStatic(from: 0x55) }) == .success)
    try peripheral.status(
      LESetAdvertisingParameters {
        $0.intervalMinimum.rawValue = 0x20
        $0.intervalMaximum.rawValue = 0x20
        $0.ownAddressType = .random
      })
    try #require(try peripheral.status(LESetAdvertisingEnable { $0.enable = true }) == .success)
    try #require(
      try central.begin(
        LECreateConnection {
          $0.scanInterval.rawValue = 0x10
          $0.scanWindow.rawValue = 0x10
          $0.peerAddressType = .random
          $0.peerAddress = address
          $0.ownAddressType = .random
          $0.intervalMinimum.rawValue = interval
          $0.intervalMaximum.rawValue = interval
          $0.maximumLatency = latency
          $0.supervisionTimeout.rawValue = timeout
        }) == .success)
    try #require(run { !central.connectionHandles.isEmpty && !peripheral.connectionHandles.isEmpty })
    return Pair(
      central: central, peripheral: peripheral, atCentral: central.connectionHandles[0],
      atPeripheral: peripheral.connectionHandles[0])
  }
}

struct Pair {
  var central: ScriptedHost
  var peripheral: ScriptedHost
  /// The connection handle at the central's host, and at the peripheral's.
  var atCentral: UInt16
  var atPeripheral: UInt16
}
