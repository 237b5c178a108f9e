import BLECore
import BLESMP
import Testing

/// Core 5.4 Vol 3 Part H 2.3.5.1: every pair of IO capabilities in both generations, with and without protection against a man in
/// the middle, each pairing carried out to its end.
@Suite("Association models")
struct AssociationModelTests {
  typealias Role = SecurityManager.Role

  /// The specification's Table 2.8: J Just Works, C Numeric Comparison, I the initiator types, R the responder types,
  /// B both do. Rows are the responder's capabilities, columns the initiator's, each in the order DisplayOnly, DisplayYesNo,
  /// KeyboardOnly, NoInputNoOutput, KeyboardDisplay.
  static let legacy = ["JJIJI", "JJIJI", "RRBJR", "JJJJJ", "RRIJR"]
  static let secure = ["JJIJI", "JCIJC", "RRBJR", "JJJJJ", "RCIJC"]

  struct Case: CustomStringConvertible {
    var initiator: IOCapability
    var responder: IOCapability
    var isSecure: Bool
    /// The sides that request protection.
    var initiatorAsks: Bool
    var responderAsks: Bool

    var description: String {
      "\(initiator) \(responder) \(isSecure ? "secure" : "legacy") \(initiatorAsks) \(responderAsks)"
    }

    var expected: Character {
      guard initiatorAsks || responderAsks else { return "J" }
      let table = isSecure ? AssociationModelTests.secure : AssociationModelTests.legacy
      return Array(table[Int(responder.rawValue)])[Int(initiator.rawValue)]
    }
  }

  static let cases: [Case] = IOCapability.allCases.flatMap { initiator in
    IOCapability.allCases.flatMap { responder in
      [false, true].flatMap { isSecure in
        [(false, false), (true, false), (false, true), (true, true)].map {
          Case(
            initiator: initiator, responder: responder, isSecure: isSecure, initiatorAsks: $0.0, responderAsks: $0.1)
        }
      }
    }
  }

  private static func model(_ letter: Character, _ role: Role) -> AssociationModel {
    switch letter {
    case "C": .numericComparison
    case "I": .passkeyEntry(typist: role == .initiator ? .own : .peer)
    case "R": .passkeyEntry(typist: role == .responder ? .own : .peer)
    case "B": .passkeyEntry(typist: .both)
    default: .justWorks
    }
  }

  @Test("Both sides follow the specification's table, and get the same keys", arguments: cases)
  func table(_ given: Case) throws {
    var pair = PairedManagers(
      initiator: .pairable(given.initiator, authentication: given.initiatorAsks),
      responder: .pairable(
        given.responder, authentication: given.responderAsks, secureConnections: given.isSecure ? .offered : .none))
    pair.pair()
    for role in [Role.initiator, .responder] {
      #expect(pair.model(role) == Self.model(given.expected, role))
      #expect(pair.failures(role).isEmpty)
      let strength = KeyStrength(
        isAuthenticated: given.expected != "J", isSecureConnections: given.isSecure, keySize: 16)
      #expect(pair[role].bond?.strength == strength)
      #expect(pair[role].question == nil)
      #expect(pair[role].nextDeadline == nil)
      #expect(pair[role].security.isBonded)
      let protection: LinkProtection =
        given.expected == "J" ? .encrypted : given.isSecure ? .secureConnections : .authenticated
      #expect(pair[role].security == LinkSecurity(protection: protection, keySize: 16, isBonded: true))
    }
    try expectSameKeys(pair)
  }
}

/// Expects that both sides have each other's keys and identities.
func expectSameKeys(_ pair: PairedManagers, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let initiator = try #require(pair.paired(.initiator)?.bond, sourceLocation: sourceLocation)
  let responder = try #require(pair.paired(.responder)?.bond, sourceLocation: sourceLocation)
  #expect(initiator.keyAsCentral == responder.keyAsPeripheral, sourceLocation: sourceLocation)
  #expect(initiator.keyAsPeripheral == responder.keyAsCentral, sourceLocation: sourceLocation)
  #expect(initiator.ownSigning?.key == responder.peerSigning?.key, sourceLocation: sourceLocation)
  #expect(initiator.peerSigning?.key == responder.ownSigning?.key, sourceLocation: sourceLocation)
  #expect(initiator.linkKey == responder.linkKey, sourceLocation: sourceLocation)
  #expect(initiator.strength == responder.strength, sourceLocation: sourceLocation)
  for (role, bond) in [(SecurityManager.Role.initiator, initiator), (.responder, responder)] {
    guard bond.identityResolvingKey != nil else { continue }
    let peer = PairedManagers.identities[role.other]
    #expect(bond.peer == peer.address, sourceLocation: sourceLocation)
    #expect(bond.identityResolvingKey == peer.identityResolvingKey, sourceLocation: sourceLocation)
  }
}
