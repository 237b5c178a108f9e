import BLECore
import BLECryptography
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Commands of link-layer privacy")
struct PrivacyCommandTests {
  let stage = Stage()

  private func host(_ configuration: ControllerConfiguration = .full) throws -> ScriptedHost {
    let host = stage.add(configuration)
    try host.bringUp()
    return host
  }

  private func addition(
    _ number: UInt64, type: AddressType = .random, peerKey: UInt8 = 1, localKey: UInt8 = 2
  ) -> LEAddDeviceToResolvingList {
    LEAddDeviceToResolvingList {
      $0.peerIdentityAddressType = type
      $0.peerIdentityAddress = .randomStatic(from: number)
      $0.peerIRK = Array(repeating: peerKey, count: 16)
      $0.localIRK = Array(repeating: localKey, count: 16)
    }
  }

  private func removal(_ number: UInt64, type: AddressType = .random) -> LERemoveDeviceFromResolvingList {
    LERemoveDeviceFromResolvingList {
      $0.peerIdentityAddressType = type
      $0.peerIdentityAddress = .randomStatic(from: number)
    }
  }

  private func mode(_ number: UInt64, _ mode: PrivacyMode) -> LESetPrivacyMode {
    LESetPrivacyMode {
      $0.peerIdentityAddressType = .random
      $0.peerIdentityAddress = .randomStatic(from: number)
      $0.privacyMode = mode
    }
  }

  private func readLocal(_ host: ScriptedHost, _ number: UInt64) throws -> LEReadLocalResolvableAddress.ReturnParameters
  {
    try host.call(
      LEReadLocalResolvableAddress {
        $0.peerIdentityAddressType = .random
        $0.peerIdentityAddress = .randomStatic(from: number)
      })
  }

  private static let withoutPrivacy: ControllerConfiguration = {
    var configuration = ControllerConfiguration.full
    configuration.features.remove(.privacy)
    return configuration
  }()

  @Test("a controller with the feature has the commands", arguments: Presets.all + [withoutPrivacy])
  func feature(configuration: ControllerConfiguration) throws {
    let host = try host(configuration)
    let features = try host.call(LEReadLocalSupportedFeatures()).features
    let commands = try host.call(HCIReadLocalSupportedCommands()).supportedCommands
    // Privacy modes came with version 5.0.
    for opcode in CommandTable.privacyCommandOpcodes where configuration.version >= .v5_0 || opcode != .leSetPrivacyMode
    {
      #expect(commands.contains(opcode) == features.contains(.privacy), "\(opcode)")
    }
    if features.contains(.privacy) {
      #expect(configuration.resolvingListSize > 0)
      #expect(try host.call(LEReadResolvingListSize()).size == configuration.resolvingListSize)
    } else {
      #expect(try host.begin(addition(1)) == .unknownHCICommand)
    }
  }

  @Test("the list has the configured size, and identifies devices by identity and key")
  func list() throws {
    let host = try host(.nimble)
    for number in UInt8(1)...4 {
      #expect(try host.status(addition(UInt64(number), peerKey: number)) == .success)
    }
    #expect(try host.status(addition(5, peerKey: 5)) == .memoryCapacityExceeded)
    #expect(try host.status(removal(2)) == .success)
    #expect(try host.status(removal(2)) == .unknownConnectionIdentifier)
    #expect(try host.status(removal(3, type: .publicDevice)) == .unknownConnectionIdentifier)
    #expect(try host.status(addition(3, peerKey: 9)) == .invalidHCICommandParameters)
    #expect(try host.status(addition(6, peerKey: 3)) == .invalidHCICommandParameters)
    #expect(try host.status(addition(5, peerKey: 5)) == .success)
    #expect(try host.status(LEClearResolvingList()) == .success)
    #expect(try host.status(removal(3)) == .unknownConnectionIdentifier)
  }

