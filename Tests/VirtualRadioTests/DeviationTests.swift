import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// The deviations of the presets from the Core Specification, each compared with a conforming controller.
@Suite("Deviations of known controllers")
struct DeviationTests {
  let stage = Stage()

  /// Returns a host on a controller with only those deviations.
  func host(
    _ deviations: Set<ControllerDeviation>, _ change: (inout ControllerConfiguration) -> Void = { _ in }
  ) throws -> ScriptedHost {
    var configuration = ControllerConfiguration.full
    configuration.deviations = deviations
    change(&configuration)
    let host = stage.add(configuration)
    try host.bringUp()
    return host
  }

  @discardableResult
  func set(
    _ host: ScriptedHost, _ handle: UInt8 = 0, _ properties: AdvertisingEventProperties = [.connectable],
    interval: UInt32 = 0x20
  ) throws -> ErrorCode {
    try host.status(
      LESetExtendedAdvertisingParameters {
        $0.advertisingHandle = handle
        $0.eventProperties = properties
        $0.primaryIntervalMinimum.rawValue = interval
        $0.primaryIntervalMaximum.rawValue = interval
        $0.ownAddressType = .random
      })
  }

  private func setAddress(_ host: ScriptedHost, _ number: UInt64, _ handle: UInt8 = 0) throws -> ErrorCode {
    try host.status(
      LESetAdvertisingSetRandomAddress {
        $0.advertisingHandle = handle
        $0.address = .randomStatic(from: number)
      })
  }

  private func enable(_ host: ScriptedHost, _ handles: [UInt8] = [0]) throws -> ErrorCode {
    try host.status(
      LESetExtendedAdvertisingEnable {
        $0.enable = true
        $0.sets = handles.map {
          AdvertisingSetActivation(
            advertisingHandle: $0, duration: AdvertisingDuration(rawValue: 0), maximumEvents: 0)
        }
      })
  }

  /// Returns the addresses that a scanner hears within two seconds.
  private func heard(by scanner: ScriptedHost) -> Set<DeviceAddress> {
    scanner.forget()
    stage.run(.seconds(2))
    return Set(scanner.all(LEExtendedAdvertisingReport.self).flatMap(\.reports).map(\.address))
  }

  private func scanner() throws -> ScriptedHost {
    let host = stage.add()
    try stage.scanExtended(host)
    return host
  }

  // MARK: Advertising

  @Test(
    "a new address for an enabled connectable set takes effect when it is enabled again", arguments: [false, true])
  func addressOfConnectableSet(isLax: Bool) throws {
    let host = try host(isLax ? [.takesAddressOfConnectableSet] : [])
    let scanner = try scanner()
    try set(host)
    #expect(try setAddress(host, 1) == .success)
    #expect(try enable(host) == .success)
    #expect(heard(by: scanner) == [.randomStatic(from: 1)])
    #expect(try setAddress(host, 2) == (isLax ? .success : .commandDisallowed))
    #expect(heard(by: scanner) == [.randomStatic(from: 1)])
    #expect(try enable(host) == .success)
    #expect(heard(by: scanner) == [.randomStatic(from: isLax ? 2 : 1)])
  }

  @Test("a set has the address of the previous set in its place", arguments: [false, true])
  func addressBefore(isLax: Bool) throws {
    let host = try host(isLax ? [.keepsSetAddresses] : [])
    try set(host)
    #expect(try setAddress(host, 1) == .success)
    #expect(try host.status(LERemoveAdvertisingSet()) == .success)
    for _ in 0..<2 {
      try set(host, 7)
      #expect(try enable(host, [7]) == (isLax ? .success : .invalidHCICommandParameters))
      #expect(try host.status(HCIReset()) == .success)
    }
    stage.air.restartController(host.id, announcing: .silently)
    try set(host)
    #expect(try enable(host) == .invalidHCICommandParameters)
  }

  @Test("a set with incomplete data", arguments: [false, true])
  func incompleteData(isLax: Bool) throws {
    let host = try host(isLax ? [.enablesIncompleteData] : [])
    try set(host)
    #expect(try setAddress(host, 1) == .success)
    try host.status(
      LESetExtendedAdvertisingData {
        $0.operation = .first
        $0.data = [1, 2]
      })
    #expect(try enable(host) == (isLax ? .success : .commandDisallowed))
  }

