import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Limits of connection events")
struct EventBoundsTests {
  /// Returns how many of 40 packets of 27 octets each connection event carried, in order. An exchange takes 676 µs with its spaces.
  private func packetsPerEvent(
    from host: ScriptedHost, _ handle: UInt16, to peer: ScriptedHost, _ stage: Stage, interval: Duration
  ) -> [Int] {
    // Fewer packets than the buffers hold, refilled as buffers are returned.
    var sent = 0
    var completed = host.completed(handle)
    let before = peer.data.count
    let start = completed
    while sent < 40 {
      completed = host.completed(handle) - start
      while sent < 40, sent - completed < 16 {
        host.sendData(handle, Array(repeating: UInt8(sent), count: 27))
        sent += 1
      }
      stage.run(.milliseconds(1))
    }
    stage.run(.seconds(2))
    let times = peer.data[before...].map(\.at.nanoseconds)
    #expect(times.count == 40)
    guard let first = times.first else { return [] }
    return Dictionary(grouping: times) { ($0 - first) / interval.inNanoseconds }.sorted { $0.key < $1.key }
      .map(\.value.count)
  }

  private func limited(_ change: (inout ControllerConfiguration) -> Void) -> ControllerConfiguration {
    var configuration = ControllerConfiguration.full
    change(&configuration)
    return configuration
  }

  @Test("a controller built for short events ends them early, in either role", arguments: [true, false])
  func configuredLength(isCentral: Bool) throws {
    // Two exchanges of 526 µs with a space between them are 1202 µs, three would be 1878 µs.
    let short = limited { $0.maximumEventLength = .microseconds(1877) }
    let stage = Stage()
    let pair = try stage.connected(central: isCentral ? short : .full, peripheral: isCentral ? .full : short)
    let counts = packetsPerEvent(
      from: pair.central, pair.atCentral, to: pair.peripheral, stage, interval: .milliseconds(30))
    #expect(counts.dropFirst().dropLast().allSatisfy { $0 == 2 })
  }

  @Test("a controller with a maximum number of packets per event ends events at that number", arguments: [true, false])
  func packetCount(isCentral: Bool) throws {
    let few = limited { $0.maximumPacketsPerEvent = 4 }
    let stage = Stage()
    let pair = try stage.connected(central: isCentral ? few : .full, peripheral: isCentral ? .full : few)
    let counts = packetsPerEvent(
      from: pair.peripheral, pair.atPeripheral, to: pair.central, stage, interval: .milliseconds(30))
    #expect(counts.dropFirst().dropLast().allSatisfy { $0 == 4 })
  }

  @Test("a host's request applies, zero means none, and the next command changes it")
  func hostWish() throws {
    let stage = Stage()
    let pair = try stage.connected()
    func update(_ host: ScriptedHost, _ handle: UInt16, length: UInt16) throws {
      try host.begin(
        LEConnectionUpdate {
          $0.connectionHandle.rawValue = handle
          $0.intervalMinimum.rawValue = 24
          $0.intervalMaximum.rawValue = 24
          $0.supervisionTimeout.rawValue = 100
          $0.maximumEventLength.rawValue = length
        })
      stage.run(.seconds(1))
    }
    func counts() -> [Int] {
      packetsPerEvent(from: pair.central, pair.atCentral, to: pair.peripheral, stage, interval: .milliseconds(30))
    }
    // 3.75 ms: five exchanges end after 3230 µs, six after 3906 µs.
    try update(pair.central, pair.atCentral, length: 6)
    #expect(counts().dropFirst().dropLast().allSatisfy { $0 == 5 })
    try update(pair.central, pair.atCentral, length: 0)
    #expect(counts().max() == 40)
  }

  @Test("the request of LE Create Connection applies from the first event on; a minimum above the maximum is refused")
  func createConnection() throws {
    let stage = Stage()
    let peripheral = stage.add()
    let central = stage.add()
    for host in stage.hosts { try host.bringUp() }
    try peripheral.status(LESetAdvertisingEnable { $0.enable = true })
    var create = LECreateConnection {
      $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0001)
      $0.intervalMinimum.rawValue = 24
      $0.intervalMaximum.rawValue = 24
      $0.minimumEventLength.rawValue = 3
      $0.maximumEventLength.rawValue = 2
    }
    #expect(try central.begin(create) == .invalidHCICommandParameters)
    create.minimumEventLength.rawValue = 2
    #expect(try central.begin(create) == .success)
    stage.run(.seconds(3))
    let counts = packetsPerEvent(from: central, 0, to: peripheral, stage, interval: .milliseconds(30))
    #expect(counts.dropFirst().dropLast().allSatisfy { $0 == 2 })
  }

  @Test("without a limit, events last until T_IFS before the next anchor point")
  func nextAnchor() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 6)
    let counts = packetsPerEvent(
      from: pair.central, pair.atCentral, to: pair.peripheral, stage, interval: .microseconds(7500))
    // 7500 µs hold eleven exchanges of 676 µs.
    #expect(counts.dropFirst().dropLast().allSatisfy { $0 == 11 })
  }
}
