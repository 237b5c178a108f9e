import BLECore
import BLEGAP
import BLEHCI
import Testing

/// The commands of an advertiser to its controller, and the conditions for giving up on a set.
@Suite("Advertiser")
struct AdvertiserTests {
  @Test("GAP/CONN/UCON/BV-01-C: a legacy controller gets parameters, data and scan response, and starts")
  func legacy() {
    var scene = AdvertiserScene(
      [.init(id: "main", data: [2, 1, 6], scanResponse: [2, 9, 65], schedule: [.init(interval: .milliseconds(100))])],
      extended: false)
    #expect(!scene.advertiser.isUpToDate)
    scene.runCommands()
    #expect(
      scene.controller.log == [
        .leSetAdvertisingParameters, .leReadAdvertisingPhysicalChannelTxPower, .leSetAdvertisingData,
        .leSetScanResponseData, .leSetAdvertisingEnable,
      ])
    let set = scene.set()
    #expect(set.isOn)
    #expect(set.type == .connectableScannable)
    #expect(set.interval.rawValue == 160)
    #expect(set.ownAddressType == .random)
    #expect(set.data == [2, 1, 6])
    #expect(set.response == [2, 9, 65])
    #expect(scene.takeEvents() == [.started(set: "main", interval: .milliseconds(100))])
    #expect(scene.advertiser.isUpToDate)
    #expect(scene.advertiser.activeSets == ["main"])
    #expect(scene.advertiser.nextDeadline == nil)
  }

  @Test(
    "Legacy types",
    arguments: [
      (true, true, AdvertisingType.connectableScannable), (true, false, .connectableScannable),
      (false, true, .scannable), (false, false, .nonConnectable),
    ])
  func legacyTypes(isConnectable: Bool, isScannable: Bool, type: AdvertisingType) {
    var scene = AdvertiserScene(
      [.init(id: "main", isConnectable: isConnectable, isScannable: isScannable, data: [])], extended: false)
    scene.runCommands()
    #expect(scene.set().type == type)
    #expect(scene.controller.log.contains(.leSetScanResponseData) == isScannable)
  }

  @Test(
    "GAP/CONN/UCON/BV-01-C: a controller with extended advertising gets parameters, address and data, and starts")
  func extended() {
    var scene = AdvertiserScene(
      [
        .init(
          id: "main", kind: .extended, data: [2, 1, 6], schedule: [.init(interval: .milliseconds(100))],
          secondaryPHY: .leCoded, transmitPower: -8)
      ], extended: true)
    scene.runCommands()
    #expect(
      scene.controller.log == [
        .leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingData,
        .leSetExtendedAdvertisingEnable,
      ])
    let set = scene.set()
    #expect(set.isOn)
    #expect(set.properties == [.connectable])
    #expect(set.interval.rawValue == 160)
    #expect(set.address == AdvertiserScene.address)
    #expect(set.secondaryPHY == .leCoded)
    #expect(set.wantedPower == -8)
    #expect(set.data == [2, 1, 6])
    #expect(scene.takeEvents() == [.started(set: "main", interval: .milliseconds(100))])
  }

  @Test("A public address is not sent, and without a requested power the controller selects it")
  func publicAddress() {
    var scene = AdvertiserScene(
      [.init(id: "main", kind: .extended, data: [2, 1, 6])], extended: true, addressType: .publicDevice)
    scene.runCommands()
    #expect(!scene.controller.log.contains(.leSetAdvertisingSetRandomAddress))
    #expect(scene.set().isOn)
    #expect(scene.set().wantedPower == 127)
  }

  @Test(
    "Legacy PDUs are a property of a set with the extended commands",
    arguments: [
      (true, true, AdvertisingEventProperties.legacyConnectableScannable), (false, true, .legacyScannable),
      (false, false, .legacyNonConnectable),
    ])
  func legacyPDUs(isConnectable: Bool, isScannable: Bool, properties: AdvertisingEventProperties) {
    var scene = AdvertiserScene(
      [
        .init(
          id: "main", kind: .legacy, isConnectable: isConnectable, isScannable: isScannable, data: [2, 1, 6],
          scanResponse: [2, 9, 65])
      ], extended: true)
    scene.runCommands()
    let set = scene.set()
    #expect(set.isOn)
    #expect(set.properties == properties)
    #expect(set.secondaryPHY == .le1M)
    #expect(set.data == [2, 1, 6])
    #expect(set.response == (isScannable ? [2, 9, 65] : []))
  }

  @Test("A scannable set of extended PDUs has its data in the scan response")
  func extendedScannable() {
    let response = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    var scene = AdvertiserScene(
      [.init(id: "main", kind: .extended, isConnectable: false, isScannable: true, data: [], scanResponse: response)],
      extended: true)
    scene.runCommands()
    #expect(scene.set().isOn)
    #expect(scene.set().properties == [.scannable])
    #expect(scene.set().response == response)
    #expect(scene.controller.fragments.map(\.count) == [251, 49])
  }

  /// The unit is 0.625 ms in both families (Core 5.4 Vol 4 Part E 7.8.5 and 7.8.53).
  @Test(
    "Intervals have one unit, legacy or extended",
    arguments: [
      (Duration.milliseconds(20), 32 as UInt32), (.microseconds(152_500), 244), (.milliseconds(1022), 1635),
      (.milliseconds(1285), 2056), (.milliseconds(10_240), 16_384),
    ])
  func intervals(interval: Duration, units: UInt32) {
    for (kind, usesExtended) in [
      (AdvertisingSetDefinition.Kind.legacy, false), (.legacy, true), (.extended, true),
    ] {
      var scene = AdvertiserScene(
        [.init(id: "main", kind: kind, data: [], schedule: [.init(interval: interval)])], extended: usesExtended)
      scene.runCommands()
      #expect(scene.set().interval.rawValue == units)
    }
  }

  @Test(
    "Data of any length is sent whole to the controller, in fragments of at most 251 octets",
    arguments: [
      (0, []), (1, [1]), (31, [31]), (32, [32]), (124, [124]), (125, [125]), (191, [191]), (251, [251]),
      (252, [251, 1]),
      (502, [251, 251]), (503, [251, 251, 1]), (600, [251, 251, 98]), (1650, [251, 251, 251, 251, 251, 251, 144]),
    ] as [(Int, [Int])])
  func fragments(length: Int, pieces: [Int]) {
    let data = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var scene = AdvertiserScene([.init(id: "main", kind: .extended, data: data)], extended: true)
    scene.runCommands()
    #expect(scene.set().data == data)
    #expect(scene.set().isOn)
    #expect(scene.controller.fragments.map(\.count) == pieces)
    let operations = scene.controller.fragments.map(\.operation)
    if pieces.count == 1 { #expect(operations == [.complete]) }
    if pieces.count > 1 {
      #expect(operations.first == .first)
      #expect(operations.last == .last)
      #expect(operations.dropFirst().dropLast().allSatisfy { $0 == .intermediate })
    }
  }

  // MARK: - What a controller cannot carry

  private func reason(_ scene: inout AdvertiserScene) -> String? {
    for event in scene.takeEvents() { if case .unavailable(_, let reason) = event { return reason } }
    return nil
  }

  @Test("Legacy data has at most 31 octets", arguments: [(31, true), (32, false)])
  func legacyLimit(length: Int, fits: Bool) {
    let data = [UInt8](repeating: 0, count: length)
    for (definition, usesExtended) in [
      (AdvertisingSetDefinition(id: "main", data: data), false), (.init(id: "main", data: data), true),
      (.init(id: "main", data: [], scanResponse: data), false), (.init(id: "main", data: [], scanResponse: data), true),
    ] {
      var scene = AdvertiserScene([definition], extended: usesExtended)
      #expect(scene.advertiser.availableSets == (fits ? ["main"] : []))
      #expect((reason(&scene) == nil) == fits)
      scene.runCommands()
      #expect(scene.controller.activeHandles.isEmpty == !fits)
    }
  }

  @Test("Extended data has as many octets as the controller supports", arguments: [31, 191, 251, 1650])
  func extendedLimit(limit: Int) {
    for (length, fits) in [(limit, true), (limit + 1, false)] {
      var scene = AdvertiserScene(
        [.init(id: "main", kind: .extended, data: [UInt8](repeating: 0, count: length))], extended: true,
        maximumDataLength: limit)
      #expect((reason(&scene) == nil) == fits)
    }
  }

  @Test("An extended set needs extended advertising; the others still work")
  func noExtended() {
    var scene = AdvertiserScene(
      [.init(id: "far", kind: .extended, data: []), .init(id: "near", data: [])], extended: false, setCount: 1)
    guard case .unavailable(set: "far", _)? = scene.takeEvents().first else {
      Issue.record("nothing said")
      return
    }
    #expect(scene.advertiser.availableSets == ["near"])
    scene.runCommands()
    #expect(scene.advertiser.activeSets == ["near"])
  }

  @Test("Sets beyond the controller's number are unavailable, and the first ones run")
  func tooManySets() {
    let sets = (0..<4).map { AdvertisingSetDefinition(id: "\($0)", kind: .extended, data: [UInt8($0)]) }
    var scene = AdvertiserScene(sets, extended: true, setCount: 3)
    #expect(scene.takeEvents().count == 1)
    scene.runCommands()
    #expect(scene.advertiser.activeSets == ["0", "1", "2"])
    #expect(scene.controller.activeHandles == [0, 1, 2])
    for handle in [0, 1, 2] as [UInt8] {
      #expect(scene.set(handle).data == [handle])
      #expect(scene.set(handle).sid == handle)
    }
  }

  // MARK: - Transmit power (Core Specification Supplement Part A 1.5)

  @Test(
    "The power that the controller selected is in the data, at the place of its structure",
    arguments: [
      ([2, 0x0A, 0], [2, 0x0A, 0xFC]), ([2, 1, 6, 2, 0x0A, 0], [2, 1, 6, 2, 0x0A, 0xFC]),
      ([2, 1, 0x0A], [2, 1, 0x0A]), ([4, 9, 2, 0x0A, 0], [4, 9, 2, 0x0A, 0]), ([3, 0x0A, 0, 0], [3, 0x0A, 0, 0]),
      ([2, 0x0A], [2, 0x0A]), ([2], [2]), ([0, 2, 0x0A, 0], [0, 2, 0x0A, 0]), ([9, 1, 2, 0x0A], [9, 1, 2, 0x0A]),
      ([], []),
    ] as [([UInt8], [UInt8])])
  func transmitPower(data: [UInt8], sent: [UInt8]) {
    for (kind, usesExtended) in [
      (AdvertisingSetDefinition.Kind.legacy, false), (.legacy, true), (.extended, true),
    ] {
      var scene = AdvertiserScene([.init(id: "main", kind: kind, data: data)], extended: usesExtended, power: -4)
      scene.runCommands()
      #expect(scene.set().data == sent)
    }
  }
}
