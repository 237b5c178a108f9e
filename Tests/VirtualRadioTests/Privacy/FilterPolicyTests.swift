import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// The filter policies of scanners, advertisers and initiators, with and without resolvable addresses.
@Suite("Filter policies")
struct FilterPolicyTests {
  /// The target of an advertisement.
  enum Target: CaseIterable {
    case everyone
    /// The scanner, by a resolvable address generated with its key.
    case scanner
    /// The scanner, by its identity address.
    case scannerIdentity
    /// A resolvable address that the scanner cannot resolve.
    case unknown
    /// Another device, by its identity address.
    case other
  }

  /// What the scanner's host receives of it.
  enum Outcome {
    case report
    case unresolved
    case nothing
  }

  /// Core 5.4 Vol 6 Part B 4.3.3.
  static func outcome(_ policy: ScanFilterPolicy, isListed: Bool, _ target: Target) -> Outcome {
    if (policy == .listed || policy == .listedAndUnresolvedDirected) && !isListed { return .nothing }
    switch target {
    case .everyone, .scanner, .scannerIdentity: return .report
    case .unknown:
      return policy == .allAndUnresolvedDirected || policy == .listedAndUnresolvedDirected ? .unresolved : .nothing
    case .other: return .nothing
    }
  }

  struct Case: CustomTestStringConvertible {
    var family: CommandFamily
    var policy: ScanFilterPolicy
    var isListed: Bool
    var target: Target
    var testDescription: String { "\(family), policy \(policy.rawValue), listed \(isListed), to \(target)" }

    static let all: [Case] = CommandFamily.allCases.flatMap { family in
      (UInt8(0)...3).flatMap { policy in
        [true, false].flatMap { isListed in
          Target.allCases.map {
            Case(family: family, policy: ScanFilterPolicy(rawValue: policy), isListed: isListed, target: $0)
          }
        }
      }
    }
  }

  @Test("reports of a bonded advertiser with a resolvable address", arguments: Case.all)
  func scanning(table: Case) throws {
    let stage = Stage()
    let scanner = try PrivateDevice(stage, 1, table.family)
    let advertiser = try PrivateDevice(stage, 2, table.family)
    let other = try PrivateDevice(stage, 3, table.family)
    try scanner.know(advertiser)
    if table.isListed { try scanner.accept(advertiser) }
    if table.target != .other { try advertiser.know(scanner, peerHasKey: table.target != .scannerIdentity) }
    if table.target == .unknown { try advertiser.know(other) }
    let properties: AdvertisingEventProperties =
      table.target == .everyone ? .legacyConnectableScannable : .legacyDirected
    let peer = table.target == .unknown || table.target == .other ? other : scanner
    try advertiser.advertise(advertiser.resolvableType, to: peer.identity, properties)
    try scanner.scan(scanner.identityType, table.policy)
    stage.run(.seconds(1))
    let reports = Set(scanner.reports)
    switch Self.outcome(table.policy, isListed: table.isListed, table.target) {
    case .report: #expect(reports == [.init(type: .randomIdentity, address: advertiser.identity.address)])
    case .unresolved:
      #expect(reports == [.init(type: .randomIdentity, address: advertiser.identity.address, isUnresolved: true)])
    case .nothing: #expect(reports.isEmpty)
    }
    let isDirected = table.target == .scanner && !reports.isEmpty
    for report in scanner.host.all(LEExtendedAdvertisingReport.self).flatMap(\.reports) where isDirected {
      #expect(report.directAddressType == .randomIdentity && report.directAddress == scanner.identity.address)
    }
  }

