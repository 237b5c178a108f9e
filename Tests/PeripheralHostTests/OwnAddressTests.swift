import BLECore
import BLEGAP
import BLEHCI
import BLELink
import PeripheralHost
import Testing

/// The private address under which a connection was made (Core 5.4 Vol 4 Part E 7.7.65.18).
@Suite("The address of a connection's advertising set")
struct OwnAddressTests {
  private static let sets = ["first", "second"].map {
    AdvertisingSetDefinition(id: $0, kind: .extended, data: [2, 1, 6])
  }

  /// Returns the address that the host has set last for a set.
  private func address(ofSet handle: UInt8, on bench: Bench) -> DeviceAddress? {
    bench.commands.last { $0.opcode == .leSetAdvertisingSetRandomAddress && $0.parameters[0] == handle }.map {
      DeviceAddress(bits: $0.parameters.dropFirst().reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  @Test("While sets change their addresses one after another, it is that of the set", arguments: [true, false])
  func whileAddressesChange(terminatedComesFirst: Bool) throws {
    var configuration = TestAccessory.configuration(advertising: Self.sets)
    configuration.privacy = PrivacyPolicy(isPrivate: true, rotation: .seconds(10))
    let bench = try Bench(.extended, configuration)
    bench.start()
    let old = try #require(address(ofSet: 1, on: bench))
    bench.script.answers[.leSetExtendedAdvertisingEnable] = .silence
    bench.advance(.seconds(10))
    // The first set goes off the air, gets its new address and continues; the second is about to go off.
    for _ in 0..<2 { bench.answer(.leSetExtendedAdvertisingEnable, [0]) }
    let new = try #require(address(ofSet: 0, on: bench))
    #expect(new != old)
    let terminated = LEAdvertisingSetTerminated {
      $0.advertisingHandle = 1
      $0.connectionHandle.rawValue = 0
    }
    if terminatedComesFirst { bench.event(terminated) }
    bench.connect(0)
    if !terminatedComesFirst { bench.event(terminated) }
    #expect(bench.stack.linkStates.first?.details.ownOnAir == old)
  }
}
