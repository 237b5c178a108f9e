import AccessoryProfile
import Capture
import Testing

@testable import ControlAPI
@testable import Understudy

/// Live packets, decoded or as a capture file.
@Suite(.timeLimit(.minutes(20))) struct PacketRouteTests {
  @Test func packetsAreDecodedAsTheyPass() async throws {
    try await RunningLamp.run { lamp async throws in
      let stream = try await lamp.client.events("/v1/packets?filter=att.write&tree=true")
      let handle = try await lamp.valueHandle("level")
      let central = try await Central.connect(port: lamp.ready.ports[0], to: lamp.ready.address)
      try await central.send([0x12, UInt8(handle), UInt8(handle >> 8), 0x2A])
      let packet = try #require(await stream.next("packet"))
      #expect(packet["layer"] == "att")
      #expect(packet["name"] == "level")
      #expect(packet["value"] == "2a")
      #expect(packet["sent"] == .bool(false))
      guard case .array(let layers) = packet["layers"] else {
        Issue.record("no layers")
        return
      }
      let names = layers.compactMap { layer in if case .object(let fields) = layer { fields["name"] } else { nil } }
      #expect(names == ["ACL", "L2CAP", "ATT"])
      stream.close()
      central.close()
    }
  }

  /// When the last watcher has left, packets are not reported any more.
  @Test func nothingIsDoneWhileNobodyLooks() async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(await lamp.accessory.packetWatchers.isEmpty)
      let stream = try await lamp.client.events("/v1/packets")
      #expect(await !lamp.accessory.packetWatchers.isEmpty)
      stream.close()
      while await !lamp.accessory.packetWatchers.isEmpty { await Task.yield() }
    }
  }

  @Test(arguments: [
    ("/v1/packets?filter=absent%20thing", 400), ("/v1/packets?tree=maybe", 400), ("/v1/packets/1", 404),
    ("/v1/accessories/nobody/packets", 404),
  ])
  func mistakesAreTold(path: String, status: Int) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.get(path)
      #expect(answer.status == status)
      #expect(!answer.error.isEmpty)
    }
  }

  /// Whole packets, split into runs in any way, are reported once each, with their times.
  @Test func watchersGetWholePackets() async throws {
    try await RunningLamp.run { lamp async throws in
      let (packets, continuation) = AsyncStream.makeStream(of: CapturedPacket.self)
      let id = await lamp.accessory.watchPackets(ended: { continuation.finish() }) { continuation.yield($0) }
      let central = try await Central.connect(port: lamp.ready.ports[0], to: lamp.ready.address)
      var kinds: Set<UInt8> = []
      for await packet in packets {
        kinds.insert(packet.octets[0])
        #expect(packet.microseconds > 0)
        if packet.direction == .controllerToHost, packet.octets.starts(with: [0x04, 0x3E]) { break }
      }
      #expect(kinds.contains(0x04))
      await lamp.accessory.forget(packetWatcher: id)
      central.close()
    }
  }
}
