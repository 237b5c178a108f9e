import BLECore
import BLEGAP
import BLEHCI
import Testing

/// How an advertiser changes the data of sets on the air, and when it pauses them.
@Suite("Changing advertising data")
struct AdvertiserDataTests {
  private func scene(isExtended: Bool) -> AdvertiserScene {
    var scene = AdvertiserScene(
      [.init(id: "main", kind: isExtended ? .extended : .legacy, data: [2, 1, 6])], extended: isExtended)
    scene.runCommands()
    scene.controller.forgetLog()
    _ = scene.takeEvents()
    return scene
  }

  @Test(
    "Data that fits one command is changed on the air (Core 5.4 Vol 4 Part E 7.8.7, 7.8.54)", arguments: [true, false])
  func onAir(isExtended: Bool) {
    var scene = scene(isExtended: isExtended)
    scene.advertiser.setData([2, 1, 4], scanResponse: [], set: "main")
    #expect(!scene.advertiser.isUpToDate)
    scene.runCommands()
    #expect(scene.controller.log == [isExtended ? .leSetExtendedAdvertisingData : .leSetAdvertisingData])
    #expect(scene.set().data == [2, 1, 4] && scene.set().isOn)
    #expect(scene.takeEvents().isEmpty && scene.advertiser.isUpToDate)
  }

  @Test("Longer data takes the set off the air briefly")
  func long() {
    var scene = scene(isExtended: true)
    let data = [UInt8](repeating: 7, count: 300)
    scene.advertiser.setData(data, scanResponse: [], set: "main")
    scene.runCommands()
    #expect(
      scene.controller.log == [
        .leSetExtendedAdvertisingEnable, .leSetExtendedAdvertisingData, .leSetExtendedAdvertisingData,
        .leSetExtendedAdvertisingEnable,
      ])
    #expect(scene.set().data == data && scene.set().isOn)
  }

  @Test("If the controller refuses the data on the air, the set is taken off", arguments: [true, false])
  func refused(isExtended: Bool) {
    var scene = scene(isExtended: isExtended)
    let opcode: CommandOpcode = isExtended ? .leSetExtendedAdvertisingData : .leSetAdvertisingData
    let enabling: CommandOpcode = isExtended ? .leSetExtendedAdvertisingEnable : .leSetAdvertisingEnable
    scene.controller.refusals = [(opcode, .commandDisallowed)]
    scene.advertiser.setData([2, 1, 4], scanResponse: [], set: "main")
    scene.runCommands()
    #expect(scene.controller.log == [opcode, enabling, opcode, enabling])
    #expect(scene.set().data == [2, 1, 4] && scene.set().isOn)
  }

  @Test("Data that changes during its update is sent again")
  func changedMeanwhile() throws {
    var scene = scene(isExtended: true)
    scene.advertiser.setData([2, 1, 4], scanResponse: [], set: "main")
    let command = try scene.nextCommand()
    scene.advertiser.setData([2, 1, 5], scanResponse: [], set: "main")
    scene.answered(command, scene.controller.execute(command))
    #expect(!scene.advertiser.isUpToDate)
    scene.runCommands()
    #expect(scene.set().data == [2, 1, 5])
  }

  @Test("While asleep no set is on the air, and on waking each restarts its schedule")
  func sleep() {
    var scene = scene(isExtended: true)
    scene.advertiser.setAsleep(true, at: scene.now)
    scene.runCommands()
    #expect(!scene.set().isOn && scene.advertiser.isUpToDate)
    #expect(scene.takeEvents() == [.stopped(set: "main")])
    scene.advertiser.setAsleep(false, at: scene.now)
    scene.runCommands()
    #expect(scene.set().isOn)
    #expect(scene.takeEvents() == [.started(set: "main", interval: .milliseconds(100))])
  }
}