  @Test("keys of zeros are allowed on either side, and are not duplicates")
  func zeroKeys() throws {
    let host = try host()
    #expect(try host.status(addition(1, peerKey: 0, localKey: 4)) == .success)
    #expect(try host.status(addition(2, peerKey: 0, localKey: 0)) == .success)
    #expect(try host.status(addition(3, peerKey: 3, localKey: 0)) == .success)
    #expect(try readLocal(host, 1).address.isResolvablePrivate)
    #expect(try readLocal(host, 2).status == .unknownConnectionIdentifier)
    #expect(try readLocal(host, 3).status == .unknownConnectionIdentifier)
  }

  @Test(
    "parameters out of range",
    arguments: [2, 3, 0xFE, 0xFF] as [UInt8])
  func identityTypes(raw: UInt8) throws {
    let host = try host()
    let type = AddressType(rawValue: raw)
    #expect(try host.status(addition(1, type: type)) == .invalidHCICommandParameters)
    #expect(try host.status(removal(1, type: type)) == .invalidHCICommandParameters)
    #expect(
      try host.status(LESetPrivacyMode { $0.peerIdentityAddressType = type }) == .invalidHCICommandParameters)
    #expect(
      try host.status(LEReadPeerResolvableAddress { $0.peerIdentityAddressType = type }) == .invalidHCICommandParameters
    )
    #expect(
      try host.status(LEReadLocalResolvableAddress { $0.peerIdentityAddressType = type })
        == .invalidHCICommandParameters
    )
  }

  @Test(
    "the timeout is from one second to an hour",
    arguments: [(0, false), (1, true), (900, true), (0x0E10, true), (0x0E11, false), (0xFFFF, false)])
  func timeouts(seconds: Int, isAllowed: Bool) throws {
    let command = LESetResolvablePrivateAddressTimeout { $0.timeout.rawValue = UInt16(seconds) }
    #expect(try host().status(command) == (isAllowed ? .success : .invalidHCICommandParameters))
  }

  @Test("the privacy mode is for known devices, and has two values")
  func modes() throws {
    let host = try host()
    #expect(try host.status(mode(1, .device)) == .unknownConnectionIdentifier)
    try host.status(addition(1))
    #expect(try host.status(mode(1, .device)) == .success)
    #expect(try host.status(mode(1, .network)) == .success)
    #expect(try host.status(mode(1, PrivacyMode(rawValue: 2))) == .invalidHCICommandParameters)
  }

  @Test("the local address stays the same until the timeout; all change together; a reset clears the list")
  func localAddress() throws {
    let host = try host()
    try host.status(addition(1, peerKey: 1))
    try host.status(addition(2, peerKey: 2))
    try host.status(LESetResolvablePrivateAddressTimeout { $0.timeout.rawValue = 60 })
    let first = try (readLocal(host, 1).address, readLocal(host, 2).address)
    #expect(first.0 != first.1)
    let key = try #require(IdentityResolvingKey(Array(repeating: 2, count: 16)))
    #expect(key.resolves(first.0) && key.resolves(first.1))
    stage.run(.milliseconds(59_999))
    #expect(try readLocal(host, 1).address == first.0)
    stage.run(.milliseconds(1))
    #expect(try readLocal(host, 1).address != first.0)
    #expect(try readLocal(host, 2).address != first.1)
    #expect(try readLocal(host, 3).status == .unknownConnectionIdentifier)
    try host.status(HCIReset())
    #expect(try readLocal(host, 1).status == .unknownConnectionIdentifier)
  }

  /// The activities of a controller on the air.
  enum Activity: CaseIterable {
    case advertising
    case scanning
    case initiating
  }

  private func start(_ activity: Activity, _ host: ScriptedHost) throws {
    switch activity {
    case .advertising: try #require(try host.status(LESetAdvertisingEnable { $0.enable = true }) == .success)
    case .scanning: try #require(try host.status(LESetScanEnable { $0.enable = true }) == .success)
    case .initiating: try #require(try host.begin(LECreateConnection { $0.peerAddress.bits = 9 }) == .success)
    }
  }

  private func stop(_ activity: Activity, _ host: ScriptedHost) throws {
    switch activity {
    case .advertising: try host.status(LESetAdvertisingEnable())
    case .scanning: try host.status(LESetScanEnable())
    case .initiating: try host.status(LECreateConnectionCancel())
    }
  }

  @Test(
    "on the air, the list is closed while addresses are resolved, and resolution always", arguments: Activity.allCases,
    [true, false])
  func closed(activity: Activity, isResolving: Bool) throws {
    let host = try host()
    try host.status(addition(1))
    try host.status(LESetAddressResolutionEnable { $0.enable = isResolving })
    try start(activity, host)
    let status: ErrorCode = isResolving ? .commandDisallowed : .success
    #expect(try host.status(addition(2, peerKey: 2)) == status)
    #expect(try host.status(mode(1, .device)) == status)
    #expect(try host.status(removal(1)) == status)
    #expect(try host.status(LEClearResolvingList()) == status)
    #expect(try host.status(LESetAddressResolutionEnable()) == .commandDisallowed)
    #expect(try host.status(LESetAddressResolutionEnable { $0.enable = true }) == .commandDisallowed)
    // These are never disallowed.
    #expect(try host.status(LESetResolvablePrivateAddressTimeout { $0.timeout.rawValue = 5 }) == .success)
    #expect(try host.call(LEReadResolvingListSize()).status == .success)
    #expect(try readLocal(host, 1).status == (isResolving ? .success : .unknownConnectionIdentifier))
    try stop(activity, host)
    #expect(try host.status(LEClearResolvingList()) == .success)
    #expect(try host.status(LESetAddressResolutionEnable()) == .success)
  }

  // MARK: Own addresses

  @Test("types that fall back to a random address need one, unless the list has a key for the peer")
  func neededRandomAddress() throws {
    let host = try host()
    try host.status(addition(1, localKey: 3))
    try host.status(addition(2, peerKey: 2, localKey: 0))
    for (number, status) in [(1, ErrorCode.success), (2, .invalidHCICommandParameters)] as [(UInt64, ErrorCode)] {
      try host.status(
        LESetAdvertisingParameters {
          $0.ownAddressType = .resolvableOrRandom
          $0.peerAddressType = .random
          $0.peerAddress = .randomStatic(from: number)
        })
      #expect(try host.status(LESetAdvertisingEnable { $0.enable = true }) == status)
      try host.status(LESetAdvertisingEnable())
      let create = LECreateConnection {
        $0.ownAddressType = .resolvableOrRandom
        $0.peerAddressType = .randomIdentity
        $0.peerAddress = .randomStatic(from: number)
      }
      #expect(try host.begin(create) == status)
      if status == .success { try host.status(LECreateConnectionCancel()) }
    }
    // The peers are not known in advance.
    try host.status(LESetScanParameters { $0.ownAddressType = .resolvableOrRandom })
    #expect(try host.status(LESetScanEnable { $0.enable = true }) == .invalidHCICommandParameters)
    let toListed = LECreateConnection {
      $0.ownAddressType = .resolvableOrRandom
      $0.initiatorFilterPolicy = .filterAcceptList
    }
    #expect(try host.begin(toListed) == .invalidHCICommandParameters)
  }

  @Test(
    "extended scanning filter policies need their feature",
    arguments: [ScanFilterPolicy.allAndUnresolvedDirected, .listedAndUnresolvedDirected])
  func scanFilterPolicies(policy: ScanFilterPolicy) throws {
    for (preset, status) in [
      (ControllerConfiguration.full, ErrorCode.success), (.nimble, .unsupportedFeatureOrParameterValue),
      (.zephyrHCIUART, .unsupportedFeatureOrParameterValue),
    ] {
      #expect(try host(preset).status(LESetScanParameters { $0.filterPolicy = policy }) == status)
    }
    let extended = LESetExtendedScanParameters {
      $0.filterPolicy = policy
      $0.parameters = [ScanningPHYParameters()]
    }
    #expect(try host(.zephyrExtended).status(extended) == .unsupportedFeatureOrParameterValue)
    #expect(try host().status(extended) == .success)
  }
}

