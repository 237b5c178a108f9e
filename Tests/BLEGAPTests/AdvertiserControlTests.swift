import BLECore
import BLEGAP
import BLEHCI
import Testing

/// Starting and stopping by name, refusals, and random sequences.
@Suite("Advertiser under control")
struct AdvertiserControlTests {
  private let first = AdvertisingEvent.started(set: "two", interval: .milliseconds(20))
  private let stopped = AdvertisingEvent.stopped(set: "two")

  @Test("A set is stopped and started by its name", arguments: [false, true])
  func byName(extended: Bool) {
    var scene = AdvertiserScene([.twoPhases(.legacy)], extended: extended)
    scene.runCommands()
    scene.want(false, set: "two")
    scene.runCommands()
    #expect(!scene.set().isOn)
    scene.advertiser.setCapacity(false, at: scene.now)
    scene.advertiser.setCapacity(true, at: scene.now)
    scene.runCommands()
    #expect(scene.takeEvents() == [first, stopped])
    scene.want(true, set: "two")
    scene.runCommands()
    #expect(scene.takeEvents() == [first])
    #expect(scene.advertiser.nextDeadline == scene.now + .seconds(30))
    let isKnown = scene.advertiser.setWanted(true, set: "nobody", at: scene.now)
    #expect(!isKnown)
  }

  @Test(
    "A set with a maximum of events is off when the controller ends it, and gets the maximum again when started"
  )
  func maximumOfEvents() {
    var definition = AdvertisingSetDefinition(
      id: "two", kind: .extended, isConnectable: false, data: [2, 1, 6], schedule: [.init(interval: .milliseconds(20))])
    definition.maximumEvents = 7
    var scene = AdvertiserScene([definition], extended: true)
    scene.runCommands()
    #expect(scene.set().isOn && scene.controller.maximumEvents == 7)
    scene.controller.sets[0]?.isOn = false
    scene.advertiser.terminated(handle: 0, by: .limitReached, events: 7)
    scene.runCommands()
    #expect(!scene.set().isOn)
    #expect(scene.takeEvents() == [first, .limitReached(set: "two", events: 7), stopped])
    scene.want(true, set: "two")
    scene.runCommands()
    #expect(scene.set().isOn && scene.controller.maximumEvents == 7)
    // Taking it off the air does not involve the maximum.
    scene.want(false, set: "two")
    scene.runCommands()
    #expect(!scene.set().isOn && scene.controller.maximumEvents == 0)
  }

  @Test("A set that does not start automatically waits for its name")
  func waits() {
    var definition = AdvertisingSetDefinition.twoPhases(.extended)
    definition.startsAutomatically = false
    var scene = AdvertiserScene([definition], extended: true)
    scene.runCommands()
    #expect(scene.controller.log == [])
    #expect(scene.advertiser.isUpToDate)
    scene.want(true, set: "two")
    scene.runCommands()
    #expect(scene.set().isOn)
  }

  @Test("Starting a set that is on restarts its schedule, in any phase", arguments: [10, 35])
  func startAgain(after seconds: Int) {
    var scene = AdvertiserScene([.twoPhases(.extended)], extended: true)
    scene.runCommands()
    scene.pass(.seconds(seconds))
    scene.want(true, set: "two")
    scene.runCommands()
    #expect(scene.set().isOn)
    #expect(scene.set().interval.rawValue == 32)
    #expect(scene.advertiser.nextDeadline == scene.now + .seconds(30))
    scene.pass(.seconds(30))
    #expect(scene.set().interval.rawValue == 244)
  }

  /// Every command on the way to the second phase: stop, parameters, start.
  @Test("A set that is restarted while a command is pending has the interval that it reports", arguments: 0..<3)
  func startAgainMeanwhile(commands: Int) throws {
    for extended in [false, true] {
      var scene = AdvertiserScene([.twoPhases(.legacy)], extended: extended)
      scene.runCommands()
      scene.now += .seconds(30)
      scene.advertiser.advance(to: scene.now)
      let enough = scene.controller.log.count + commands
      scene.runCommands { $0.log.count == enough }
      _ = scene.takeEvents()
      let command = try scene.nextCommand()
      let answer = scene.controller.execute(command)
      scene.want(true, set: "two")
      scene.answered(command, answer)
      for case .started(_, let interval) in scene.takeEvents() {
        #expect(AdvertisingInterval(rounding: interval) == scene.set().interval)
      }
      scene.runCommands()
      #expect(scene.takeEvents().last == first)
      #expect(scene.set().interval.rawValue == 32)
      #expect(scene.advertiser.nextDeadline == scene.now + .seconds(30))
    }
  }

  @Test("A schedule that has ended can be restarted by name")
  func startAfterEnd() {
    var scene = AdvertiserScene([.twoPhases(.legacy)], extended: false)
    scene.runCommands()
    scene.pass(.seconds(100))
    _ = scene.takeEvents()
    scene.want(true, set: "two")
    scene.runCommands()
    #expect(scene.takeEvents() == [first])
  }

