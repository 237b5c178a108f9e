import BLECore
import Swarm
import Testing

@Suite struct FindingTests {
  @Test func findingsOfTheWholeRunHaveNoInstant() {
    #expect(Finding("determinism", "two runs differ").instant == nil)
  }
}
