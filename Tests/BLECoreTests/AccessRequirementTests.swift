import BLECore
import Testing

/// Core 5.4 Vol 3 Part C 10.3.1; the whole truth table is in the access policy's tests.
@Suite("Access requirements")
struct AccessRequirementTests {
  @Test(
    "The security that a link lacks",
    arguments: [
      (.open, .open, nil),
      (.init(protection: .encrypted), .open, .authentication),
      (.init(protection: .encrypted), .init(protection: .none, isBonded: true), .encryption),
      (.init(protection: .authenticated), .init(protection: .encrypted, keySize: 16, isBonded: true), .authentication),
      (.init(protection: .encrypted, minimumKeySize: 16), .init(protection: .encrypted, keySize: 15), .keySize),
      (.init(protection: .encrypted, minimumKeySize: 16), .init(protection: .secureConnections, keySize: 16), nil),
      (.init(needsAuthorization: true), .open, .authorization),
    ] as [(AccessRequirement, LinkSecurity, AccessRequirement.Shortfall?)])
  func shortfall(requirement: AccessRequirement, link: LinkSecurity, expected: AccessRequirement.Shortfall?) {
    #expect(requirement.shortfall(on: link) == expected)
    let authorized = expected == .authorization ? nil : expected
    #expect(requirement.shortfall(on: link, isAuthorized: true) == authorized)
  }
}