  @Test("Stopping during a start takes the set off the air again")
  func stopWhileStarting() throws {
    var scene = AdvertiserScene([.twoPhases(.legacy)], extended: true)
    scene.runCommands { $0.log.last == .leSetExtendedAdvertisingData }
    let enable = try scene.nextCommand()
    let answer = scene.controller.execute(enable)
    scene.want(false, set: "two")
    scene.answered(enable, answer)
    scene.runCommands()
    #expect(!scene.set().isOn)
    #expect(scene.advertiser.isUpToDate)
    #expect(scene.takeEvents() == [first, stopped])
  }

  @Test("All sets stop permanently", arguments: [false, true])
  func stopAll(extended: Bool) {
    var scene = AdvertiserScene(
      [.init(id: "one", data: []), .init(id: "two", isConnectable: false, data: [])], extended: extended,
      setCount: extended ? 2 : 1)
    scene.runCommands()
    scene.advertiser.stopAll()
    #expect(!scene.advertiser.isUpToDate)
    scene.runCommands()
    scene.advertiser.setCapacity(false, at: scene.now)
    scene.advertiser.setCapacity(true, at: scene.now)
    scene.runCommands()
    #expect(scene.controller.activeHandles.isEmpty)
    #expect(scene.advertiser.isUpToDate)
    #expect(scene.advertiser.activeSets == [])
  }

  // MARK: - Refusals

  private static let legacyCommands: [CommandOpcode] = [
    .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
  ]
  private static let extendedCommands: [CommandOpcode] = [
    .leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingData,
    .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
  ]

  @Test(
    "A refused command is reported, and the set is off until it is started by name",
    arguments: legacyCommands + extendedCommands)
  func refused(opcode: CommandOpcode) {
    let definition = AdvertisingSetDefinition(id: "main", data: [2, 1, 6], scanResponse: [2, 9, 65])
    var scene = AdvertiserScene([definition], extended: Self.extendedCommands.contains(opcode))
    scene.controller.refusals = [(opcode, .memoryCapacityExceeded)]
    scene.runCommands()
    #expect(scene.takeEvents() == [.refused(set: "main", opcode, .memoryCapacityExceeded)])
    #expect(scene.controller.activeHandles.isEmpty)
    #expect(scene.advertiser.isUpToDate)
    #expect(scene.controller.log.last == opcode)
    scene.want(true, set: "main")
    scene.runCommands()
    #expect(scene.set().isOn)
    #expect(scene.set().data == [2, 1, 6])
    #expect(scene.set().response == [2, 9, 65])
    #expect(scene.takeEvents() == [.started(set: "main", interval: .milliseconds(100))])
  }

  @Test(
    "If the controller has no room for another connection, the command is retried, and reported once",
    arguments: [ErrorCode.memoryCapacityExceeded, .connectionLimitExceeded])
  func noRoom(status: ErrorCode) {
    let opcode = CommandOpcode.leSetExtendedAdvertisingEnable
    var scene = AdvertiserScene([.init(id: "main", kind: .extended, data: [1])], extended: true)
    for attempt in 0..<3 {
      scene.controller.refusals = [(opcode, status)]
      if attempt > 0 {
        #expect(scene.advertiser.nextDeadline == scene.now + .seconds(1) && scene.advertiser.triesAgain(set: "main"))
        scene.pass(.seconds(1))
      }
      scene.runCommands()
      #expect(scene.takeEvents() == (attempt == 0 ? [.refused(set: "main", opcode, status)] : []))
      #expect(scene.advertiser.isUpToDate && scene.controller.activeHandles.isEmpty)
    }
    scene.controller.refusals = []
    scene.pass(.seconds(1))
    #expect(scene.advertiser.activeSets == ["main"] && scene.advertiser.nextDeadline == nil)
    // A set that is not connectable is not refused for lack of room.
    var beacon = AdvertiserScene(
      [.init(id: "beacon", kind: .extended, isConnectable: false, data: [1])], extended: true)
    beacon.controller.refusals = [(opcode, status)]
    beacon.runCommands()
    #expect(beacon.advertiser.nextDeadline == nil && !beacon.advertiser.triesAgain(set: "beacon"))
  }

  @Test("Data that is refused midway is sent from the beginning", arguments: [1, 2, 3])
  func refusedFragment(number: Int) {
    let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
    for isResponse in [false, true] {
      let opcode: CommandOpcode = isResponse ? .leSetExtendedScanResponseData : .leSetExtendedAdvertisingData
      var scene = AdvertiserScene(
        [
          .init(
            id: "main", kind: .extended, isConnectable: false, isScannable: isResponse, data: isResponse ? [] : data,
            scanResponse: isResponse ? data : [])
        ], extended: true)
      scene.runCommands { $0.fragments.count == number - 1 }
      scene.controller.refusals = [(opcode, .memoryCapacityExceeded)]
      scene.runCommands()
      #expect(scene.takeEvents() == [.refused(set: "main", opcode, .memoryCapacityExceeded)])
      scene.controller.forgetLog()
      scene.want(true, set: "main")
      scene.runCommands()
      #expect(scene.controller.fragments.map(\.count) == [251, 251, 98])
      #expect((isResponse ? scene.set().response : scene.set().data) == data)
      #expect(scene.set().isOn)
    }
  }

