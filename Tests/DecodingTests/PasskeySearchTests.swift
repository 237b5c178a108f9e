import BLECore
import BLESMP
import Testing

@testable import Decoding

@Suite("The search for the passkey of a legacy pairing")
struct PasskeySearchTests {
  /// Returns a pairing in which everything except the passkey is known.
  private static func pairing(_ passkey: UInt32) -> LegacyPairings.Pairing {
    let (initiator, responder) = (
      TypedAddress(address: DeviceAddress(bits: 0xC000_0000_0001), isRandom: true),
      TypedAddress(address: DeviceAddress(bits: 0xC000_0000_0002), isRandom: true)
    )
    var pairing = LegacyPairings.Pairing(initiator: initiator, responder: responder)
    pairing.request = [1, 4, 0, 5, 16, 0, 0]
    pairing.response = [2, 0, 0, 5, 7, 0, 0]
    pairing.randoms = [[UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16)]
    let key = (0..<4).map { UInt8(truncatingIfNeeded: passkey >> (8 * $0)) } + [UInt8](repeating: 0, count: 12)
    pairing.confirms = pairing.randoms.map {
      SecurityToolbox.c1(
        key: key, random: $0, request: pairing.request, response: pairing.response, initiator: initiator,
        responder: responder)
    }
    return pairing
  }

  @Test("it tries the given number of passkeys, and ends with the right one", arguments: [0, 99, 100, 250])
  func turns(passkey: UInt32) throws {
    var search = PasskeySearch(Self.pairing(passkey))
    var key: [UInt8]?
    var turns = 0
    while !search.hasEnded {
      #expect(search.progress == Double(turns * 100) / 1e6)
      key = search.search(100)
      turns += 1
    }
    #expect(turns == Int(passkey) / 100 + 1)
    // A key of the smaller of both sizes, most significant octet first.
    let found = try #require(key)
    #expect(found.count == 16 && found.prefix(9).allSatisfy { $0 == 0 } && found.suffix(7) != found.prefix(7))
  }

  @Test(
    "the last passkey is tried, too; with out-of-band data none is right",
    arguments: [(999_999, true), (1_000_000, false)])
  func last(passkey: UInt32, isFound: Bool) {
    var search = PasskeySearch(Self.pairing(passkey), from: 999_990)
    let first = search.search(5)
    #expect(first == nil && !search.hasEnded)
    let rest = search.search(.max)
    #expect((rest != nil) == isFound && search.hasEnded)
    let more = search.search(.max)
    #expect(more == nil)
  }
}
