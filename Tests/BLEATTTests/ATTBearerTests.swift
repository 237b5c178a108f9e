import BLEATT
import BLECore
import Testing

@Suite("ATT bearer")
struct ATTBearerTests {
  private let start = Instant(nanoseconds: 1_000)

  private func indication(_ handle: UInt16, _ value: UInt8 = 0) -> HandleValueIndication {
    HandleValueIndication(handle: handle, value: [value])
  }

  @Test(
    "The MTU starts at 23, and becomes the smaller of both sides', but never less",
    arguments: [
      (517, 517, 517), (185, 517, 185), (517, 185, 185), (23, 517, 23), (22, 517, 23), (0, 517, 23), (65_535, 100, 100),
    ])
  func mtu(client: Int, server: Int, expected: Int) {
    var bearer = ATTBearer()
    #expect(bearer.mtu == 23)
    bearer.setMTU(client: client, server: server)
    #expect(bearer.mtu == expected)
  }

  @Test("The MTU can be exchanged again")
  func mtuAgain() {
    var bearer = ATTBearer()
    bearer.setMTU(client: 517, server: 517)
    bearer.setMTU(client: 50, server: 517)
    #expect(bearer.mtu == 50)
  }

  /// Core 5.4 Vol 3 Part F 3.3.2.
  @Test("At most one indication is unconfirmed")
  func oneAtATime() {
    var bearer = ATTBearer()
    #expect(bearer.canIndicate)
    bearer.beginIndication(of: 3, at: start)
    #expect(bearer.indicated == 3 && !bearer.canIndicate)
    bearer.beginIndication(of: 5, at: start)
    #expect(bearer.indicated == 3)
    let confirmed = bearer.confirm()
    #expect(confirmed == 3)
    #expect(bearer.indicated == nil && bearer.canIndicate)
  }

  @Test("An unexpected confirmation is ignored")
  func unexpectedConfirmation() {
    var bearer = ATTBearer()
    let first = bearer.confirm()
    #expect(first == nil)
    bearer.beginIndication(of: 3, at: start)
    _ = bearer.confirm()
    let second = bearer.confirm()
    #expect(second == nil)
  }

  /// Core 5.4 Vol 3 Part F 3.3.3.
  @Test("A confirmation is due within 30 seconds, for each indication")
  func deadline() {
    var bearer = ATTBearer()
    #expect(bearer.deadline == nil)
    bearer.beginIndication(of: 3, at: start)
    #expect(bearer.deadline == start + .seconds(30))
    let later = start + .seconds(10)
    _ = bearer.confirm()
    #expect(bearer.deadline == nil)
    bearer.beginIndication(of: 5, at: later)
    #expect(bearer.deadline == later + .seconds(30))
    let isEarly = bearer.checkIndication(at: start + .seconds(30))
    #expect(!isEarly && !bearer.hasTimedOut)
  }

  /// Core 5.4 Vol 3 Part F 3.3.3.
  @Test("A bearer with an unconfirmed indication sends and accepts nothing more after the timeout")
  func indicationTimeout() {
    var bearer = ATTBearer()
    bearer.beginIndication(of: 3, at: start)
    let isOverdue = bearer.checkIndication(at: start + .seconds(30))
    #expect(isOverdue && bearer.hasTimedOut)
    #expect(bearer.deadline == nil && !bearer.canIndicate)
    let confirmed = bearer.confirm()
    #expect(confirmed == nil)
    bearer.beginIndication(of: 5, at: start + .seconds(31))
    #expect(bearer.deadline == nil)
  }

  /// Core 5.4 Vol 3 Part F 3.3.3.
  @Test("A request that is not answered in time ends the bearer with all later requests")
  func requestTimeout() {
    var bearer = ATTBearer()
    bearer.openRequest(arrivedAt: start)
    let isKept = bearer.keepEarly([0x0A, 3, 0])
    #expect(isKept)
    let timings = [24, 25, 26, 30].map { bearer.checkRequest(at: start + .seconds($0)) }
    #expect(timings == [.inTime, .warning, .inTime, .over])
    #expect(bearer.hasTimedOut && bearer.openRequest == nil && bearer.deadline == nil)
    let next = bearer.nextEarlyRequest()
    #expect(next == nil)
  }

  @Test("The queue of prepared writes keeps the order, and does not exceed its capacity")
  func preparedWrites() {
    var queue = PreparedWriteQueue()
    for number in 0..<PreparedWriteQueue.capacity {
      let isTaken1 = queue.append(PrepareWriteRequest(handle: 3, offset: UInt16(number), value: [UInt8(number)]))
      #expect(isTaken1)
    }
    let isTaken2 = queue.append(PrepareWriteRequest(handle: 3, offset: 0, value: [0xFF]))
    #expect(!isTaken2)
    #expect(queue.parts.count == PreparedWriteQueue.capacity)
    let parts = queue.removeAll()
    #expect(parts.map(\.offset) == (0..<UInt16(PreparedWriteQueue.capacity)).map { $0 })
    #expect(queue.parts.isEmpty)
    let rest = queue.removeAll()
    #expect(rest.isEmpty)
    let isTaken3 = queue.append(PrepareWriteRequest(handle: 3, offset: 0, value: []))
    #expect(isTaken3)
  }

  @Test("The queue has room for the longest value in parts of the default MTU")
  func capacity() {
    #expect(PreparedWriteQueue.capacity >= (512 + 17) / 18)
  }
}
