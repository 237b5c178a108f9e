import BLEATT
import BLECore
import BLEGATT
import Testing

/// Core 5.4 Vol 3 Part F 4 and Part C 10.3.1.
@Suite("Access policy")
struct AccessPolicyTests {
  private static let protections: [LinkProtection] = [.none, .encrypted, .authenticated, .secureConnections]

  /// Every requirement.
  private static let requirements: [AccessRequirement?] =
    [nil]
    + protections.flatMap { protection in
      [0, 7, 16].flatMap { size in
        [false, true].map { AccessRequirement(protection: protection, minimumKeySize: size, needsAuthorization: $0) }
      }
    }

  /// Every link.
  private static let links: [LinkSecurity] = [false, true].flatMap { isBonded in
    [LinkSecurity(protection: .none, isBonded: isBonded)]
      + protections.dropFirst().flatMap { protection in
        [7, 15, 16].map { LinkSecurity(protection: protection, keySize: $0, isBonded: isBonded) }
      }
  }

  @Test("The whole truth table", arguments: requirements)
  func truthTable(requirement: AccessRequirement?) {
    for link in Self.links {
      for isAuthorized in [false, true] {
        let readable = AttributePermissions(read: requirement, write: nil)
        let writable = AttributePermissions(read: nil, write: requirement)
        let reason = reason(requirement, link, isAuthorized)
        #expect(
          readable.refusal(of: .read, on: link, isAuthorized: isAuthorized)
            == (requirement == nil ? .readNotPermitted : reason))
        #expect(
          writable.refusal(of: .write, on: link, isAuthorized: isAuthorized)
            == (requirement == nil ? .writeNotPermitted : reason))
        #expect(readable.refusal(of: .write, on: link, isAuthorized: isAuthorized) == .writeNotPermitted)
        #expect(writable.refusal(of: .read, on: link, isAuthorized: isAuthorized) == .readNotPermitted)
      }
    }
  }

  /// Table 10.2 of Core 5.4 Vol 3 Part C, followed by key size and authorization.
  private func reason(_ requirement: AccessRequirement?, _ link: LinkSecurity, _ isAuthorized: Bool) -> ATTErrorCode? {
    guard let requirement else { return nil }
    let isEncrypted = link.protection != .none
    switch (requirement.protection, isEncrypted, link.isBonded) {
    case (.none, _, _): break
    case (_, false, true): return .insufficientEncryption
    case (_, false, false): return .insufficientAuthentication
    case (.authenticated, true, _) where link.protection == .encrypted: return .insufficientAuthentication
    case (.secureConnections, true, _) where link.protection != .secureConnections: return .insufficientAuthentication
    default: if link.keySize < requirement.minimumKeySize { return .encryptionKeySizeTooShort }
    }
    return requirement.needsAuthorization && !isAuthorized ? .insufficientAuthorization : nil
  }

  @Test("An authenticated link satisfies a requirement of authentication, and each level satisfies those below it")
  func steps() {
    for (index, required) in Self.protections.enumerated() {
      let permissions = AttributePermissions(read: .init(protection: required), write: nil)
      for (offered, protection) in Self.protections.enumerated() {
        let link = LinkSecurity(protection: protection, keySize: offered == 0 ? 0 : 16)
        #expect((permissions.refusal(of: .read, on: link) == nil) == (offered >= index))
      }
    }
  }

  @Test("A key of at least the required length is long enough", arguments: 7...16)
  func keySizes(minimum: Int) {
    let permissions = AttributePermissions(
      read: nil, write: .init(protection: .encrypted, minimumKeySize: minimum))
    for size in 7...16 {
      let link = LinkSecurity(protection: .encrypted, keySize: size)
      #expect(permissions.refusal(of: .write, on: link) == (size < minimum ? .encryptionKeySizeTooShort : nil))
    }
  }

  @Test(
    "Open permissions follow from the properties",
    arguments: [
      ([], false, false), ([.read], true, false), ([.write], false, true), ([.writeWithoutResponse], false, true),
      ([.authenticatedSignedWrites], false, false), ([.authenticatedSignedWrites, .write], false, true),
      ([.notify, .indicate, .broadcast], false, false),
      ([.read, .write], true, true),
    ] as [(CharacteristicProperties, Bool, Bool)])
  func openPermissions(properties: CharacteristicProperties, reads: Bool, writes: Bool) {
    let permissions = properties.openPermissions
    #expect((permissions.refusal(of: .read, on: .open) == nil) == reads)
    #expect((permissions.refusal(of: .write, on: .open) == nil) == writes)
  }

  @Test("Properties have names in the order of their bits")
  func names() {
    #expect(CharacteristicProperties(rawValue: 0xFF).presentNames == CharacteristicProperties.names.map(\.name))
    #expect(CharacteristicProperties([.read, .notify]).presentNames == ["read", "notify"])
  }
}
