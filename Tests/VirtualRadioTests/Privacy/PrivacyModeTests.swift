import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// Whether a peer on the resolving list may use its identity address (Core 5.4 Vol 6 Part B 4.7).
@Suite("Privacy modes")
struct PrivacyModeTests {
  struct Case: CustomTestStringConvertible {
    var mode: PrivacyMode
    var peerHasKey = true
    var isResolving = true
    /// Whether the peer uses a resolvable address, or its identity address.
    var isPrivate: Bool
    /// How the peer is reported; nil if it is ignored.
    var seenAs: AddressType?
    /// Whether `seenAs` refers to the identity address, or to the one on the air.
    var isIdentified = true

    var testDescription: String {
      "mode \(mode.rawValue), key \(peerHasKey), resolving \(isResolving), private peer \(isPrivate)"
    }

    static let all = [
      Case(mode: .network, isPrivate: true, seenAs: .randomIdentity),
      Case(mode: .network, isPrivate: false, seenAs: nil),
      Case(mode: .device, isPrivate: true, seenAs: .randomIdentity),
      Case(mode: .device, isPrivate: false, seenAs: .random),
      // A device without a key cannot be private.
      Case(mode: .network, peerHasKey: false, isPrivate: false, seenAs: .random),
      Case(mode: .network, peerHasKey: false, isPrivate: true, seenAs: .random, isIdentified: false),
      // Without resolution, the list does not affect reception.
      Case(mode: .network, isResolving: false, isPrivate: false, seenAs: .random),
      Case(mode: .network, isResolving: false, isPrivate: true, seenAs: .random, isIdentified: false),
    ]
  }

  /// Returns a device with the table's entry for its peer, and that peer.
  private func scene(
    _ table: Case, _ family: CommandFamily
  ) throws -> (stage: Stage, device: PrivateDevice, peer: PrivateDevice) {
    let stage = Stage()
    let device = try PrivateDevice(stage, 1, family)
    let peer = try PrivateDevice(stage, 2, family)
    try device.know(peer, mode: table.mode, peerHasKey: table.peerHasKey, isResolving: table.isResolving)
    // The peer's own mode for identity addresses is irrelevant here.
    try peer.know(device, mode: .device)
    return (stage, device, peer)
  }

  private func type(_ table: Case, of peer: PrivateDevice) -> OwnAddressType {
    table.isPrivate ? peer.resolvableType : peer.identityType
  }

  private func expect(
    _ table: Case, _ type: AddressType, _ address: DeviceAddress, _ peer: PrivateDevice, to device: PrivateDevice,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(type == table.seenAs, sourceLocation: sourceLocation)
    let expected = table.isIdentified ? peer.identity.address : try peer.localAddress(for: device)
    #expect(address == expected, sourceLocation: sourceLocation)
  }

  @Test("what a scanner reports", arguments: Case.all, CommandFamily.allCases)
  func scanning(table: Case, family: CommandFamily) throws {
    let (stage, device, peer) = try scene(table, family)
    try peer.advertise(type(table, of: peer), to: device.identity)
    try device.scan(device.identityType)
    stage.run(.seconds(1))
    #expect(Set(device.reports).count == (table.seenAs == nil ? 0 : 1))
    for report in device.reports { try expect(table, report.type, report.address, peer, to: device) }
    if table.isPrivate && table.isResolving && table.peerHasKey {
      let local = try peer.localAddress(for: device)
      #expect(try device.peerAddress(of: peer).address == local)
    } else {
      #expect(try device.peerAddress(of: peer).status == .unknownConnectionIdentifier)
    }
  }

  @Test("the scan requests that an advertiser accepts", arguments: Case.all)
  func scanRequests(table: Case) throws {
    let (stage, device, peer) = try scene(table, .extended)
    try device.advertise(device.identityType, .legacyScannable, notifies: true)
    try peer.scan(type(table, of: peer), isActive: true)
    stage.run(.seconds(1))
    let requests = device.host.all(LEScanRequestReceived.self)
    #expect(requests.isEmpty == (table.seenAs == nil))
    #expect(peer.scanResponses == 0 || table.seenAs != nil)
    for request in requests {
      try expect(table, request.scannerAddressType, request.scannerAddress, peer, to: device)
    }
  }

  @Test("the connection requests that an advertiser accepts", arguments: Case.all, CommandFamily.allCases)
  func advertising(table: Case, family: CommandFamily) throws {
    let (stage, device, peer) = try scene(table, family)
    try device.advertise(device.identityType)
    #expect(try peer.connect(type(table, of: peer), to: device.identity) == .success)
    stage.run(.seconds(1))
    #expect(device.links.count == (table.seenAs == nil ? 0 : 1))
    for link in device.links { try expect(table, link.peerAddressType, link.peerAddress, peer, to: device) }
  }

  @Test("the peers to which an initiator connects by the identity address", arguments: Case.all, CommandFamily.allCases)
  func initiating(table: Case, family: CommandFamily) throws {
    let (stage, device, peer) = try scene(table, family)
    try peer.advertise(type(table, of: peer), to: device.identity)
    #expect(try device.connect(device.identityType, to: peer.identity) == .success)
    stage.run(.seconds(1))
    #expect(device.links.count == (table.seenAs != nil && table.isIdentified ? 1 : 0))
    for link in device.links { try expect(table, link.peerAddressType, link.peerAddress, peer, to: device) }
  }
}