  @Test("A refused set does not keep the others off the air")
  func refusedAlone() {
    var scene = AdvertiserScene(
      [.init(id: "one", kind: .extended, data: [1]), .init(id: "two", kind: .extended, data: [2])], extended: true)
    scene.controller.refusals = [(.leSetExtendedAdvertisingData, .packetTooLong)]
    scene.runCommands()
    #expect(scene.advertiser.activeSets == ["two"])
    #expect(scene.controller.activeHandles == [1])
  }

  @Test("A set that the controller will not stop counts as stopped")
  func refusedStop() {
    var scene = AdvertiserScene([.twoPhases(.extended)], extended: true)
    scene.runCommands()
    scene.controller.refusals = [(.leSetExtendedAdvertisingEnable, .commandDisallowed)]
    scene.want(false, set: "two")
    scene.runCommands()
    #expect(scene.takeEvents() == [first, stopped])
    #expect(scene.advertiser.isUpToDate)
  }

  @Test("A disconnection gives a refused set another chance")
  func refusedUntilDisconnection() {
    var scene = AdvertiserScene([.twoPhases(.legacy)], extended: false)
    scene.controller.refusals = [(.leSetAdvertisingEnable, .connectionLimitExceeded)]
    scene.runCommands()
    scene.advertiser.setCapacity(false, at: scene.now)
    scene.advertiser.setCapacity(true, at: scene.now)
    scene.runCommands()
    #expect(scene.set().isOn)
  }

  @Test("An answer without a status is a refusal")
  func emptyAnswer() throws {
    var scene = AdvertiserScene([.twoPhases(.legacy)], extended: true)
    let nothing: [UInt8] = []
    let command = try scene.nextCommand()
    scene.answered(command, nothing)
    #expect(scene.takeEvents() == [.refused(set: "two", .leSetExtendedAdvertisingParameters, .unspecifiedError)])
  }

  // MARK: - Random histories

  @Test("After any sequence, the right sets are on the air", arguments: 0..<60 as Range<UInt64>)
  func history(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let extended = below(3) > 0
    let definitions = (0..<(extended ? 3 : 1)).map { number in
      AdvertisingSetDefinition(
        id: "\(number)", kind: extended && below(2) == 0 ? .extended : .legacy, isConnectable: below(3) > 0,
        isScannable: false, data: [UInt8](repeating: UInt8(number), count: 1 + below(31)),
        schedule: [.init(interval: .milliseconds(20), duration: .seconds(1 + below(9))), .init(interval: .seconds(1))])
    }
    var scene = AdvertiserScene(definitions, extended: extended)
    var wanted = Dictionary(uniqueKeysWithValues: definitions.map { ($0.id, true) })
    // A command that the controller has carried out, with its answer still pending.
    var underWay: (command: any HCICommand, answer: [UInt8])?
    for _ in 0..<300 {
      switch below(7) {
      case 0:
        let id = definitions[below(definitions.count)].id
        let isWanted = below(2) == 0
        wanted[id] = isWanted
        scene.want(isWanted, set: id)
      case 1: scene.advertiser.setCapacity(below(2) == 0, at: scene.now)
      case 2:
        guard underWay == nil, let handle = scene.controller.activeHandles.min(),
          definitions[Int(handle)].isConnectable
        else { break }
        scene.airLost(handle)
        if extended { scene.advertiser.terminated(handle: handle, by: .success) }
        scene.advertiser.connected()
        scene.advertiser.setCapacity(below(2) == 0, at: scene.now)
      case 3:
        guard underWay == nil, let command = scene.takeCommand() else { break }
        underWay = (command, scene.controller.execute(command))
      case 4:
        guard let (command, answer) = underWay else { break }
        underWay = nil
        scene.answered(command, answer)
      case 5: if underWay == nil { scene.runCommands() }
      default: scene.pass(.seconds(below(5)))
      }
    }
    if let (command, answer) = underWay { scene.answered(command, answer) }
    scene.runCommands()
    #expect(scene.advertiser.isUpToDate)
    let hasCapacity = scene.advertiser.hasCapacity
    let expected = definitions.filter { wanted[$0.id] == true && (hasCapacity || !$0.isConnectable) }.map(\.id)
    #expect(scene.advertiser.activeSets == expected)
    #expect(scene.controller.activeHandles == Set(expected.compactMap { UInt8($0) }))
    // No schedule gets stuck: every set reaches its second phase.
    scene.pass(.seconds(10))
    for handle in scene.controller.activeHandles { #expect(scene.set(handle).interval.duration == .seconds(1)) }
  }
}
