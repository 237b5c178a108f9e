import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// Packet types with the rate that they allow in one direction.
struct RateRow: Sendable, CustomTestStringConvertible {
  var name: String
  var types: PacketTypes
  /// The length of ACL packets that fill packets of the air.
  var length: Int
  /// In kbit/s (Core 5.4 Vol 2 Part B 6.7).
  var rate: Double

  var testDescription: String { name }

  private static let noEnhanced: PacketTypes = [.no2DH1, .no2DH3, .no2DH5, .no3DH1, .no3DH3, .no3DH5]
  private static let no3M: PacketTypes = [.no3DH1, .no3DH3, .no3DH5]

  static let all: [RateRow] = [
    RateRow(name: "DM1", types: noEnhanced.union(.dm1), length: 1020, rate: 108.8),
    RateRow(name: "DH1", types: noEnhanced.union([.dm1, .dh1]), length: 999, rate: 172.8),
    RateRow(name: "DH3", types: noEnhanced.union([.dm1, .dh1, .dh3]), length: 915, rate: 585.6),
    RateRow(name: "DH5", types: noEnhanced.union([.dm1, .dh1, .dh3, .dh5]), length: 1017, rate: 723.2),
    RateRow(name: "2-DH5", types: no3M.union(.basicRate), length: 679, rate: 1448.5),
    RateRow(name: "3-DH5", types: .basicRate, length: 1021, rate: 2178.1),
  ]
}

@Suite("Data on links of BR/EDR")
struct ClassicDataTests {
  /// Sends as much as the buffers allow for that long. Returns the number of octets that arrived.
  private func send(
    _ stage: Stage, from host: ScriptedHost, _ handle: ConnectionHandle, to peer: ScriptedHost, length: Int,
    for duration: Duration
  ) -> Int {
    let end = stage.air.now + duration
    var sent = 0
    peer.forget()
    host.forget()
    while true {
      while sent - host.completed(handle.rawValue) < 8 {
        host.sendData(handle.rawValue, Array(repeating: UInt8(truncatingIfNeeded: sent), count: length))
        sent += 1
      }
      guard let deadline = stage.air.nextDeadline, deadline <= end else { break }
      stage.air.advance(to: deadline)
      stage.collect()
    }
    return peer.data.reduce(0) { $0 + $1.octets.count }
  }

