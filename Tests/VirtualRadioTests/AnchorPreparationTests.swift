import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Time before an anchor point")
struct AnchorPreparationTests {
  /// How many packets of 27 octets arrive within three seconds when the central always has more, and how many events were missed.
  private func throughput(preparation: ClosedRange<Duration>?, at side: LinkSide) throws -> (packets: Int, missed: Int)
  {
    var configuration = ControllerConfiguration.v4_0
    configuration.anchorPreparation = preparation
    let stage = Stage()
    let pair = try stage.connected(
      central: side == .central ? configuration : .v4_0, peripheral: side == .peripheral ? configuration : .v4_0)
    let end = stage.air.now + .seconds(3)
    var (sent, completed) = (0, 0)
    while stage.air.now < end {
      while sent - completed < 8 {
        pair.central.sendData(pair.atCentral, [23, 0, 4, 0] + Array(repeating: 0, count: 23))
        sent += 1
      }
      stage.run(.microseconds(600))
      completed += pair.central.completed(pair.atCentral)
      pair.central.forget()
    }
    let id = side == .central ? pair.central.id : pair.peripheral.id
    return (pair.peripheral.data.count, stage.air.controller(id)?.missedAnchors ?? 0)
  }

  @Test("a peripheral without it hears every event")
  func ideal() throws {
    let (packets, missed) = try throughput(preparation: nil, at: .peripheral)
    #expect(missed == 0)
    // 44 exchanges of 676 us in each of 100 events.
    #expect(packets > 4200)
  }

  @Test("a peripheral that needs longer than full events leave misses every other one, and nothing is lost")
  func always() throws {
    let (packets, missed) = try throughput(preparation: .microseconds(800) ... .microseconds(800), at: .peripheral)
    #expect((45...55).contains(missed))
    #expect((2000...2300).contains(packets))
  }

  @Test("full events leave 406 us: a peripheral that needs no more misses none")
  func enough() throws {
    #expect(try throughput(preparation: .microseconds(400) ... .microseconds(400), at: .peripheral).missed == 0)
    #expect(try throughput(preparation: .microseconds(410) ... .microseconds(410), at: .peripheral).missed > 0)
  }

  @Test("a central needs none")
  func central() throws {
    #expect(try throughput(preparation: .microseconds(800) ... .microseconds(800), at: .central).missed == 0)
  }
}
