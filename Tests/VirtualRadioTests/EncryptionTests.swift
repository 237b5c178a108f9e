import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Encryption of links", .serialized)
struct EncryptionTests {
  static let timings: [AirConfiguration.Timing] = [.linkLayer, .immediate]
  static let longTermKey = [UInt8](0x10...0x1F)

  private func connected(
    _ timing: AirConfiguration.Timing = .linkLayer, central: ControllerConfiguration = .full,
    peripheral: ControllerConfiguration = .full, latency: UInt16 = 0
  ) throws -> (Stage, Pair) {
    let stage = Stage(timing: timing)
    let pair = try stage.connected(central: central, peripheral: peripheral, latency: latency)
    for host in [pair.central, pair.peripheral] {
      try host.status(HCISetEventMaskPage2 { $0.eventMask = [.authenticatedPayloadTimeoutExpired] })
    }
    return (stage, pair)
  }

  private func enable(_ pair: Pair, key: [UInt8] = longTermKey) throws -> ErrorCode {
    try pair.central.begin(
      LEEnableEncryption {
        $0.connectionHandle.rawValue = pair.atCentral
        $0.random = 0x1122_3344_5566_7788
        $0.encryptedDiversifier = 0x99AA
        $0.longTermKey = key
      })
  }

  private func reply(_ pair: Pair, key: [UInt8] = longTermKey) throws -> ErrorCode {
    try pair.peripheral.status(
      LELongTermKeyRequestReply {
        $0.connectionHandle.rawValue = pair.atPeripheral
        $0.longTermKey = key
      })
  }

  private func refuse(_ pair: Pair) throws -> ErrorCode {
    try pair.peripheral.status(
      LELongTermKeyRequestNegativeReply { $0.connectionHandle.rawValue = pair.atPeripheral })
  }

  /// Encrypts the link, or changes its key.
  private func encrypt(_ stage: Stage, _ pair: Pair, key: [UInt8] = longTermKey) throws {
    let asked = pair.peripheral.all(LELongTermKeyRequest.self).count
    try #require(try enable(pair, key: key) == .success)
    try #require(stage.run { pair.peripheral.all(LELongTermKeyRequest.self).count > asked })
    try #require(try reply(pair, key: key) == .success)
    stage.run(.milliseconds(500))
    try #require(stage.air.links.values.allSatisfy { $0.isEncrypted })
  }

  @Test("both hosts learn that the link is encrypted, and data continues", arguments: timings)
  func start(timing: AirConfiguration.Timing) throws {
    let (stage, pair) = try connected(timing)
    #expect(try enable(pair) == .success)
    stage.run(.milliseconds(500))
    let request = try #require(pair.peripheral.all(LELongTermKeyRequest.self).first)
    #expect(request.connectionHandle.rawValue == pair.atPeripheral)
    #expect(request.random == 0x1122_3344_5566_7788)
    #expect(request.encryptedDiversifier == 0x99AA)
    let link = try #require(stage.air.links.values.first)
    #expect(!link.isEncrypted)
    #expect(try reply(pair) == .success)
    stage.run(.milliseconds(500))
    #expect(link.isEncrypted)
    #expect(link.central.encryption.transmitKey == link.peripheral.encryption.receiveKey)
    for (host, handle) in [(pair.central, pair.atCentral), (pair.peripheral, pair.atPeripheral)] {
      let changes = host.all(HCIEncryptionChange.self)
      #expect(changes.map(\.status) == [.success])
      #expect(changes.map(\.encryption) == [.on])
      #expect(changes.map(\.connectionHandle.rawValue) == [handle])
      #expect(host.all(HCIEncryptionKeyRefreshComplete.self).isEmpty)
    }
    pair.central.sendData(pair.atCentral, [1, 2])
    pair.peripheral.sendData(pair.atPeripheral, [3])
    stage.run(.milliseconds(500))
    #expect(pair.peripheral.data.map(\.octets) == [[1, 2]])
    #expect(pair.central.data.map(\.octets) == [[3]])
  }