  @Test("the packet types give the rates of the specification", arguments: RateRow.all, [true, false])
  func rates(row: RateRow, byFirst: Bool) throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    let (host, peer) = byFirst ? (pair.first, pair.second) : (pair.second, pair.first)
    let handle = byFirst ? pair.atFirst : pair.atSecond
    #expect(
      try host.begin(
        HCIChangeConnectionPacketType {
          $0.connectionHandle = handle
          $0.packetTypes = row.types
        }) == .success)
    #expect(try host.last(HCIConnectionPacketTypeChanged.self).packetTypes == row.types)
    let octets = send(stage, from: host, handle, to: peer, length: row.length, for: .seconds(2))
    let rate = Double(octets) * 8 / 2 / 1000
    #expect(abs(rate - row.rate) < row.rate * 0.015, "\(rate)")
  }

  @Test("the links of a piconet share the slots")
  func sharing() throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    let third = stage.add(.dual)
    try third.bringUpClassic()
    pair.first.forget()
    let other = try stage.connectClassic(pair.first, third)
    let handles = [pair.atFirst, other.atFirst]
    #expect(handles[0] != handles[1])
    var sent = [0, 0]
    let end = stage.air.now + .seconds(2)
    while stage.air.now < end {
      for index in 0..<2 {
        while sent[index] - pair.first.completed(handles[index].rawValue) < 4 {
          pair.first.sendData(handles[index].rawValue, Array(repeating: 1, count: 1021))
          sent[index] += 1
        }
      }
      guard let deadline = stage.air.nextDeadline else { break }
      stage.air.advance(to: deadline)
      stage.collect()
    }
    let rates = [pair.second, third].map { Double($0.data.reduce(0) { $0 + $1.octets.count }) * 4 / 1000 }
    #expect(rates.allSatisfy { $0 > 1000 && $0 < 1100 }, "\(rates)")
  }

  @Test("data arrives whole and in order, with the flags of BR/EDR", arguments: [0, 0.3])
  func order(loss: Double) throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    for (from, to) in [(pair.first, pair.second), (pair.second, pair.first)] {
      stage.air.setPacketLoss(from: from.id, to: to.id, fraction: loss)
    }
    let octets = (0..<2500).map { UInt8(truncatingIfNeeded: $0) }
    for (host, handle) in [(pair.first, pair.atFirst), (pair.second, pair.atSecond)] {
      host.sendData(handle.rawValue, Array(octets[..<1000]), boundary: .firstFromController)
      host.sendData(handle.rawValue, Array(octets[1000..<1900]), boundary: .continuing)
      host.sendData(handle.rawValue, Array(octets[1900...]), boundary: .continuing)
      host.sendData(handle.rawValue, [9])
    }
    stage.run(.seconds(3))
    for (host, handle) in [(pair.first, pair.atFirst), (pair.second, pair.atSecond)] {
      #expect(host.data.flatMap(\.octets) == octets + [9])
      #expect(host.data.filter { $0.boundary == .firstFromController }.count == 2)
      #expect(host.data.filter { $0.boundary == .continuing }.count == host.data.count - 2)
      #expect(host.completed(handle.rawValue) == 4)
    }
  }

  @Test("its buffers are not those of LE")
  func buffers() throws {
    let pair = try Stage().classicPair()
    let size = try pair.first.call(HCIReadBufferSize())
    #expect(size.aclDataPacketLength == 1021 && size.totalACLDataPackets == 8)
    #expect(size.synchronousDataPacketLength == 64 && size.totalSynchronousDataPackets == 8)
    #expect(try pair.first.call(LEReadBufferSize()).aclDataPacketLength == 251)
    for _ in 0..<9 { pair.first.sendData(pair.atFirst.rawValue, [1, 2, 3]) }
    #expect(pair.first.all(HCIDataBufferOverflow.self).map(\.linkType) == [1])
    pair.first.sendData(pair.atFirst.rawValue, Array(repeating: 0, count: 1022))
    #expect(pair.first.all(HCIDataBufferOverflow.self).count == 2)
    pair.first.sendData(pair.atFirst.rawValue, [1], boundary: .whole)
    pair.first.stage.run(.seconds(1))
    #expect(pair.second.data.count == 8)
    #expect(pair.first.completed(pair.atFirst.rawValue) == 8)
  }

  @Test("flushed data does not arrive, and its buffers are free", arguments: [true, false])
  func flushes(isEnhanced: Bool) throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    for number in UInt8(0)..<8 { pair.first.sendData(pair.atFirst.rawValue, Array(repeating: number, count: 1000)) }
    if isEnhanced {
      #expect(try pair.first.begin(HCIEnhancedFlush { $0.connectionHandle = pair.atFirst }) == .success)
      #expect(pair.first.all(HCIEnhancedFlushComplete.self).count == 1)
    } else {
      #expect(try pair.first.status(HCIFlush { $0.connectionHandle = pair.atFirst }) == .success)
      #expect(pair.first.all(HCIFlushOccurred.self).count == 1)
    }
    stage.run(.seconds(1))
    #expect(pair.first.completed(pair.atFirst.rawValue) == 8)
    #expect(pair.second.data.count <= 1)
    pair.first.sendData(pair.atFirst.rawValue, [1])
    stage.run(.seconds(1))
    #expect(pair.second.data.last?.octets == [1])
  }

  @Test("a host without free buffers gets its data later")
  func hostFlowControl() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    try second.status(
      HCIHostBufferSize {
        $0.aclDataPacketLength = 500
        $0.totalACLDataPackets = 2
      })
    try second.status(HCISetControllerToHostFlowControl { $0.flowControl = .acl })
    let pair = try stage.connectClassic(first, second)
    let changed = HCISetControllerToHostFlowControl { $0.flowControl = .off }
    #expect(try second.status(changed) == .commandDisallowed)
    var returned = 0
    for number in UInt8(0)..<40 {
      first.sendData(pair.atFirst.rawValue, Array(repeating: number, count: 600))
      stage.run(.milliseconds(60))
      #expect(second.data.count - returned <= 2)
      while second.data.count > returned {
        let count = UInt16(second.data.count - returned)
        returned += Int(count)
        second.send(
          HCIHostNumberOfCompletedPackets { $0.completed = [CompletedPackets(pair.atSecond, count: count)] }.h4)
      }
    }
    #expect(second.data.flatMap(\.octets) == (UInt8(0)..<40).flatMap { Array(repeating: $0, count: 600) })
    #expect(second.data.allSatisfy { $0.octets.count <= 500 })
  }

  @Test("with immediate timing data arrives at once")
  func immediate() throws {
    let stage = Stage(timing: .immediate)
    let pair = try stage.classicPair()
    let start = stage.air.now
    pair.first.sendData(pair.atFirst.rawValue, Array(repeating: 7, count: 900))
    pair.second.sendData(pair.atSecond.rawValue, [8])
    #expect(pair.second.data.flatMap(\.octets).count == 900)
    #expect(pair.first.data.map(\.octets) == [[8]] && stage.air.now == start)
    #expect(pair.first.completed(pair.atFirst.rawValue) == 1)
  }
}
