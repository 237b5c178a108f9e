import AccessoryProfile
import BLEHCI
import BLEL2CAP
import BLELink
import Testing
import Understudy

@testable import ControlAPI

@Suite(.timeLimit(.minutes(20))) struct JournalTests {
  private func event(_ octets: Int = 0) -> NumberedEvent.Event {
    .accessory(
      AccessoryEvent(
        time: .zero,
        kind: .host(
          .sdu(ConnectionHandle(rawValue: 1), ChannelID(rawValue: 64), [UInt8](repeating: 0xAA, count: octets)))))
  }

  private func journal(_ count: Int, limits: EventJournal.Limits = .init()) -> EventJournal {
    let journal = EventJournal(limits: limits)
    for _ in 0..<count { journal.append(event()) }
    return journal
  }

  @Test(arguments: [(0, 1...3), (1, 2...3), (2, 3...3), (99, 1...3)])
  func eventsAreReplayedBehindANumber(after id: Int, numbers: ClosedRange<Int>) {
    let excerpt = journal(3).events(after: id, limit: 10)
    #expect(excerpt.entries.map(\.id) == Array(numbers) && excerpt.lost == 0 && excerpt.last == 3)
  }

  @Test func atTheNewestThereIsNothing() {
    #expect(journal(3).events(after: 3, limit: 10).entries.isEmpty)
    #expect(journal(0).events(after: 0, limit: 10).last == 0)
  }

  @Test(arguments: [(0, 7, 8), (5, 2, 8), (7, 0, 8), (8, 0, 9)])
  func whatIsForgottenIsCounted(after id: Int, lost: Int, first: Int) {
    let excerpt = journal(10, limits: .init(events: 3)).events(after: id, limit: 2)
    #expect(excerpt.lost == lost && excerpt.entries.map(\.id) == [first, first + 1] && excerpt.last == first + 1)
  }

  @Test func octetsAreBounded() {
    let journal = EventJournal(limits: .init(octets: 100_000))
    for _ in 0..<100 { journal.append(event(1000)) }
    let excerpt = journal.events(after: 0, limit: 1000)
    #expect(excerpt.entries.reduce(0) { $0 + $1.cost } <= 100_000 && excerpt.last == 100)
    // The newest is kept regardless of its size.
    journal.append(event(65_535))
    #expect(journal.events(after: 100, limit: 10).entries.map(\.id) == [101])
  }

  /// A client that does not read uses no memory, and learns afterwards what it has missed.
  @Test func slowReaderLosesTheOldest() async throws {
    let journal = EventJournal(limits: .init(events: 10))
    let reader = JournalReader(journal, after: 0)
    for _ in 0..<1000 { journal.append(event()) }
    guard case .excerpt(let excerpt) = await reader.next() else { return #expect(Bool(false)) }
    #expect(excerpt.lost == 990 && excerpt.entries.map(\.id) == Array(991...1000))
    let filter = try EventFilter(leavingOut: "sdu")
    let text = EventStream.text(of: .excerpt(excerpt), filter)
    #expect(text == "id: 990\nevent: lost\ndata: {\"count\":990,\"event\":\"lost\"}\n\n")
    journal.finish()
    #expect(await reader.next() == nil)
  }

  @Test func readersWakeForWhatComes() async {
    let journal = EventJournal()
    let readers = (0..<5).map { _ in JournalReader(journal, after: 0) }
    await withTaskGroup(of: [Int].self) { group in
      for reader in readers {
        group.addTask {
          var ids: [Int] = []
          while case .excerpt(let excerpt) = await reader.next() { ids += excerpt.entries.map(\.id) }
          return ids
        }
      }
      for _ in 0..<200 { journal.append(event()) }
      journal.finish()
      for await ids in group { #expect(ids == Array(1...200)) }
    }
  }
}