  @Test("data waits while encryption starts, and none is lost or reordered", arguments: timings, [0, 3] as [UInt16])
  func holdsData(timing: AirConfiguration.Timing, latency: UInt16) throws {
    let (stage, pair) = try connected(timing, latency: latency)
    pair.central.sendData(pair.atCentral, [0])
    pair.peripheral.sendData(pair.atPeripheral, [0])
    #expect(try enable(pair) == .success)
    for number in UInt8(1)...3 {
      pair.central.sendData(pair.atCentral, [number])
      pair.peripheral.sendData(pair.atPeripheral, [number])
    }
    stage.run(.seconds(3))
    let before = pair.peripheral.data.count
    #expect(before < 4)
    stage.run(.seconds(3))
    #expect(pair.peripheral.data.count == before)
    #expect(pair.central.data.count < 4)
    #expect(try reply(pair) == .success)
    stage.run(.seconds(3))
    for host in [pair.central, pair.peripheral] { #expect(host.data.map(\.octets) == [[0], [1], [2], [3]]) }
    #expect(pair.central.completed(pair.atCentral) == 4)
    #expect(pair.peripheral.completed(pair.atPeripheral) == 4)
    for host in [pair.central, pair.peripheral] { #expect(host.all(HCIEncryptionChange.self).count == 1) }
  }

  @Test("lost packets do not affect the keys", arguments: UInt64(0)..<8)
  func losses(seed: UInt64) throws {
    let stage = Stage(seed: seed)
    let pair = try stage.connected(timeout: 3200)
    stage.air.setPacketLoss(from: pair.central.id, to: pair.peripheral.id, fraction: 0.4)
    stage.air.setPacketLoss(from: pair.peripheral.id, to: pair.central.id, fraction: 0.4)
    for round in UInt8(0)..<4 {
      pair.central.sendData(pair.atCentral, [round, 1])
      pair.peripheral.sendData(pair.atPeripheral, [round, 1])
      #expect(try enable(pair) == .success)
      pair.central.sendData(pair.atCentral, [round, 2])
      pair.peripheral.sendData(pair.atPeripheral, [round, 2])
      #expect(stage.run { pair.peripheral.all(LELongTermKeyRequest.self).count == Int(round) + 1 })
      #expect(try reply(pair) == .success)
      stage.run(.seconds(5))
    }
    let sent: [[UInt8]] = (UInt8(0)..<4).flatMap { round in [[round, 1], [round, 2]] }
    for host in [pair.central, pair.peripheral] {
      #expect(host.data.map(\.octets) == sent)
      #expect(host.all(HCIEncryptionChange.self).count == 1)
      #expect(host.all(HCIEncryptionKeyRefreshComplete.self).count == 3)
      #expect(host.all(HCIDisconnectionComplete.self).isEmpty)
    }
  }

  @Test("the key of an encrypted link is refreshed with a pause", arguments: timings)
  func refresh(timing: AirConfiguration.Timing) throws {
    let (stage, pair) = try connected(timing)
    try encrypt(stage, pair)
    let link = try #require(stage.air.links.values.first)
    let first = link.central.encryption.transmitKey
    #expect(try enable(pair, key: Array(repeating: 7, count: 16)) == .success)
    pair.peripheral.sendData(pair.atPeripheral, [5])
    pair.central.sendData(pair.atCentral, [6])
    stage.run(.milliseconds(500))
    #expect(!link.isEncrypted)
    #expect(try reply(pair, key: Array(repeating: 7, count: 16)) == .success)
    stage.run(.milliseconds(500))
    #expect(link.isEncrypted)
    #expect(link.central.encryption.transmitKey != first)
    for host in [pair.central, pair.peripheral] {
      #expect(host.all(HCIEncryptionChange.self).count == 1)
      #expect(host.all(HCIEncryptionKeyRefreshComplete.self).map(\.status) == [.success])
    }
    #expect(pair.central.data.map(\.octets) == [[5]])
    #expect(pair.peripheral.data.map(\.octets) == [[6]])
  }

  @Test("a missing key is reported to the central, and the link stays unencrypted", arguments: timings, [true, false])
  func missingKey(timing: AirConfiguration.Timing, isMasked: Bool) throws {
    let (stage, pair) = try connected(timing)
    if isMasked {
      try pair.peripheral.status(
        LESetEventMask { $0.eventMask = LEEventMask(rawValue: .max).subtracting(.longTermKeyRequest) })
    }
    #expect(try enable(pair) == .success)
    pair.central.sendData(pair.atCentral, [1])
    stage.run(.milliseconds(500))
    #expect(pair.peripheral.all(LELongTermKeyRequest.self).isEmpty == isMasked)
    if !isMasked { #expect(try refuse(pair) == .success) }
    stage.run(.milliseconds(500))
    let change = try #require(pair.central.all(HCIEncryptionChange.self).first)
    #expect(change.status == .pinOrKeyMissing)
    #expect(change.encryption == .off)
    #expect(pair.peripheral.all(HCIEncryptionChange.self).isEmpty)
    #expect(pair.peripheral.data.map(\.octets) == [[1]])
    #expect(stage.air.links.values.allSatisfy { !$0.isEncrypted })
    // A second attempt succeeds.
    try pair.peripheral.status(LESetEventMask { $0.eventMask = LEEventMask(rawValue: .max) })
    try encrypt(stage, pair)
  }

  @Test("an encrypted link ends if the key is missing at a refresh", arguments: timings)
  func missingKeyAtRefresh(timing: AirConfiguration.Timing) throws {
    let (stage, pair) = try connected(timing)
    try encrypt(stage, pair)
    #expect(try enable(pair) == .success)
    stage.run(.milliseconds(500))
    #expect(try refuse(pair) == .success)
    stage.run(.milliseconds(500))
    #expect(pair.central.all(HCIDisconnectionComplete.self).map(\.reason) == [.pinOrKeyMissing])
    #expect(pair.peripheral.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTerminatedByLocalHost])
  }

  @Test("different keys end the link on both sides with a MIC failure", arguments: timings, [true, false])
  func differentKeys(timing: AirConfiguration.Timing, isRefresh: Bool) throws {
    let (stage, pair) = try connected(timing)
    if isRefresh { try encrypt(stage, pair) }
    #expect(try enable(pair) == .success)
    stage.run(.milliseconds(500))
    #expect(try reply(pair, key: Array(repeating: 0, count: 16)) == .success)
    stage.run(.milliseconds(500))
    for host in [pair.central, pair.peripheral] {
      #expect(host.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTerminatedDueToMICFailure])
      #expect(host.all(HCIEncryptionChange.self).count == (isRefresh ? 1 : 0))
      #expect(host.all(HCIEncryptionKeyRefreshComplete.self).isEmpty)
    }
    #expect(stage.air.links.isEmpty)
  }

  @Test("a peripheral without encryption refuses", arguments: timings, [true, false])
  func unsupported(timing: AirConfiguration.Timing, knowsFeatures: Bool) throws {
    var plain = ControllerConfiguration.full
    plain.features.remove(.encryption)
    let (stage, pair) = try connected(timing, peripheral: plain)
    if knowsFeatures {
      try pair.central.begin(LEReadRemoteFeatures { $0.connectionHandle.rawValue = pair.atCentral })
      stage.run(.milliseconds(500))
    }
    #expect(try enable(pair) == .success)
    pair.central.sendData(pair.atCentral, [1])
    stage.run(.milliseconds(500))
    #expect(pair.central.all(HCIEncryptionChange.self).map(\.status) == [.unsupportedRemoteFeature])
    #expect(pair.peripheral.all(LELongTermKeyRequest.self).isEmpty)
    #expect(pair.peripheral.data.map(\.octets) == [[1]])
  }

  @Test("version 2 of the event replaces version 1 if the host wants it")
  func secondVersion() throws {
    let (stage, pair) = try connected()
    try pair.central.status(HCISetEventMaskPage2 { $0.eventMask = [.encryptionChangeV2] })
    try encrypt(stage, pair)
    let change = try #require(pair.central.all(HCIEncryptionChangeV2.self).first)
    #expect(change.status == .success && change.encryption == .on && change.keySize == 16)
    #expect(pair.central.all(HCIEncryptionChange.self).isEmpty)
    #expect(pair.peripheral.all(HCIEncryptionChangeV2.self).isEmpty)
    #expect(pair.peripheral.all(HCIEncryptionChange.self).count == 1)
  }

  @Test("masked events are not sent")
  func masked() throws {
    let (stage, pair) = try connected()
    try pair.central.status(
      HCISetEventMask {
        $0.eventMask = EventMask(rawValue: .max).subtracting([.encryptionChange, .encryptionKeyRefreshComplete])
      })
    for _ in 0..<2 { try encrypt(stage, pair) }
    #expect(pair.central.all(HCIEncryptionChange.self).isEmpty)
    #expect(pair.central.all(HCIEncryptionKeyRefreshComplete.self).isEmpty)
    #expect(pair.peripheral.all(HCIEncryptionKeyRefreshComplete.self).count == 1)
  }

  @Test("commands of the wrong role, at the wrong time, or without a connection")
  func wrongState() throws {
    let (stage, pair) = try connected()
    let atPeripheral = LEEnableEncryption { $0.connectionHandle.rawValue = pair.atPeripheral }
    #expect(try pair.peripheral.begin(atPeripheral) == .commandDisallowed)
    #expect(
      try pair.central.begin(LEEnableEncryption { $0.connectionHandle.rawValue = 0x33 }) == .unknownConnectionIdentifier
    )
    #expect(try reply(pair) == .commandDisallowed)
    #expect(try refuse(pair) == .commandDisallowed)
    let returned = try pair.peripheral.call(LELongTermKeyRequestReply { $0.connectionHandle.rawValue = 0x33 })
    #expect(returned.status == .unknownConnectionIdentifier)
    #expect(returned.connectionHandle.rawValue == 0x33)
    #expect(try enable(pair) == .success)
    #expect(try enable(pair) == .commandDisallowed)
    stage.run(.milliseconds(500))
    #expect(try enable(pair) == .commandDisallowed)
    #expect(try reply(pair) == .success)
    #expect(try reply(pair) == .commandDisallowed)
    stage.run(.milliseconds(500))
    #expect(try reply(pair) == .commandDisallowed)
    #expect(try enable(pair) == .success)
  }

  @Test("other procedures wait for encryption, and encryption for them", arguments: timings)
  func otherProcedures(timing: AirConfiguration.Timing) throws {
    let (stage, pair) = try connected(timing)
    let hosts = [(pair.central, pair.atCentral), (pair.peripheral, pair.atPeripheral)]
    func ask() throws {
      for (host, handle) in hosts {
        try host.begin(
          LESetPHY {
            $0.connectionHandle.rawValue = handle
            $0.txPHYs = .le2M
            $0.rxPHYs = .le2M
          })
        try host.status(
          LESetDataLength {
            $0.connectionHandle.rawValue = handle
            $0.txOctets = 251
            $0.txTime = 2120
          })
      }
    }
    try ask()
    #expect(try enable(pair) == .success)
    try ask()
    #expect(stage.run { !pair.peripheral.all(LELongTermKeyRequest.self).isEmpty })
    try ask()
    stage.run(.seconds(2))
    #expect(try reply(pair) == .success)
    stage.run(.seconds(2))
    for (host, _) in hosts {
      #expect(host.all(HCIEncryptionChange.self).map(\.status) == [.success])
      #expect(host.all(LEDataLengthChange.self).last?.maximumTxOctets == 251)
      #expect(host.all(LEPHYUpdateComplete.self).last?.txPHY == .le2M)
      #expect(host.all(HCIDisconnectionComplete.self).isEmpty)
    }
    #expect(stage.air.links.values.allSatisfy { $0.isEncrypted })
  }

  @Test("a host may disconnect while encryption starts", arguments: timings, [true, false])
  func disconnects(timing: AirConfiguration.Timing, isCentral: Bool) throws {
    let (stage, pair) = try connected(timing)
    #expect(try enable(pair) == .success)
    stage.run(.milliseconds(500))
    let (host, handle) = isCentral ? (pair.central, pair.atCentral) : (pair.peripheral, pair.atPeripheral)
    #expect(try host.begin(HCIDisconnect { $0.connectionHandle.rawValue = handle }) == .success)
    stage.run(.milliseconds(500))
    let other = isCentral ? pair.peripheral : pair.central
    #expect(host.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTerminatedByLocalHost])
    #expect(other.all(HCIDisconnectionComplete.self).map(\.reason) == [.remoteUserTerminatedConnection])
  }

  @Test("encrypted packets are four octets longer on the air, empty ones are not")
  func airTime() throws {
    let (stage, pair) = try connected()
    let link = try #require(stage.air.links.values.first)
    func flight() throws -> Duration {
      pair.peripheral.forget()
      pair.central.sendData(pair.atCentral, Array(repeating: 9, count: 20))
      #expect(stage.run { !pair.peripheral.data.isEmpty })
      return try #require(pair.peripheral.data.first).at - link.nextAnchor
    }
    let clear = try flight()
    stage.run(.milliseconds(300))
    try encrypt(stage, pair)
    stage.run(.milliseconds(300))
    #expect(try flight() - clear == .microseconds(4 * 8))
    let packet = LinkPacket(
      payload: .empty, sequence: false, expected: false, moreData: false, key: link.central.encryption.transmitKey)
    #expect(packet.length == 0)
  }

  @Test("the session key matches Core 5.4 Vol 6 Part C 1.2")
  func sessionKey() throws {
    let octets = try #require([UInt8](hexadecimal: "4c68384139f574d836bcf34e9dfb01bf"))
    let key = SessionKey(
      longTermKey: octets.reversed(), central: 0xACBD_CEDF_E0F1_0213, peripheral: 0x0213_2435_4657_6879)
    #expect(key.bits == 0x99AD_1B52_26A3_7E3E_058E_3B8E_27C2_C666)
  }
}

@Suite("Control PDUs of encryption")
struct EncryptionPDUTests {
  @Test("their octets match Core 5.4 Vol 6 Part C 1.1")
  func octets() {
    let request = EncryptionRequest(
      random: 0xABCD_EF12_3456_7890, encryptedDiversifier: 0x2474,
      share: SessionShare(keyDiversifier: 0xACBD_CEDF_E0F1_0213, initializationVector: 0xBADC_AB24))
    let response = SessionShare(keyDiversifier: 0x0213_2435_4657_6879, initializationVector: 0xDEAF_BABE)
    let known: [(ControlPDU, String)] = [
      (.encryptionRequest(request), "03 90 78 56 34 12 EF CD AB 74 24 13 02 F1 E0 DF CE BD AC 24 AB DC BA"),
      (.encryptionResponse(response), "04 79 68 57 46 35 24 13 02 BE BA AF DE"),
      (.startEncryptionRequest, "05"), (.startEncryptionResponse, "06"), (.pauseEncryptionRequest, "0A"),
      (.pauseEncryptionResponse, "0B"), (.reject(.pinOrKeyMissing), "0D 06"), (.pingRequest, "12"),
      (.pingResponse, "13"),
    ]
    for (pdu, octets) in known { #expect(pdu.octets == [UInt8](hexadecimal: octets)) }
  }
}
