import BLECore
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import Simulation
import Testing
import VirtualRadio

@Suite("Centrals' controllers that restart by themselves")
struct CentralRestartTests {
  /// Returns the time from a restart until the phone's host has brought its controller up again; nil if it never does.
  private func recovery(_ notice: RestartNotice, isConnected: Bool) throws -> Duration? {
    let scene = try LampScene()
    let link = isConnected ? try scene.phone.connect(to: Lamp.address) : nil
    scene.simulation.run(for: .seconds(1))
    scene.phone.events = []
    scene.simulation.air.restartController(scene.phone.controller, announcing: notice)
    let start = scene.simulation.now
    scene.phone.limit = .seconds(40)
    if let link { _ = try? scene.phone.read(scene.value(Lamp.text), on: link) }
    let isUp = scene.simulation.run(
      until: { scene.phone.events.contains { if case .controllerReady = $0 { true } else { false } } },
      limit: .seconds(10))
    guard isUp else { return nil }
    let time = scene.simulation.now - start
    #expect(scene.phone.links == [] && scene.phone.ends == (isConnected ? [.hardwareFailure] : []))
    // It connects again, and nothing of the previous link remains.
    let next = try scene.phone.connect(to: Lamp.address)
    #expect(try scene.phone.read(scene.value(Lamp.text), on: next) == [])
    return time
  }

  @Test(
    "After an announced restart it is up again at once",
    arguments: [RestartNotice.nop, .hardwareError(0x42)], [false, true])
  func announced(_ notice: RestartNotice, _ isConnected: Bool) throws {
    #expect(try #require(try recovery(notice, isConnected: isConnected)) < .milliseconds(200))
  }

  @Test("A silent restart is detected when a request is not answered")
  func silent() throws {
    let time = try #require(try recovery(.silently, isConnected: true))
    #expect(time >= .seconds(30) && time < .seconds(31))
  }
}