/// Compares random sequences of commands for the list with a small model of it.
@Suite("Any use of the resolving list")
struct ResolvingListPropertyTests {
  private struct Model {
    struct Entry {
      var number: UInt64
      var peerKey: UInt8
      var localKey: UInt8
      var mode: UInt8 = 0
    }
    var entries: [Entry] = []
    var isResolving = false
    var isScanning = false
    let size: Int

    var isClosed: Bool { isResolving && isScanning }
    func index(_ number: UInt64) -> Int? { entries.firstIndex { $0.number == number } }

    mutating func add(_ entry: Entry) -> ErrorCode {
      if isClosed { return .commandDisallowed }
      let doubles = entries.contains { $0.number == entry.number || ($0.peerKey == entry.peerKey && $0.peerKey != 0) }
      if doubles { return .invalidHCICommandParameters }
      if entries.count == size { return .memoryCapacityExceeded }
      entries.append(entry)
      return .success
    }

    mutating func change(_ number: UInt64, _ change: (inout Model, Int) -> Void) -> ErrorCode {
      if isClosed { return .commandDisallowed }
      guard let index = index(number) else { return .unknownConnectionIdentifier }
      change(&self, index)
      return .success
    }
  }

  @Test("random sequences", arguments: UInt64(0)..<20)
  func sequences(seed: UInt64) throws {
    let host = Stage(seed: seed).add(.nimble)
    try host.bringUp()
    var random = SplitMix64(seed: seed)
    var model = Model(size: Int(ControllerConfiguration.nimble.resolvingListSize))
    var seen: Set<ErrorCode> = []
    for _ in 0..<300 {
      let (real, expected) = try Self.step(host, &model, &random)
      #expect(real == expected)
      seen.insert(real)
      let entries = try #require(host.stage.air.controller(host.id)?.state.resolvingList.entries)
      #expect(entries.map(\.peer.address) == model.entries.map { DeviceAddress(bits: $0.number) })
      #expect(entries.map(\.mode.rawValue) == model.entries.map(\.mode))
      #expect(entries.map { $0.peerKey == nil } == model.entries.map { $0.peerKey == 0 })
    }
    #expect(seen.count == 5)
  }

