import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// Random hosts of BR/EDR.
@Suite("Random commands of BR/EDR")
struct ClassicPropertyTests {
  private static let types = CommandRegistry.all.filter { CommandTable.classicCommandOpcodes.contains($0.opcode) }
  /// Commands that change what the scene is made of.
  private static let rare: Set<CommandOpcode> = [
    .reset, .disconnect, .writeScanEnable, .setEventFilter, .writeCurrentIACLAP, .writePageTimeout,
    .writeConnectionAcceptTimeout, .writeLinkSupervisionTimeout,
  ]
  /// Commands that are answered by questions, and their ends.
  private static let frequent: [any HCICommand.Type] = [
    HCICreateConnection.self, HCIAcceptConnectionRequest.self, HCIAuthenticationRequested.self,
    HCISetConnectionEncryption.self, HCISwitchRole.self, HCISniffMode.self, HCIExitSniffMode.self,
    HCIRemoteNameRequest.self, HCIDisconnect.self, HCIInquiry.self, HCICreateConnectionCancel.self,
  ]

  /// Returns a command about a peer or one of the own links, with other octets changed now and then.
  private static func command(
    _ type: any HCICommand.Type, peer: DeviceAddress, handles: [UInt16], _ random: inout SplitMix64
  ) -> [UInt8] {
    var octets = CommandConformanceTests.defaults(type)
    if CommandConformanceTests.isAboutConnection(type), random.upTo(9) > 0 {
      let handle = handles.isEmpty ? 1 : handles[Int(random.upTo(UInt64(handles.count - 1)))]
      octets.replaceSubrange(0..<2, with: [UInt8(handle & 0xFF), UInt8(handle >> 8)])
    } else if firstField(type) == "BD_ADDR", random.upTo(9) > 0 {
      octets.replaceSubrange(0..<6, with: (0..<6).map { UInt8(truncatingIfNeeded: peer.bits >> (8 * $0)) })
    }
    if random.upTo(2) == 0, !octets.isEmpty {
      octets[Int(random.upTo(UInt64(octets.count - 1)))] = UInt8(random.upTo(random.upTo(1) == 0 ? 3 : 255))
    }
    let opcode = type.opcode.rawValue
    return [1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8), UInt8(octets.count)] + octets
  }

  private static func firstField<Command: HCICommand>(_: Command.Type) -> String? { Command().described.first?.name }

  private final class Scene {
    let stage: Stage
    var random: SplitMix64
    let addresses: [DeviceAddress]
    /// How many of each host's events have been seen, and the links that follow from them.
    private var seen = [0, 0, 0]
    private(set) var links: [[UInt16: DeviceAddress]] = [[:], [:], [:]]

    init(seed: UInt64) throws {
      stage = Stage(seed: seed, timing: seed % 4 == 0 ? .immediate : .linkLayer)
      random = SplitMix64(seed: seed)
      for index in 0..<3 {
        let host = stage.add(index == 2 ? .rootcanal.conforming : .dual)
        try host.bringUpClassic(simplePairing: seed % 3 != 0 || index > 0, secure: seed % 2 == 0)
        try host.status(HCIWritePageTimeout { $0.timeout.rawValue = 0x1000 })
      }
      addresses = try stage.hosts.map { try $0.address }
    }

    /// Answers connection requests, and notes the links that the host now knows.
    func observe() throws {
      for (index, host) in stage.hosts.enumerated() {
        while seen[index] < host.events.count {
          let event = host.events[seen[index]]
          seen[index] += 1
          switch event.code {
          case .connectionComplete:
            let complete = try HCIConnectionComplete(decoding: event.parameters)
            if complete.status == .success {
              #expect(links[index].updateValue(complete.address, forKey: complete.connectionHandle.rawValue) == nil)
            }
          case .disconnectionComplete:
            let complete = try HCIDisconnectionComplete(decoding: event.parameters)
            #expect(links[index].removeValue(forKey: complete.connectionHandle.rawValue) != nil)
          case .connectionRequest where random.upTo(9) > 0:
            let request = try HCIConnectionRequest(decoding: event.parameters)
            let role: LinkRole = random.upTo(1) == 0 ? .central : .peripheral
            host.send(
              HCIAcceptConnectionRequest {
                $0.address = request.address
                $0.role = role
              }.h4)
          default: try answer(event, of: host)
          }
        }
      }
    }

    /// Answers a question about pairing, most of the time as it should be.
    private func answer(_ event: ScriptedHost.Heard, of host: ScriptedHost) throws {
      guard random.upTo(12) > 0, event.parameters.count >= 6 else { return }
      let peer = DeviceAddress(bits: event.parameters.prefix(6).reversed().reduce(0) { $0 << 8 | UInt64($1) })
      let reply: [UInt8]? =
        switch event.code {
        case .linkKeyRequest: HCILinkKeyRequestNegativeReply { $0.address = peer }.h4
        case .ioCapabilityRequest:
          capabilities(for: peer)
        case .userConfirmationRequest: HCIUserConfirmationRequestReply { $0.address = peer }.h4
        case .userPasskeyRequest: HCIUserPasskeyRequestReply { $0.address = peer }.h4
        case .remoteOOBDataRequest: HCIRemoteOOBDataRequestNegativeReply { $0.address = peer }.h4
        case .pinCodeRequest: HCIPINCodeRequestReply { $0.address = peer }.h4
        default: nil
        }
      if let reply { host.send(reply) }
    }

    private func capabilities(for peer: DeviceAddress) -> [UInt8] {
      let (capability, requirements) = (UInt8(random.upTo(3)), UInt8(random.upTo(5)))
      return HCIIOCapabilityRequestReply {
        $0.address = peer
        $0.ioCapability.rawValue = capability
        $0.requirements.rawValue = requirements
      }.h4
    }

    func run(_ duration: Duration) throws {
      let end = stage.air.now + duration
      try observe()
      while let deadline = stage.air.nextDeadline, deadline <= end {
        stage.air.advance(to: deadline)
        stage.collect()
        try observe()
      }
      stage.air.advance(to: end)
      stage.collect()
      try observe()
    }

    private func lastKey(of host: ScriptedHost, for peer: DeviceAddress) -> [UInt8]? {
      host.all(HCILinkKeyNotification.self).last { $0.address == peer }?.linkKey
    }

    /// Both ends of every link agree about it, and so do the hosts.
    func check() throws {
      for (index, host) in stage.hosts.enumerated() {
        let snapshot = try #require(stage.air.snapshot(of: host.id))
        #expect(snapshot.classicConnections.map(\.handle.rawValue) == links[index].keys.sorted())
        for (handle, peer) in links[index] {
          let other = try #require(addresses.firstIndex(of: peer))
          let back = try #require(links[other].first { $0.value == addresses[index] }?.key)
          let peerSnapshot = try #require(stage.air.snapshot(of: stage.hosts[other].id))
          let own = snapshot.classicConnections.first { $0.handle.rawValue == handle }
          let theirs = peerSnapshot.classicConnections.first { $0.handle.rawValue == back }
          #expect(own?.isEncrypted == theirs?.isEncrypted && own?.packetsHeld == 0)
          let near = try host.call(HCIRoleDiscovery { $0.connectionHandle.rawValue = handle }).role
          let far = try stage.hosts[other].call(HCIRoleDiscovery { $0.connectionHandle.rawValue = back }).role
          #expect([near, far].contains(.central) && near != far)
          #expect(lastKey(of: host, for: peer) == lastKey(of: stage.hosts[other], for: addresses[index]))
        }
      }
    }
  }

  @Test("each is answered once, nothing traps, and both ends agree about every link", arguments: UInt64(0)..<16)
  func random(seed: UInt64) throws {
    let scene = try Scene(seed: seed)
    var links = 0
    for step in 0..<500 {
      let index = Int(scene.random.upTo(2))
      let host = scene.stage.hosts[index]
      let peer = scene.addresses[(index + 1 + Int(scene.random.upTo(1))) % 3]
      let handles = scene.links[index].keys.sorted()
      let isFrequent = scene.random.upTo(1) == 0
      let pool = isFrequent ? Self.frequent : Self.types
      let type = pool[Int(scene.random.upTo(UInt64(pool.count - 1)))]
      if Self.rare.contains(type.opcode), scene.random.upTo(5) > 0 { continue }
      if scene.random.upTo(4) == 0, let handle = handles.first {
        host.sendData(handle, Array(repeating: 1, count: Int(scene.random.upTo(1021))))
      }
      let before = host.events.count
      host.send(Self.command(type, peer: peer, handles: handles, &scene.random))
      let answers = host.events[before...].filter { [.commandComplete, .commandStatus].contains($0.code) }
      #expect(answers.count == 1 && host.events[before].at == answers.first?.at, "\(type.opcode)")
      #expect([.commandComplete, .commandStatus].contains(host.events[before].code), "\(type.opcode)")
      try scene.run(.milliseconds(Int64(scene.random.upTo(scene.random.upTo(3) == 0 ? 3000 : 60))))
      links = max(links, scene.stage.air.classicLinks.count)
      if step % 100 == 99 {
        try scene.run(.seconds(100))
        try scene.check()
      }
    }
    #expect(links > 0)
  }

  @Test("the same seed gives the same transcript, another one another", arguments: [true, false])
  func repeats(isSame: Bool) throws {
    func transcript(_ seed: UInt64) throws -> [[UInt8]] {
      let scene = try PairingScene(
        PairingSide(capability: .keyboardOnly), PairingSide(capability: .displayOnly), seed: seed)
      scene.stage.air.setPacketLoss(from: scene.pair.first.id, to: scene.pair.second.id, fraction: 0.2)
      try scene.authenticate()
      _ = try scene.encrypt()
      return [scene.pair.first, scene.pair.second].map { host in
        host.transcript + host.events.flatMap { withUnsafeBytes(of: $0.at.nanoseconds, Array.init) }
      }
    }
    #expect(try (transcript(3) == transcript(isSame ? 3 : 4)) == isSame)
  }
}
