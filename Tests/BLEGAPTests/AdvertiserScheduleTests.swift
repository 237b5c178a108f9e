import BLECore
import BLEGAP
import BLEHCI
import Testing

/// Phases, connections, and starting and stopping by name.
@Suite("Advertiser over time")
struct AdvertiserScheduleTests {
  /// Legacy PDUs by legacy commands, legacy PDUs by extended commands, extended PDUs.
  private static let families: [(kind: AdvertisingSetDefinition.Kind, extended: Bool)] = [
    (.legacy, false), (.legacy, true), (.extended, true),
  ]
  private static let both: [Bool] = [false, true]

  private let first = AdvertisingEvent.started(set: "two", interval: .milliseconds(20))
  private let second = AdvertisingEvent.started(set: "two", interval: .microseconds(152_500))
  private let stopped = AdvertisingEvent.stopped(set: "two")

  @Test("A schedule moves from phase to phase, and stops at its end", arguments: families)
  func phases(kind: AdvertisingSetDefinition.Kind, extended: Bool) {
    var scene = AdvertiserScene([.twoPhases(kind)], extended: extended)
    let start = scene.now
    scene.runCommands()
    #expect(scene.takeEvents() == [first])
    #expect(scene.advertiser.nextDeadline == start + .seconds(30))
    scene.pass(.seconds(29))
    #expect(scene.set().interval.rawValue == 32)
    #expect(scene.takeEvents() == [])
    scene.pass(.seconds(1))
    #expect(scene.takeEvents() == [stopped, second])
    #expect(scene.set().interval.rawValue == 244)
    #expect(scene.set().isOn)
    #expect(scene.advertiser.nextDeadline == start + .seconds(40))
    scene.pass(.seconds(10))
    #expect(scene.takeEvents() == [stopped])
    #expect(!scene.set().isOn)
    #expect(scene.advertiser.nextDeadline == nil)
    #expect(scene.advertiser.isUpToDate)
    scene.pass(.seconds(1000))
    #expect(scene.takeEvents() == [])
  }

  @Test("The data is sent once, in any phase", arguments: families)
  func dataOnce(kind: AdvertisingSetDefinition.Kind, extended: Bool) {
    var scene = AdvertiserScene([.twoPhases(kind)], extended: extended)
    scene.runCommands()
    scene.controller.forgetLog()
    scene.pass(.seconds(30))
    let enable: CommandOpcode = extended ? .leSetExtendedAdvertisingEnable : .leSetAdvertisingEnable
    let parameters: CommandOpcode = extended ? .leSetExtendedAdvertisingParameters : .leSetAdvertisingParameters
    #expect(scene.controller.log == [enable, parameters, enable])
  }

  @Test("A last phase without a duration lasts forever")
  func forever() {
    var definition = AdvertisingSetDefinition.twoPhases(.legacy)
    definition.schedule[1].duration = nil
    var scene = AdvertiserScene([definition], extended: true)
    scene.runCommands()
    scene.pass(.seconds(1_000_000))
    #expect(scene.set().isOn)
    #expect(scene.set().interval.rawValue == 244)
  }

  @Test("Nothing is stable between the end of a phase and the next one")
  func unsettled() {
    var scene = AdvertiserScene([.twoPhases(.legacy)], extended: true)
    scene.runCommands()
    #expect(scene.advertiser.isUpToDate)
    scene.now += .seconds(30)
    scene.advertiser.advance(to: scene.now)
    #expect(!scene.advertiser.isUpToDate)
    scene.runCommands()
    #expect(scene.advertiser.isUpToDate)
    scene.now += .seconds(10)
    scene.advertiser.advance(to: scene.now)
    #expect(!scene.advertiser.isUpToDate)
    scene.runCommands()
    #expect(scene.advertiser.isUpToDate)
  }

  // MARK: - Connections

