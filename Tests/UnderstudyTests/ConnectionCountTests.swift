import BLECore
import BLEHCI
import BLELink
import Testing

@testable import Understudy

@Suite("Counts of connections", .timeLimit(.minutes(20))) struct ConnectionCountTests {
  @Test(
    "Connections that fail to be established are counted, by status and by disconnection reason, and no others")
  func failures() {
    var counts = ConnectionCounts()
    let link = ConnectionHandle(rawValue: 1)
    let details = ConnectionDetails(LEConnectionComplete())
    counts.count(.connectionFailed(.connectionFailedToBeEstablished))
    counts.count(.connectionFailed(.unknownConnectionIdentifier))
    counts.count(.connected(link, details))
    counts.count(.disconnected(link, reason: .connectionFailedToBeEstablished))
    counts.count(.connected(link, details))
    counts.count(.disconnected(link, reason: .connectionTimeout))
    #expect((counts.made, counts.ended, counts.failed) == (2, 2, 2))
  }

  @Test("A running accessory reports its counts")
  func running() async throws {
    try await withLoop { loop in
      let accessory = try Accessory(try testProfile(), options: AccessoryOptions(controller: .virtual), loop: loop)
      let events = await accessory.events()
      try await accessory.start()
      let report = try await events.ready()
      #expect(await accessory.state().connectionCounts == ConnectionCounts())
      let central = try LineCentral(port: try #require(report.ports.first))
      try central.connect(to: report.address)
      _ = try await events.named("connected")
      let counts = await accessory.stateReport()["connection_counts"]
      #expect(counts?.jsonText == #"{"ended":0,"failed":0,"made":1}"#)
      await accessory.stop()
      _ = await accessory.end()
    }
  }
}
