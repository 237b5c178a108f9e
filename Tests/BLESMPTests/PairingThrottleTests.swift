import BLECore
import BLESMP
import Testing

/// Core 5.4 Vol 3 Part H 2.3.6.
@Suite("Repeated attempts")
struct PairingThrottleTests {
  private let peer = TypedAddress(address: DeviceAddress(bits: 1), isRandom: false)
  private let failure = SecurityEvent.failed(.confirmValueFailed, byPeer: false)

  @Test("After some failures the wait doubles, up to a limit")
  func doubles() {
    var throttle = PairingThrottle(tolerated: 2, firstWait: .seconds(1), longestWait: .seconds(20))
    var now = Instant.zero
    var waits: [Duration] = []
    for _ in 0..<9 {
      throttle.note(failure, of: peer, at: now)
      let end = throttle.blockedUntil(peer, at: now) ?? now
      waits.append(end - now)
      now = end
      #expect(throttle.blockedUntil(peer, at: now) == nil)
    }
    #expect(waits == [0, 0, 1, 2, 4, 8, 16, 20, 20].map { .seconds($0) })
  }

  @Test("A successful pairing, or a long pause, resets the wait")
  func forgets() {
    var throttle = PairingThrottle(tolerated: 0, firstWait: .seconds(1), longestWait: .seconds(20))
    for _ in 0..<5 { throttle.note(failure, of: peer, at: .zero) }
    #expect(throttle.blockedUntil(peer, at: .zero) == .zero + .seconds(16))
    var other = throttle
    let bond = Bond(
      peer: peer, strength: KeyStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16))
    other.note(.paired(bond, bonded: true), of: peer, at: .zero)
    #expect(other.blockedUntil(peer, at: .zero) == nil)
    let later = Instant.zero + .seconds(36)
    throttle.note(failure, of: peer, at: later)
    #expect(throttle.blockedUntil(peer, at: later) == later + .seconds(1))
  }

  @Test("Only attempts that may have tested a secret count, separately for each peer")
  func counts() {
    var throttle = PairingThrottle(tolerated: 0)
    for reason in [0x02, 0x03, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0D, 0x0E] as [UInt8] {
      throttle.note(.failed(.init(rawValue: reason), byPeer: false), of: peer, at: .zero)
    }
    throttle.note(.cut, of: peer, at: .zero)
    throttle.note(.timedOut, of: peer, at: .zero)
    #expect(throttle.blockedUntil(peer, at: .zero) == nil)
    for reason in [0x01, 0x04, 0x0B, 0x0C] as [UInt8] {
      let peer = TypedAddress(address: DeviceAddress(bits: UInt64(reason)), isRandom: true)
      throttle.note(.failed(.init(rawValue: reason), byPeer: true), of: peer, at: .zero)
      #expect(throttle.blockedUntil(peer, at: .zero) != nil)
    }
    #expect(throttle.blockedUntil(peer, at: .zero) == nil)
  }

  @Test("A thousand addresses displace the oldest, and no more are stored")
  func isBounded() {
    var throttle = PairingThrottle(tolerated: 0, firstWait: .seconds(60))
    let peers = (0..<1000).map { TypedAddress(address: DeviceAddress(bits: $0), isRandom: true) }
    for (index, peer) in peers.enumerated() {
      throttle.note(failure, of: peer, at: .zero + .milliseconds(index))
    }
    let now = Instant.zero + .seconds(1)
    #expect(peers.filter { throttle.blockedUntil($0, at: now) != nil } == Array(peers.suffix(256)))
  }
}