  @Test(
    "A connection ends a legacy set without a command, and a disconnection restarts the schedule", arguments: both)
  func legacyConnection(capacityFirst: Bool) {
    var scene = AdvertiserScene([.twoPhases(.legacy)], extended: false)
    scene.runCommands()
    scene.pass(.seconds(35))
    _ = scene.takeEvents()
    scene.controller.forgetLog()
    scene.airLost()
    if capacityFirst { scene.advertiser.setCapacity(false, at: scene.now) }
    scene.advertiser.connected()
    scene.advertiser.setCapacity(false, at: scene.now)
    scene.runCommands()
    #expect(scene.controller.log == [])
    #expect(scene.takeEvents() == [stopped])
    #expect(scene.advertiser.activeSets == [])
    #expect(scene.advertiser.nextDeadline == nil)
    scene.pass(.seconds(500))
    scene.advertiser.setCapacity(true, at: scene.now)
    scene.runCommands()
    #expect(scene.takeEvents() == [first])
    #expect(scene.set().interval.rawValue == 32)
    #expect(scene.advertiser.nextDeadline == scene.now + .seconds(30))
  }

  @Test("A schedule that ends during connections restarts when one of them ends", arguments: families)
  func restBesideLinks(kind: AdvertisingSetDefinition.Kind, extended: Bool) {
    var scene = AdvertiserScene([.twoPhases(kind)], extended: extended)
    scene.runCommands()
    scene.pass(.seconds(5))
    scene.airLost()
    if extended { scene.advertiser.terminated(handle: 0, by: .success) }
    scene.advertiser.connected()
    scene.runCommands()
    scene.pass(.seconds(60))
    #expect(!scene.set().isOn && scene.advertiser.activeSets == [])
    _ = scene.takeEvents()
    scene.advertiser.restartConnectable(at: scene.now)
    scene.runCommands()
    #expect(scene.takeEvents() == [first])
    #expect(scene.set().isOn)
  }

  @Test(
    "A set in its first phase stays on the air when a central leaves, and the phase restarts", arguments: families)
  func staysOnAir(kind: AdvertisingSetDefinition.Kind, extended: Bool) {
    var scene = AdvertiserScene([.twoPhases(kind)], extended: extended)
    scene.runCommands()
    scene.pass(.seconds(20))
    scene.controller.forgetLog()
    _ = scene.takeEvents()
    scene.advertiser.restartConnectable(at: scene.now)
    scene.runCommands()
    #expect(scene.controller.log == [] && scene.takeEvents() == [])
    #expect(scene.advertiser.nextDeadline == scene.now + .seconds(30))
    scene.pass(.seconds(30))
    #expect(scene.takeEvents() == [stopped, second])
    scene.advertiser.restartConnectable(at: scene.now)
    scene.runCommands()
    #expect(scene.takeEvents() == [stopped, first])
  }

  /// Core 5.4 Vol 4 Part E 7.7.65.18: the end of the set follows the connection, but not in every controller.
  @Test("A connection ends an extended set, whichever event comes first", arguments: both)
  func extendedConnection(connectionFirst: Bool) {
    var scene = AdvertiserScene([.twoPhases(.extended)], extended: true)
    scene.runCommands()
    _ = scene.takeEvents()
    scene.airLost()
    if connectionFirst {
      scene.advertiser.connected()
      scene.advertiser.setCapacity(false, at: scene.now)
      scene.advertiser.terminated(handle: 0, by: .success)
    } else {
      scene.advertiser.terminated(handle: 0, by: .success)
      scene.advertiser.connected()
      scene.advertiser.setCapacity(false, at: scene.now)
    }
    scene.runCommands()
    #expect(scene.controller.activeHandles.isEmpty)
    #expect(scene.takeEvents() == [stopped])
    #expect(scene.advertiser.isUpToDate)
    scene.advertiser.setCapacity(true, at: scene.now)
    scene.runCommands()
    #expect(scene.takeEvents() == [first])
    #expect(scene.set().isOn)
  }

