import BLECore
import BLECryptography
import BLEHCI
import Testing

@testable import VirtualRadio

/// The family of commands that a device uses.
enum CommandFamily: CaseIterable {
  case legacy
  case extended
}

/// A host with an identity address and a key, which the test exchanges with other hosts.
struct PrivateDevice {
  let host: ScriptedHost
  let identity: ListedDevice
  /// The key as in HCI commands, least significant octet first.
  let key: [UInt8]
  let family: CommandFamily

  /// The own address type that uses resolvable private addresses, and the one that does not.
  var resolvableType: OwnAddressType { identity.type == .random ? .resolvableOrRandom : .resolvableOrPublic }
  var identityType: OwnAddressType { identity.type == .random ? .random : .publicDevice }

  init(
    _ stage: Stage, _ number: UInt64, _ family: CommandFamily = .legacy, type: AddressType = .random,
    configuration: ControllerConfiguration = .full
  ) throws {
    let publicAddress = DeviceAddress(bits: 0x0055_0000_0000 | number)
    host = stage.add(configuration.with(publicAddress: publicAddress))
    identity = ListedDevice(type: type, address: type == .random ? .randomStatic(from: number) : publicAddress)
    key = (0..<16).map { UInt8(truncatingIfNeeded: number &* 16 &+ $0 &+ 1) }
    self.family = family
    try host.bringUp()
    let random = DeviceAddress.randomStatic(from: number)
    try #require(try host.status(LESetRandomAddress { $0.address = random }) == .success)
  }

  func made(_ address: DeviceAddress) -> Bool { IdentityResolvingKey(key)?.resolves(address) ?? false }

  // MARK: Lists

  /// Adds a peer to the resolving list, and switches resolution on.
  func know(
    _ peer: PrivateDevice, mode: PrivacyMode = .network, peerHasKey: Bool = true, hasOwnKey: Bool = true,
    isResolving: Bool = true
  ) throws {
    let zeros = [UInt8](repeating: 0, count: 16)
    let addition = LEAddDeviceToResolvingList {
      $0.peerIdentityAddressType = peer.identity.type
      $0.peerIdentityAddress = peer.identity.address
      $0.peerIRK = peerHasKey ? peer.key : zeros
      $0.localIRK = hasOwnKey ? key : zeros
    }
    try #require(try host.status(addition) == .success)
    let setting = LESetPrivacyMode {
      $0.peerIdentityAddressType = peer.identity.type
      $0.peerIdentityAddress = peer.identity.address
      $0.privacyMode = mode
    }
    try #require(try host.status(setting) == .success)
    try #require(try host.status(LESetAddressResolutionEnable { $0.enable = isResolving }) == .success)
  }

  func accept(_ peer: PrivateDevice) throws {
    let addition = LEAddDeviceToFilterAcceptList {
      $0.addressType = peer.identity.type
      $0.address = peer.identity.address
    }
    try #require(try host.status(addition) == .success)
  }

  func setTimeout(seconds: UInt16) throws {
    let command = LESetResolvablePrivateAddressTimeout { $0.timeout.rawValue = seconds }
    try #require(try host.status(command) == .success)
  }

  // MARK: On the air

  /// Advertises every 20 ms; directed if the properties say so, and with the keys for `peer`.
  func advertise(
    _ type: OwnAddressType, to peer: ListedDevice? = nil,
    _ properties: AdvertisingEventProperties = .legacyConnectableScannable, filter: AdvertisingFilterPolicy = .all,
    notifies: Bool = false
  ) throws {
    switch family {
    case .legacy:
      let kinds: [AdvertisingEventProperties: AdvertisingType] = [
        .legacyConnectableScannable: .connectableScannable, .legacyScannable: .scannable,
        [.legacy, .connectable, .directed]: .directedLowDuty,
      ]
      let parameters = LESetAdvertisingParameters {
        $0.intervalMinimum.rawValue = 0x20
        $0.intervalMaximum.rawValue = 0x20
        $0.advertisingType = kinds[properties] ?? .nonConnectable
        $0.ownAddressType = type
        $0.peerAddressType = peer?.type ?? .publicDevice
        $0.peerAddress = peer?.address ?? .zero
        $0.filterPolicy = filter
      }
      try #require(try host.status(parameters) == .success)
      try #require(try host.status(LESetAdvertisingEnable { $0.enable = true }) == .success)
    case .extended:
      let parameters = LESetExtendedAdvertisingParameters {
        $0.advertisingHandle = 1
        $0.eventProperties = properties
        $0.primaryIntervalMinimum.rawValue = 0x20
        $0.primaryIntervalMaximum.rawValue = 0x20
        $0.ownAddressType = type
        $0.peerAddressType = peer?.type ?? .publicDevice
        $0.peerAddress = peer?.address ?? .zero
        $0.filterPolicy = filter
        $0.scanRequestNotification = notifies
      }
      try #require(try host.status(parameters) == .success)
      if identity.type == .random {
        try host.status(
          LESetAdvertisingSetRandomAddress {
            $0.advertisingHandle = 1
            $0.address = identity.address
          })
      }
      if properties.contains(.scannable) {
        try host.status(
          LESetExtendedScanResponseData {
            $0.advertisingHandle = 1
            $0.data = [2, 0x0A, 0]
          })
      }
      let enable = LESetExtendedAdvertisingEnable {
        $0.enable = true
        $0.sets = [AdvertisingSetActivation(advertisingHandle: 1)]
      }
      try #require(try host.status(enable) == .success)
    }
  }

