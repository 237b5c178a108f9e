import BLECore
import BLESMP
import Testing

/// Core 5.4 Vol 3 Part H 2.3.5.4, 2.3.5.6.4.
@Suite("Out-of-band data")
struct OutOfBandTests {
  typealias Role = SecurityManager.Role

  /// Returns the policies of both sides; some of them have been given the other's data.
  private func policies(initiatorHas: Bool, responderHas: Bool) throws -> PerRole<PairingPolicy> {
    var random = SplitMix64(seed: 9)
    let offers = PerRole(
      initiator: try #require(OutOfBandOffer(random: &random)), responder: try #require(OutOfBandOffer(random: &random))
    )
    var policies = PerRole(initiator: PairingPolicy.pairable(), responder: .pairable())
    for (role, has) in [(Role.initiator, initiatorHas), (.responder, responderHas)] {
      policies[role].ownOutOfBand = offers[role]
      if has { policies[role].outOfBand = offers[role.other].data }
    }
    return policies
  }

  @Test(
    "Secure Connections, with the data of one side or of both", arguments: [(true, true), (true, false), (false, true)])
  func secure(initiatorHas: Bool, responderHas: Bool) throws {
    let policies = try policies(initiatorHas: initiatorHas, responderHas: responderHas)
    var pair = PairedManagers(initiator: policies.initiator, responder: policies.responder)
    pair.pair()
    for role in [Role.initiator, .responder] {
      #expect(pair.model(role) == .outOfBand)
      #expect(pair[role].security.protection == .secureConnections)
    }
    #expect(pair.packets.map { $0.octets[0] }.prefix(8) == [0x01, 0x02, 0x0C, 0x0C, 0x04, 0x04, 0x0D, 0x0D])
    try expectSameKeys(pair)
  }

  @Test("Data of another device fails", arguments: [Role.initiator, .responder])
  func foreign(role: Role) throws {
    var policies = try policies(initiatorHas: true, responderHas: true)
    policies[role].outOfBand?.confirm?[3] ^= 1
    var pair = PairedManagers(initiator: policies.initiator, responder: policies.responder)
    pair.pair()
    #expect(pair.failures(role) == [.failed(.confirmValueFailed, byPeer: false)])
    #expect(pair.failures(role.other) == [.failed(.confirmValueFailed, byPeer: true)])
  }

  @Test("A different random value fails the DHKey check")
  func wrongRandom() throws {
    var policies = try policies(initiatorHas: true, responderHas: false)
    var random = SplitMix64(seed: 10)
    // The responder has generated new data since; the initiator has the old data.
    policies.responder.ownOutOfBand = OutOfBandOffer(random: &random)
    var pair = PairedManagers(initiator: policies.initiator, responder: policies.responder)
    pair.pair()
    #expect(pair.failures(.initiator) == [.failed(.confirmValueFailed, byPeer: false)])
  }

  @Test("Legacy pairing needs the Temporary Key on both sides")
  func legacy() throws {
    var data = OutOfBandData()
    data.temporaryKey = Array(1...16)
    let with = PairingPolicy.pairable(secureConnections: .none) { $0.outOfBand = data }
    var pair = PairedManagers(initiator: with, responder: with)
    pair.pair()
    #expect(pair.model(.initiator) == .outOfBand)
    #expect(pair[.responder].security.protection == .authenticated)
    try expectSameKeys(pair)

    pair = PairedManagers(initiator: with, responder: .pairable(secureConnections: .none))
    pair.pair()
    #expect(pair.model(.initiator) == .justWorks)

    var other = with
    other.outOfBand?.temporaryKey = Array(2...17)
    pair = PairedManagers(initiator: with, responder: other)
    pair.pair()
    #expect(pair.failures(.responder) == [.failed(.confirmValueFailed, byPeer: false)])
  }

  @Test("A side without the required data sends OOB Not Available")
  func notAvailable() throws {
    // It has a Temporary Key, and the peer supports Secure Connections.
    var data = OutOfBandData()
    data.temporaryKey = Array(1...16)
    var pair = PairedManagers(initiator: .pairable { $0.outOfBand = data }, responder: .pairable())
    pair.pair()
    #expect(pair.failures(.initiator) == [.failed(.outOfBandNotAvailable, byPeer: true)])
    #expect(pair.failures(.responder) == [.failed(.outOfBandNotAvailable, byPeer: false)])
  }
}