  @Test(
    "A set that ends while it is being stopped is off once, whatever the answer",
    arguments: [
      ErrorCode.success, .commandDisallowed, .unknownAdvertisingIdentifier,
    ])
  func endsWhileStopped(status: ErrorCode) throws {
    for extended in [false, true] {
      var scene = AdvertiserScene([.twoPhases(.legacy)], extended: extended)
      scene.runCommands()
      _ = scene.takeEvents()
      scene.advertiser.setCapacity(false, at: scene.now)
      let command = try scene.nextCommand()
      scene.airLost()
      if extended { scene.advertiser.terminated(handle: 0, by: .success) } else { scene.advertiser.connected() }
      scene.answered(command, [status.rawValue])
      scene.runCommands()
      #expect(scene.takeEvents() == [stopped])
      #expect(scene.advertiser.isUpToDate)
      scene.advertiser.setCapacity(true, at: scene.now)
      scene.runCommands()
      #expect(scene.takeEvents() == [first])
    }
  }

  @Test("While more centrals may connect, the set continues at once, from its first phase", arguments: families)
  func moreCapacity(kind: AdvertisingSetDefinition.Kind, extended: Bool) {
    var scene = AdvertiserScene([.twoPhases(kind)], extended: extended)
    scene.runCommands()
    scene.pass(.seconds(35))
    _ = scene.takeEvents()
    scene.airLost()
    if extended { scene.advertiser.terminated(handle: 0, by: .success) }
    scene.advertiser.connected()
    scene.advertiser.setCapacity(true, at: scene.now)
    scene.runCommands()
    #expect(scene.takeEvents() == [stopped, first])
    #expect(scene.set().isOn)
    #expect(scene.advertiser.nextDeadline == scene.now + .seconds(30))
  }

  @Test("A set that is not connectable continues during a connection", arguments: families)
  func nonConnectable(kind: AdvertisingSetDefinition.Kind, extended: Bool) {
    var scene = AdvertiserScene([.twoPhases(kind, isConnectable: false)], extended: extended)
    scene.runCommands()
    scene.pass(.seconds(5))
    scene.advertiser.connected()
    scene.advertiser.setCapacity(false, at: scene.now)
    scene.runCommands()
    #expect(scene.set().isOn)
    scene.advertiser.setCapacity(true, at: scene.now)
    scene.runCommands()
    scene.pass(.seconds(25))
    #expect(scene.takeEvents() == [first, stopped, second])
  }

  @Test(
    "A set that the controller ended for another reason is off until something starts it",
    arguments: [
      ErrorCode.hardwareFailure, .memoryCapacityExceeded,
    ])
  func terminatedByController(status: ErrorCode) {
    var scene = AdvertiserScene([.twoPhases(.extended)], extended: true)
    scene.runCommands()
    scene.airLost()
    scene.advertiser.terminated(handle: 0, by: status)
    scene.advertiser.terminated(handle: 9, by: status)
    scene.runCommands()
    #expect(scene.takeEvents() == [first, stopped])
    #expect(scene.controller.activeHandles.isEmpty)
    #expect(scene.advertiser.isUpToDate)
    scene.want(true, set: "two")
    scene.runCommands()
    #expect(scene.takeEvents() == [first])
  }

  @Test(
    "A set that has reached a limit that was not requested is restarted",
    arguments: [
      ErrorCode.advertisingTimeout, .limitReached,
    ])
  func unaskedLimit(status: ErrorCode) {
    var scene = AdvertiserScene([.twoPhases(.extended)], extended: true)
    scene.runCommands()
    scene.airLost()
    scene.advertiser.terminated(handle: 0, by: status)
    scene.runCommands()
    #expect(scene.takeEvents() == [first, stopped, first])
  }

  @Test("Capacity that returns before any reaction does not stop the schedule")
  func capacityFlicker() {
    var scene = AdvertiserScene([.twoPhases(.extended)], extended: true)
    scene.runCommands()
    scene.pass(.seconds(10))
    scene.advertiser.setCapacity(false, at: scene.now)
    scene.advertiser.setCapacity(true, at: scene.now)
    scene.runCommands()
    scene.pass(.seconds(30))
    #expect(scene.set().interval.rawValue == 244)
  }
}