  private static func step(
    _ host: ScriptedHost, _ model: inout Model, _ random: inout SplitMix64
  ) throws -> (real: ErrorCode, expected: ErrorCode) {
    let number = 1 + random.upTo(6)
    let address = DeviceAddress(bits: number)
    switch random.upTo(9) {
    case 0...3:
      let entry = Model.Entry(number: number, peerKey: UInt8(random.upTo(8)), localKey: UInt8(random.upTo(1)))
      let real = try host.status(
        LEAddDeviceToResolvingList {
          $0.peerIdentityAddress = address
          $0.peerIRK = Array(repeating: entry.peerKey, count: 16)
          $0.localIRK = Array(repeating: entry.localKey, count: 16)
        })
      return (real, model.add(entry))
    case 4:
      let real = try host.status(LERemoveDeviceFromResolvingList { $0.peerIdentityAddress = address })
      return (real, model.change(number) { $0.entries.remove(at: $1) })
    case 5:
      let mode = UInt8(random.upTo(1))
      let real = try host.status(
        LESetPrivacyMode {
          $0.peerIdentityAddress = address
          $0.privacyMode = PrivacyMode(rawValue: mode)
        })
      return (real, model.change(number) { $0.entries[$1].mode = mode })
    case 6:
      let real = try host.status(LEReadLocalResolvableAddress { $0.peerIdentityAddress = address })
      let hasKey = model.index(number).map { model.entries[$0].localKey != 0 } ?? false
      return (real, hasKey ? .success : .unknownConnectionIdentifier)
    case 7:
      model.isScanning.toggle()
      let isScanning = model.isScanning
      return (try host.status(LESetScanEnable { $0.enable = isScanning }), .success)
    case 8:
      let enable = random.upTo(1) == 1
      let real = try host.status(LESetAddressResolutionEnable { $0.enable = enable })
      if !model.isScanning { model.isResolving = enable }
      return (real, model.isScanning ? .commandDisallowed : .success)
    default:
      guard random.upTo(4) == 0 else { return (.success, .success) }
      let isClosed = model.isClosed
      if !isClosed { model.entries.removeAll() }
      return (try host.status(LEClearResolvingList()), isClosed ? .commandDisallowed : .success)
    }
  }
}