  @Test(
    "directed extended PDUs follow the same rules, and only their target sends scan requests",
    arguments: [[.directed], [.directed, .connectable], [.directed, .scannable], [.directed, .anonymous]]
      as [AdvertisingEventProperties], Target.allCases.filter { $0 != .everyone })
  func extendedPDUs(properties: AdvertisingEventProperties, target: Target) throws {
    let stage = Stage()
    let scanner = try PrivateDevice(stage, 1, .extended)
    let advertiser = try PrivateDevice(stage, 2, .extended)
    let other = try PrivateDevice(stage, 3, .extended)
    try scanner.know(advertiser)
    if target != .other { try advertiser.know(scanner, peerHasKey: target != .scannerIdentity) }
    if target == .unknown { try advertiser.know(other) }
    let peer = target == .unknown || target == .other ? other : scanner
    try advertiser.advertise(advertiser.resolvableType, to: peer.identity, properties, notifies: true)
    try scanner.scan(scanner.resolvableType, .allAndUnresolvedDirected, isActive: true)
    stage.run(.seconds(1))
    let reports = scanner.host.all(LEExtendedAdvertisingReport.self).flatMap(\.reports)
    let outcome = Self.outcome(.allAndUnresolvedDirected, isListed: false, target)
    #expect(reports.isEmpty == (outcome == .nothing))
    let expected: AddressType =
      outcome == .unresolved ? .unresolved : target == .scannerIdentity ? .random : .randomIdentity
    #expect(reports.allSatisfy { $0.directAddressType == expected && $0.reportType.contains(.directed) })
    if outcome == .report { #expect(reports.allSatisfy { $0.directAddress == scanner.identity.address }) }
    if outcome == .unresolved { #expect(reports.allSatisfy { other.made($0.directAddress) }) }
    let isAnonymous = properties.contains(.anonymous)
    #expect(reports.allSatisfy { $0.addressType == (isAnonymous ? .anonymous : .randomIdentity) })
    // A scanner with a resolvable address that the advertiser has no key for is not its target.
    let isAsked = properties.contains(.scannable) && target == .scanner
    #expect((scanner.scanResponses > 10) == isAsked)
    #expect(!advertiser.host.all(LEScanRequestReceived.self).isEmpty == isAsked)
  }

  @Test("a directed report has the addresses on the air, and goes only to hosts that want it")
  func directedReport() throws {
    let stage = Stage()
    let scanner = try PrivateDevice(stage, 1)
    let advertiser = try PrivateDevice(stage, 2)
    let other = try PrivateDevice(stage, 3)
    try advertiser.know(other)
    try advertiser.advertise(advertiser.resolvableType, to: other.identity, .legacyDirected)
    try scanner.scan(scanner.identityType, .allAndUnresolvedDirected)
    stage.run(.seconds(1))
    let report = try #require(scanner.host.all(LEDirectedAdvertisingReport.self).first?.reports.first)
    #expect(report.reportType == .directed && report.rssi == -50)
    let local = try advertiser.localAddress(for: other)
    #expect(report.addressType == .random && report.address == local)
    #expect(report.directAddressType == .random && other.made(report.directAddress))
    try scanner.host.status(LESetEventMask { $0.eventMask = [.advertisingReport] })
    scanner.host.forget()
    stage.run(.seconds(1))
    #expect(scanner.host.events.isEmpty)
  }

  // MARK: Advertisers

  @Test(
    "the scan requests that an advertiser answers, and those that its host learns of", arguments: UInt8(0)...3,
    [(true, true), (true, false), (false, true), (false, false)])
  func scanRequests(policy: UInt8, asker: (isListed: Bool, isLegacy: Bool)) throws {
    let stage = Stage()
    let advertiser = try PrivateDevice(stage, 1, .extended)
    let scanner = try PrivateDevice(stage, 2, .extended)
    try advertiser.know(scanner)
    try scanner.know(advertiser)
    if asker.isListed { try advertiser.accept(scanner) }
    try advertiser.advertise(
      advertiser.resolvableType, to: scanner.identity, asker.isLegacy ? .legacyScannable : .scannable,
      filter: AdvertisingFilterPolicy(rawValue: policy), notifies: true)
    try scanner.scan(scanner.resolvableType, isActive: true)
    stage.run(.seconds(1))
    let isAnswered = asker.isListed || policy == 0 || policy == 2
    #expect((scanner.scanResponses > 10) == isAnswered)
    #expect((scanner.scanResponses == 0) == !isAnswered)
    let requests = advertiser.host.all(LEScanRequestReceived.self)
    #expect(!requests.isEmpty == isAnswered)
    #expect(requests.count >= scanner.scanResponses)
    #expect(requests.allSatisfy { $0.advertisingHandle == 1 && $0.scannerAddressType == .randomIdentity })
    #expect(requests.allSatisfy { $0.scannerAddress == scanner.identity.address })
  }

  @Test(
    "scan requests of unknown devices are reported with their address on the air, and only to hosts that request it",
    arguments: [true, false], [OwnAddressType.random, .resolvableOrRandom])
  func scanRequestOfStranger(notifies: Bool, ownType: OwnAddressType) throws {
    let stage = Stage()
    let advertiser = try PrivateDevice(stage, 1, .extended)
    let scanner = try PrivateDevice(stage, 2, .extended)
    try advertiser.advertise(advertiser.identityType, .legacyConnectableScannable, notifies: notifies)
    // Without an entry for the advertiser, there is no key for generating an address.
    try scanner.scan(ownType, isActive: true)
    stage.run(.seconds(1))
    #expect(scanner.scanResponses > 10)
    let requests = advertiser.host.all(LEScanRequestReceived.self)
    #expect(requests.isEmpty == !notifies)
    #expect(requests.allSatisfy { $0.scannerAddressType == .random })
    #expect(requests.allSatisfy { $0.scannerAddress == scanner.identity.address })
  }

  @Test("a passive scanner sends no requests")
  func passive() throws {
    let stage = Stage()
    let advertiser = try PrivateDevice(stage, 1, .extended)
    let scanner = try PrivateDevice(stage, 2, .extended)
    try advertiser.advertise(advertiser.identityType, .legacyScannable, notifies: true)
    try scanner.scan(scanner.identityType)
    stage.run(.seconds(1))
    #expect(!scanner.reports.isEmpty)
    #expect(advertiser.host.all(LEScanRequestReceived.self).isEmpty)
  }

  @Test(
    "the connection requests that an advertiser accepts", arguments: CommandFamily.allCases,
    [
      (0, true, true), (0, false, true), (1, true, true), (1, false, true), (2, true, true), (2, false, false),
      (3, true, true), (3, false, false),
    ] as [(UInt8, Bool, Bool)])
  func connectionRequests(family: CommandFamily, table: (policy: UInt8, isListed: Bool, isAccepted: Bool)) throws {
    let stage = Stage()
    let advertiser = try PrivateDevice(stage, 1, family)
    let initiator = try PrivateDevice(stage, 2, family)
    try advertiser.know(initiator)
    try initiator.know(advertiser)
    if table.isListed { try advertiser.accept(initiator) }
    try advertiser.advertise(
      advertiser.resolvableType, to: initiator.identity, family == .legacy ? .legacyConnectableScannable : .connectable,
      filter: AdvertisingFilterPolicy(rawValue: table.policy))
    #expect(try initiator.connect(initiator.resolvableType, to: advertiser.identity) == .success)
    stage.run(.seconds(1))
    #expect(advertiser.links.count == (table.isAccepted ? 1 : 0))
  }

  // MARK: Initiators

  @Test("an initiator accepts only the given peer, by identity", arguments: CommandFamily.allCases, [true, false])
  func initiatorPolicies(family: CommandFamily, usesList: Bool) throws {
    let stage = Stage()
    let initiator = try PrivateDevice(stage, 1, family)
    let wanted = try PrivateDevice(stage, 2, family)
    let other = try PrivateDevice(stage, 3, family)
    for device in [wanted, other] {
      try device.know(initiator)
      try initiator.know(device)
    }
    if usesList { try initiator.accept(wanted) }
    try other.advertise(other.resolvableType, to: initiator.identity)
    #expect(try initiator.connect(initiator.resolvableType, to: usesList ? nil : wanted.identity) == .success)
    stage.run(.seconds(1))
    #expect(initiator.links.isEmpty)
    try wanted.advertise(wanted.resolvableType, to: initiator.identity)
    try #require(stage.run { wanted.links.count == 1 })
    #expect(other.links.isEmpty)
    #expect(initiator.links[0].peerAddress == wanted.identity.address)
    #expect(initiator.made(initiator.links[0].localResolvablePrivateAddress))
  }
}