  func stopAdvertising() throws {
    switch family {
    case .legacy: try #require(try host.status(LESetAdvertisingEnable()) == .success)
    case .extended: try #require(try host.status(LESetExtendedAdvertisingEnable()) == .success)
    }
  }

  func scan(
    _ type: OwnAddressType, _ policy: ScanFilterPolicy = .all, isActive: Bool = false, filtersDuplicates: Bool = false
  ) throws {
    switch family {
    case .legacy:
      try host.status(
        LESetScanParameters {
          $0.scanType = isActive ? .active : .passive
          $0.ownAddressType = type
          $0.filterPolicy = policy
        })
      let enable = LESetScanEnable {
        $0.enable = true
        $0.filterDuplicates = filtersDuplicates
      }
      try #require(try host.status(enable) == .success)
    case .extended:
      var track = ScanningPHYParameters()
      track.scanType = isActive ? .active : .passive
      try host.status(
        LESetExtendedScanParameters {
          $0.ownAddressType = type
          $0.filterPolicy = policy
          $0.parameters = [track]
        })
      let enable = LESetExtendedScanEnable {
        $0.enable = true
        $0.filterDuplicates = filtersDuplicates ? 1 : 0
      }
      try #require(try host.status(enable) == .success)
    }
  }

  func stopScanning() throws {
    switch family {
    case .legacy: try #require(try host.status(LESetScanEnable()) == .success)
    case .extended: try #require(try host.status(LESetExtendedScanEnable()) == .success)
    }
  }

  /// Connects to a peer, or to anyone on the filter accept list.
  func connect(_ type: OwnAddressType, to peer: ListedDevice?, peerType: AddressType? = nil) throws -> ErrorCode {
    let policy: InitiatorFilterPolicy = peer == nil ? .filterAcceptList : .peerAddress
    switch family {
    case .legacy:
      return try host.begin(
        LECreateConnection {
          $0.scanInterval.rawValue = 0x10
          $0.scanWindow.rawValue = 0x10
          $0.initiatorFilterPolicy = policy
          $0.peerAddressType = peerType ?? peer?.type ?? .publicDevice
          $0.peerAddress = peer?.address ?? .zero
          $0.ownAddressType = type
        })
    case .extended:
      var track = InitiatingPHYParameters()
      track.scanInterval.rawValue = 0x10
      track.scanWindow.rawValue = 0x10
      return try host.begin(
        LEExtendedCreateConnection {
          $0.initiatorFilterPolicy = policy
          $0.peerAddressType = peerType ?? peer?.type ?? .publicDevice
          $0.peerAddress = peer?.address ?? .zero
          $0.ownAddressType = type
          $0.parameters = [track]
        })
    }
  }

  // MARK: Looking

  /// An advertisement as reported to the host, by any event.
  struct Report: Hashable {
    var type: AddressType
    var address: DeviceAddress
    /// Whether it was reported as directed advertising with a target that could not be resolved.
    var isUnresolved = false
  }

  var reports: [Report] {
    host.all(LEAdvertisingReport.self).flatMap(\.reports).map { Report(type: $0.addressType, address: $0.address) }
      + host.all(LEDirectedAdvertisingReport.self).flatMap(\.reports)
      .map { Report(type: $0.addressType, address: $0.address, isUnresolved: true) }
      + host.all(LEExtendedAdvertisingReport.self).flatMap(\.reports).map {
        Report(type: $0.addressType, address: $0.address, isUnresolved: $0.directAddressType == .unresolved)
      }
  }

  /// The number of received scan responses.
  var scanResponses: Int {
    host.all(LEAdvertisingReport.self).flatMap(\.reports).filter { $0.reportType == .scanResponse }.count
      + host.all(LEExtendedAdvertisingReport.self).flatMap(\.reports)
      .filter { $0.reportType.contains(.scanResponse) }.count
  }

  /// The established connections.
  var links: [LEEnhancedConnectionComplete] { host.connections.filter { $0.status == .success } }

  /// Reads the local resolvable address for a peer.
  func localAddress(for peer: PrivateDevice) throws -> DeviceAddress {
    try host.call(
      LEReadLocalResolvableAddress {
        $0.peerIdentityAddressType = peer.identity.type
        $0.peerIdentityAddress = peer.identity.address
      }
    ).address
  }

  /// Reads the latest resolvable address of a peer.
  func peerAddress(of peer: PrivateDevice) throws -> LEReadPeerResolvableAddress.ReturnParameters {
    try host.call(
      LEReadPeerResolvableAddress {
        $0.peerIdentityAddressType = peer.identity.type
        $0.peerIdentityAddress = peer.identity.address
      })
  }
}

extension AdvertisingEventProperties {
  /// ADV_DIRECT_IND at a low duty cycle.
  static let legacyDirected: AdvertisingEventProperties = [.legacy, .connectable, .directed]
}
