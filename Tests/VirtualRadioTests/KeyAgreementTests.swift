import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Key agreement in the controller")
struct KeyAgreementTests {
  /// Core 5.4 Vol 3 Part H 2.3.5.6.1: the debug key, each coordinate most significant octet first.
  static let debugPublicKey: [UInt8] = {
    let x = [UInt8](hexadecimal: "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6") ?? []
    let y = [UInt8](hexadecimal: "dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b") ?? []
    return x.reversed() + y.reversed()
  }()

  private func host(seed: UInt64 = 1) throws -> ScriptedHost {
    let host = Stage(seed: seed).add()
    try host.bringUp()
    return host
  }

  private func publicKey(_ host: ScriptedHost) throws -> [UInt8] {
    #expect(try host.begin(LEReadLocalP256PublicKey()) == .success)
    let event = try #require(host.all(LEReadLocalP256PublicKeyComplete.self).last)
    #expect(event.status == .success)
    return event.publicKey
  }

  private func secret(_ host: ScriptedHost) throws -> LEGenerateDHKeyComplete {
    try #require(host.all(LEGenerateDHKeyComplete.self).last)
  }

  @Test("two controllers compute the same secret, and another pair a different one")
  func agreement() throws {
    let hosts = [try host(seed: 1), try host(seed: 2)]
    let keys = try hosts.map(publicKey)
    #expect(keys[0] != keys[1])
    var secrets: [[UInt8]] = []
    for (host, key) in zip(hosts, keys.reversed()) {
      #expect(try host.begin(LEGenerateDHKey { $0.remotePublicKey = key }) == .success)
      #expect(try secret(host).status == .success)
      secrets.append(try secret(host).dhKey)
    }
    #expect(secrets[0] == secrets[1])
    let again = try publicKey(hosts[0])
    #expect(again != keys[0])
    try hosts[1].begin(LEGenerateDHKey { $0.remotePublicKey = again })
    #expect(try secret(hosts[1]).dhKey != secrets[0])
  }

  @Test("keys depend on the seed")
  func repeatable() throws {
    #expect(try publicKey(host(seed: 9)) == publicKey(host(seed: 9)))
    #expect(try publicKey(host(seed: 9)) != publicKey(host(seed: 10)))
  }

  @Test("version 2 uses the debug key if requested")
  func secondVersion() throws {
    let host = try host()
    let own = try publicKey(host)
    let withDebug = LEGenerateDHKeyV2 {
      $0.remotePublicKey = own
      $0.keyType = 1
    }
    #expect(try host.begin(withDebug) == .success)
    let debugSecret = try secret(host).dhKey
    #expect(try host.begin(LEGenerateDHKeyV2 { $0.remotePublicKey = Self.debugPublicKey }) == .success)
    // The same two key pairs, with roles exchanged.
    #expect(try secret(host).dhKey == debugSecret)
    #expect(
      try host.begin(
        LEGenerateDHKeyV2 {
          $0.remotePublicKey = own
          $0.keyType = 2
        }) == .invalidHCICommandParameters)
  }

  @Test("a key that is not a point of the curve gives no secret")
  func invalid() throws {
    let host = try host()
    var key = try publicKey(host)
    key[5] ^= 1
    for octets in [key, Array(repeating: 0, count: 64)] {
      host.forget()
      #expect(try host.begin(LEGenerateDHKey { $0.remotePublicKey = octets }) == .success)
      #expect(try secret(host).status == .invalidHCICommandParameters)
      #expect(try secret(host).dhKey == Array(repeating: 0xFF, count: 32))
    }
  }

  @Test("without a key pair there is no agreement; a reset deletes it")
  func noKey() throws {
    let host = try host()
    let command = LEGenerateDHKey { $0.remotePublicKey = Self.debugPublicKey }
    #expect(try host.begin(command) == .commandDisallowed)
    _ = try publicKey(host)
    #expect(try host.begin(command) == .success)
    try host.status(HCIReset())
    #expect(try host.begin(command) == .commandDisallowed)
  }

  @Test("hosts that mask the events do not get them")
  func masked() throws {
    let host = Stage().add()
    #expect(try host.begin(LEReadLocalP256PublicKey()) == .success)
    #expect(try host.begin(LEGenerateDHKey { $0.remotePublicKey = Self.debugPublicKey }) == .success)
    #expect(host.events.allSatisfy { $0.code == .commandStatus })
  }

  @Test("LE Encrypt takes the least significant octet first")
  func encrypt() throws {
    let host = try host()
    let returned = try host.call(
      LEEncrypt {
        $0.key = [UInt8](hexadecimal: "bf01fb9d4ef3bc36d874f5394138684c") ?? []
        $0.plaintext = [UInt8](hexadecimal: "1302f1e0dfcebdac7968574635241302") ?? []
      })
    #expect(returned.status == .success)
    #expect(returned.encrypted.hexadecimal == "66c6c2278e3b8e053e7ea326521bad99")
  }
}