  @Test("a new address for any enabled set is refused", arguments: [false, true])
  func addressOfEnabledSet(isStrict: Bool) throws {
    let host = try host(isStrict ? [.refusesAddressOfEnabledSet] : [])
    try set(host, 0, [])
    #expect(try setAddress(host, 1) == .success)
    #expect(try enable(host) == .success)
    #expect(try setAddress(host, 2) == (isStrict ? .commandDisallowed : .success))
  }

  @Test("enabling an enabled set does not give it its new address", arguments: [false, true])
  func enabledSet(isLax: Bool) throws {
    let host = try host(isLax ? [.keepsEnabledSet] : [])
    let scanner = try scanner()
    try set(host, 0, [])
    #expect(try setAddress(host, 1) == .success)
    #expect(try enable(host) == .success)
    #expect(try setAddress(host, 2) == .success)
    #expect(try enable(host) == .success)
    #expect(heard(by: scanner) == [.randomStatic(from: isLax ? 1 : 2)])
  }

  @Test("an address may be set during passive scanning, and not during active scanning", arguments: [false, true])
  func addressDuringScanning(isLax: Bool) throws {
    let host = try host(isLax ? [.takesAddressDuringPassiveScanning] : [])
    for (type, isRefused) in [(ScanType.passive, !isLax), (.active, true)] {
      #expect(try host.status(LESetScanParameters { $0.scanType = type }) == .success)
      #expect(try host.status(LESetScanEnable { $0.enable = true }) == .success)
      #expect(
        try host.status(LESetRandomAddress { $0.address = .randomStatic(from: 5) })
          == (isRefused ? .commandDisallowed : .success))
      #expect(try host.status(LESetScanEnable()) == .success)
    }
  }

  @Test("if a later set cannot be enabled, the first one is on the air", arguments: [false, true])
  func setsOneByOne(isLax: Bool) throws {
    let host = try host(isLax ? [.enablesSetsOneByOne] : [])
    let scanner = try scanner()
    try set(host, 0)
    try set(host, 1)
    #expect(try setAddress(host, 1) == .success)
    // The second set has no address.
    #expect(try enable(host, [0, 1]) == .invalidHCICommandParameters)
    #expect(heard(by: scanner) == (isLax ? [.randomStatic(from: 1)] : []))
  }

  @Test("data that is too long for a set gets a different error", arguments: [false, true])
  func longData(isOdd: Bool) throws {
    let host = try host(isOdd ? [.refusesLongDataAsUnspecified] : []) { $0.maximumAdvertisingDataLength = 191 }
    try set(host)
    func data(_ operation: AdvertisingDataOperation, _ count: Int) throws -> ErrorCode {
      try host.status(
        LESetExtendedAdvertisingData {
          $0.operation = operation
          $0.data = Array(repeating: 0, count: count)
        })
    }
    #expect(try data(.complete, 199) == .memoryCapacityExceeded)
    #expect(try data(.complete, 200) == (isOdd ? .unspecifiedError : .memoryCapacityExceeded))
    #expect(try data(.complete, 191) == .success)
    #expect(try data(.first, 191) == .success)
    #expect(try data(.last, 1) == .memoryCapacityExceeded)
  }

  @Test("a connectable set reserves a connection as soon as it is enabled", arguments: [false, true])
  func reservedConnections(reserves: Bool) throws {
    let host = try host(reserves ? [.reservesConnections] : []) { $0.maximumConnections = 2 }
    for handle in UInt8(0)..<3 {
      try set(host, handle)
      #expect(try setAddress(host, UInt64(handle), handle) == .success)
    }
    try set(host, 3, [])
    #expect(try setAddress(host, 3, 3) == .success)
    #expect(try enable(host, [0, 1]) == .success)
    #expect(try enable(host, [2]) == (reserves ? .memoryCapacityExceeded : .success))
    #expect(try enable(host, [0]) == .success)
    #expect(try enable(host, [3]) == .success)
    #expect(try host.status(LESetExtendedAdvertisingEnable()) == .success)
    #expect(try enable(host, [2]) == .success)
  }

  @Test(
    "intervals above the controller's maximum are refused with 0x11", arguments: ["zephyr-extended", "nimble", "full"])
  func longInterval(preset: String) throws {
    let host = stage.add(try #require(ControllerConfiguration.named(preset)))
    #expect(try set(host, interval: 0x4000) == .success)
    #expect(try set(host, interval: 0x4001) == (preset == "full" ? .success : .unsupportedFeatureOrParameterValue))
  }
}
