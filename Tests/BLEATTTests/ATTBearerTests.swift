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
    "The MTU begins at 23, and becomes the smaller of both sides', but never less",
    arguments: [
      (517, 517, 517), (185, 517, 185), (517, 185, 185), (23, 517, 23), (22, 517, 23), (0, 517, 23), (65_535, 100, 100),
    ])
  func mtu(client: Int, server: Int, expected: Int) {
    var bearer = ATTBearer()
    #expect(bearer.mtu == 23)
    bearer.settleMTU(client: client, server: server)
    #expect(bearer.mtu == expected)
  }

  @Test("The MTU can be settled again")
  func mtuAgain() {
    var bearer = ATTBearer()
    bearer.settleMTU(client: 517, server: 517)
    bearer.settleMTU(client: 50, server: 517)
    #expect(bearer.mtu == 50)
  }

  /// Core 5.4 Vol 3 Part F 3.3.2.
  @Test("One indication at a time is unconfirmed; the others wait in order")
  func oneAtATime() {
    var bearer = ATTBearer()
    #expect(bearer.submit(indication(3), at: start) == indication(3))
    #expect(bearer.indicated == 3)
    #expect(bearer.submit(indication(5), at: start) == nil)
    #expect(bearer.submit(indication(7), at: start) == nil)
    var (confirmed, next) = bearer.confirm(at: start)
    #expect(confirmed == 3)
    #expect(next == indication(5))
    #expect(bearer.indicated == 5)
    (confirmed, next) = bearer.confirm(at: start)
    #expect(confirmed == 5)
    #expect(next == indication(7))
    (confirmed, next) = bearer.confirm(at: start)
    #expect(confirmed == 7)
    #expect(next == nil)
    #expect(bearer.indicated == nil)
    #expect(bearer.submit(indication(3), at: start) == indication(3))
  }

  @Test("A newer value of an attribute that waits replaces the older one, and keeps its place")
  func coalesces() {
    var bearer = ATTBearer()
    _ = bearer.submit(indication(3, 1), at: start)
    #expect(bearer.submit(indication(5, 1), at: start) == nil)
    #expect(bearer.submit(indication(7, 1), at: start) == nil)
    #expect(bearer.submit(indication(5, 2), at: start) == nil)
    #expect(bearer.submit(indication(5, 3), at: start) == nil)
    let next1 = bearer.confirm(at: start).next
    #expect(next1 == indication(5, 3))
    let next2 = bearer.confirm(at: start).next
    #expect(next2 == indication(7, 1))
    let next3 = bearer.confirm(at: start).next
    #expect(next3 == nil)
  }

  @Test("A newer value of the attribute that is being indicated waits for the confirmation")
  func newerThanTheOneOnItsWay() {
    var bearer = ATTBearer()
    _ = bearer.submit(indication(3, 1), at: start)
    #expect(bearer.submit(indication(3, 2), at: start) == nil)
    let next4 = bearer.confirm(at: start).next
    #expect(next4 == indication(3, 2))
  }

  @Test("A confirmation out of turn is ignored")
  func outOfTurn() {
    var bearer = ATTBearer()
    var (confirmed, next) = bearer.confirm(at: start)
    #expect(confirmed == nil)
    #expect(next == nil)
    _ = bearer.submit(indication(3), at: start)
    _ = bearer.confirm(at: start)
    (confirmed, next) = bearer.confirm(at: start)
    #expect(confirmed == nil)
    #expect(next == nil)
  }

  /// Core 5.4 Vol 3 Part F 3.3.3.
  @Test("An unconfirmed indication has 30 seconds, and each has its own")
  func deadline() {
    var bearer = ATTBearer()
    #expect(bearer.deadline == nil)
    _ = bearer.submit(indication(3), at: start)
    #expect(bearer.deadline == start + .seconds(30))
    let later = start + .seconds(10)
    _ = bearer.submit(indication(5), at: later)
    #expect(bearer.deadline == start + .seconds(30))
    _ = bearer.confirm(at: later)
    #expect(bearer.deadline == later + .seconds(30))
    _ = bearer.confirm(at: later)
    #expect(bearer.deadline == nil)
  }

  @Test("A bearer that gave up waits for nothing, and can be used anew")
  func abandons() {
    var bearer = ATTBearer()
    _ = bearer.submit(indication(3), at: start)
    _ = bearer.submit(indication(5), at: start)
    bearer.abandonTransaction()
    #expect(bearer.indicated == nil)
    #expect(bearer.deadline == nil)
    let (confirmed, next) = bearer.confirm(at: start)
    #expect(confirmed == nil)
    #expect(next == nil)
    #expect(bearer.submit(indication(7), at: start) == indication(7))
  }

  @Test("Indications that wait are withdrawn by their attribute; the one on its way is not")
  func withdraws() {
    var bearer = ATTBearer()
    for handle in [3, 5, 7] as [UInt16] { _ = bearer.submit(indication(handle), at: start) }
    _ = bearer.submit(indication(3, 1), at: start)
    bearer.withdrawIndications(of: 3)
    bearer.withdrawIndications(of: 5)
    #expect(bearer.indicated == 3)
    let second = bearer.confirm(at: start).next
    #expect(second == indication(7))
    let third = bearer.confirm(at: start).next
    #expect(third == nil)
  }

  @Test("The queue of prepared writes keeps the order, and takes no more than its capacity")
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

  @Test("The queue holds the longest value in parts of the default MTU")
  func capacity() {
    #expect(PreparedWriteQueue.capacity >= (512 + 17) / 18)
  }
}
