import AccessoryProfile
import BLECore
import Testing

@testable import Bench

@Suite("The cost of the virtual radio")
struct RadioBenchTests {
  private func bench() throws -> RadioBench {
    RadioBench(try Profile.load(contentsOf: #require(ShippedProfiles.path(named: "heart-rate"))))
  }

  @Test("a connection lasts, and every notification arrives")
  func connection() throws {
    let figure = try bench().connection(for: .seconds(600))
    #expect(figure.simulated == .seconds(600) && figure.links == 1)
    #expect((599...601).contains(figure.notifications))
    #expect(figure.processor > .zero && figure.load == figure.processor / .seconds(600))
  }

  @Test("in a crowd every link lasts, and every notification arrives")
  func crowd() throws {
    let figure = try bench().crowd(accessories: 5, links: 2, for: .seconds(10))
    #expect(figure.links == 2)
    #expect((2 * 9...2 * 11).contains(figure.notifications))
  }
}
