import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Authenticated payload timeout", .serialized)
struct AuthenticatedPayloadTests {
  /// An encrypted link at 30 ms that survives ten seconds of silence.
  private func encrypted(
    peripheral: ControllerConfiguration = .full, timing: AirConfiguration.Timing = .linkLayer
  ) throws -> (Stage, Pair) {
    let stage = Stage(timing: timing)
    let pair = try stage.connected(peripheral: peripheral, timeout: 1000)
    for host in [pair.central, pair.peripheral] {
      try host.status(HCISetEventMaskPage2 { $0.eventMask = [.authenticatedPayloadTimeoutExpired] })
    }
    try pair.central.begin(LEEnableEncryption { $0.connectionHandle.rawValue = pair.atCentral })
    try #require(stage.run { !pair.peripheral.all(LELongTermKeyRequest.self).isEmpty })
    try pair.peripheral.status(LELongTermKeyRequestReply { $0.connectionHandle.rawValue = pair.atPeripheral })
    try #require(stage.run { stage.air.links.values.allSatisfy { $0.isEncrypted } })
    return (stage, pair)
  }

  private func write(_ host: ScriptedHost, _ handle: UInt16, _ timeout: Duration) throws -> ErrorCode {
    try host.status(
      HCIWriteAuthenticatedPayloadTimeout {
        $0.connectionHandle.rawValue = handle
        $0.timeout = AuthenticatedPayloadTimeout(rounding: timeout)
      })
  }

  private func expiries(_ host: ScriptedHost) -> [Instant] {
    host.timed(HCIAuthenticatedPayloadTimeoutExpired.self).map(\.at)
  }

  @Test("it is 30 s until the host writes another value, not shorter than the peripheral's latency")
  func readAndWrite() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 80, latency: 3, timeout: 1000)
    func read() throws -> Duration {
      try pair.central.call(HCIReadAuthenticatedPayloadTimeout { $0.connectionHandle.rawValue = pair.atCentral })
        .timeout.duration
    }
    #expect(try read() == .seconds(30))
    #expect(try write(pair.central, pair.atCentral, .milliseconds(400)) == .success)
    #expect(try read() == .milliseconds(400))
    #expect(try write(pair.central, pair.atCentral, .milliseconds(390)) == .invalidHCICommandParameters)
    #expect(try write(pair.central, pair.atCentral, .zero) == .invalidHCICommandParameters)
    #expect(try write(pair.central, 0x77, .seconds(1)) == .unknownConnectionIdentifier)
    #expect(try read() == .milliseconds(400))
  }

  @Test(
    "silence makes it expire again and again", arguments: EncryptionTests.timings)
  func expires(timing: AirConfiguration.Timing) throws {
    let (stage, pair) = try encrypted(timing: timing)
    #expect(try write(pair.central, pair.atCentral, .seconds(2)) == .success)
    stage.run(.seconds(20))
    #expect(expiries(pair.central).isEmpty)
    let silence = stage.air.now
    stage.air.setReachable(pair.central.id, pair.peripheral.id, false)
    stage.run(.seconds(7))
    #expect(expiries(pair.central) == [2, 4, 6].map { silence + .seconds($0) })
    #expect(expiries(pair.peripheral).isEmpty)
    stage.air.setReachable(pair.central.id, pair.peripheral.id, true)
    stage.run(.seconds(20))
    #expect(expiries(pair.central).count == 3)
    #expect(pair.central.all(HCIDisconnectionComplete.self).isEmpty)
  }

  @Test("a host that masks the event does not get it")
  func masked() throws {
    let (stage, pair) = try encrypted()
    try pair.central.status(HCISetEventMaskPage2())
    #expect(try write(pair.central, pair.atCentral, .seconds(2)) == .success)
    stage.air.setReachable(pair.central.id, pair.peripheral.id, false)
    stage.run(.seconds(5))
    #expect(expiries(pair.central).isEmpty)
  }

  @Test(
    "pings keep a lossy link alive, whether or not the peer supports them", arguments: [true, false])
  func pings(isKnown: Bool) throws {
    var peer = ControllerConfiguration.full
    if !isKnown { peer.features.remove(.ping) }
    let (stage, pair) = try encrypted(peripheral: peer)
    stage.air.setPacketLoss(from: pair.central.id, to: pair.peripheral.id, fraction: 0.05)
    #expect(try write(pair.central, pair.atCentral, .seconds(2)) == .success)
    stage.run(.seconds(120))
    #expect(expiries(pair.central).isEmpty)
    #expect(pair.central.all(HCIDisconnectionComplete.self).isEmpty)
    let link = try #require(stage.air.links.values.first)
    #expect(link.central.lastAuthenticated + .seconds(2) > stage.air.now)
  }

  @Test("an unencrypted link has no timeout")
  func clear() throws {
    let stage = Stage()
    let pair = try stage.connected(timeout: 1000)
    try pair.central.status(HCISetEventMaskPage2 { $0.eventMask = [.authenticatedPayloadTimeoutExpired] })
    #expect(try write(pair.central, pair.atCentral, .seconds(1)) == .success)
    stage.air.setReachable(pair.central.id, pair.peripheral.id, false)
    stage.run(.seconds(5))
    #expect(expiries(pair.central).isEmpty)
  }
}
