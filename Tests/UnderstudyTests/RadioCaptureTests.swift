import AccessoryProfile
import BLEATT
import BLECore
import Capture
import Foundation
import Glibc
import Testing
import Transport
import Understudy

@Suite("Captures of radios", .timeLimit(.minutes(20)))
struct RadioCaptureTests {
  /// Reads a pcapng file: the names of its interfaces, and the packets of each.
  private func read(_ path: String) throws -> [(name: String, packets: [[UInt8]])] {
    let octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var interfaces: [(name: String, packets: [[UInt8]])] = []
    var offset = 0
    func word(_ at: Int) -> Int { (0..<4).reversed().reduce(0) { $0 << 8 | Int(octets[at + $1]) } }
    while offset < octets.count {
      let length = word(offset + 4)
      try #require(length >= 12 && offset + length <= octets.count && word(offset + length - 4) == length)
      switch word(offset) {
      case 1:
        // After the link type and the snap length come options: possibly a comment, then the name.
        var option = offset + 16
        while octets[option] != 2 { option += 4 + (Int(octets[option + 2]) + 3) / 4 * 4 }
        let count = Int(octets[option + 2])
        interfaces.append((String(decoding: octets[option + 4..<option + 4 + count], as: UTF8.self), []))
      case 6:
        let count = word(offset + 20)
        interfaces[word(offset + 8)].packets.append(Array(octets[offset + 28..<offset + 28 + count]))
      default: break
      }
      offset += length
    }
    return interfaces
  }

  @Test("It contains the air and every controller, and can be read while it grows")
  func everything() async throws {
    try await withLoop { loop in
      let path = temporaryPath("radio.pcapng")
      defer { unlink(path) }
      let radio = RadioHub(loop: loop)
      let port = try await radio.openPort()
      let accessory = try Accessory(try testProfile(), options: AccessoryOptions(), on: radio)
      let events = await accessory.events()
      try await accessory.start()
      let address = try await events.ready().address
      try await radio.startCapture(to: path)
      let central = try LineCentral(port: port)
      try central.connect(to: address)
      _ = try central.request(ExchangeMTURequest(clientMTU: 23))
      await loop.pass(FlushPolicy().delay)
      #expect(try read(path).contains { $0.name == "tcp-1" && !$0.packets.isEmpty })
      central.close()
      await accessory.stop()
      _ = await accessory.end()
      await radio.close()
      let interfaces = try read(path)
      #expect(interfaces.map(\.name) == ["air", "accessory", "tcp-1"])
      let (air, server, client) = (interfaces[0].packets, interfaces[1].packets, interfaces[2].packets)
      // The request is on the air in a data PDU, and passes between each controller and its host.
      let request: [UInt8] = [3, 0, 4, 0, 2, 23, 0]
      #expect(air.contains { $0.contains(request) })
      #expect(client.contains { $0.prefix(5) == [0, 0, 0, 0, 2] && $0.contains(request) })
      #expect(server.contains { $0.prefix(5) == [0, 0, 0, 1, 2] && $0.contains(request) })
      // Reset, and its Command Complete.
      #expect(client.first == [0, 0, 0, 0, 1, 3, 0x0C, 0])
      #expect(client.dropFirst().first?.prefix(6) == [0, 0, 0, 1, 4, 0x0E])
      // Advertising, with its access address after the pseudo-header of ten octets.
      #expect(air.contains { $0[10..<14] == [0xD6, 0xBE, 0x89, 0x8E] })
    }
  }

  @Test("A file that cannot be created is an error, and one that can no longer be written is reported")
  func failures() async throws {
    try await withLoop { loop in
      let radio = RadioHub(loop: loop)
      await #expect(throws: CaptureFailure.self) { try await radio.startCapture(to: "/nowhere/radio.pcapng") }
      let port = try await radio.openPort()
      let error = await #expect(throws: CaptureFailure.self) { try await radio.startCapture(to: "/dev/full") }
      #expect(error?.code == ENOSPC)
      // The radio still works.
      _ = try LineCentral(port: port)
      await radio.close()
    }
  }

  @Test("Without a radio capture, an accessory writes its controller's packets, in the format of the file's extension")
  func alone() async throws {
    try await withLoop { loop in
      let path = temporaryPath("alone.pcapng")
      defer { unlink(path) }
      let accessory = try Accessory(try testProfile(), options: AccessoryOptions(capturePath: path), loop: loop)
      let events = await accessory.events()
      try await accessory.start()
      _ = try await events.ready()
      await accessory.stop()
      _ = await accessory.end()
      let interfaces = try read(path)
      #expect(interfaces.map(\.name) == ["controller"])
      #expect(interfaces[0].packets.first == [0, 0, 0, 0, 1, 3, 0x0C, 0])
    }
  }

  @Test("The same run writes the same octets if time only jumps")
  func repeatable() async throws {
    var lives: [[[UInt8]]] = []
    for _ in 0..<2 {
      let path = temporaryPath("life.pcapng")
      defer { unlink(path) }
      let loop = try PollLoop(name: "test", pace: .fast(settle: .zero))
      let radio = RadioHub(loop: loop, seed: 3)
      let accessory = try Accessory(try testProfile(), options: AccessoryOptions(), on: radio)
      try loop.start()
      try await radio.startCapture(to: path)
      try await accessory.start()
      await loop.pass(.seconds(60))
      await accessory.stop()
      _ = await accessory.end()
      await radio.close()
      loop.stopAndWait()
      lives.append(try read(path)[0].packets)
    }
    #expect(lives[0].count >= 1000 && lives[0].prefix(1000) == lives[1].prefix(1000))
  }
}
