import AccessoryProfile
import BLECore
import Testing

@Suite("Channels as JSON")
struct ChannelJSONTests {
  /// Keys are unchanged after encoding and decoding.
  @Test(
    arguments: [
      ChannelHandler.echo, .sink(octetsPerSecond: nil, hashes: false), .sink(octetsPerSecond: 9, hashes: true),
      .source(ChannelSource(pattern: .random, sduLength: 5, length: 6, octetsPerSecond: 7)), .source(ChannelSource()),
      .file(path: "a b"), .tcp(host: "::1", port: 7000), .unix(path: "/run/x"), .pty(link: nil), .pty(link: "/tmp/x"),
    ])
  func handlers(_ handler: ChannelHandler) throws {
    var channel = ChannelDefinition(id: "x", psm: .fixed(0x90), handler: handler)
    (channel.mtu, channel.mps, channel.maximumChannels, channel.protection) = (100, 60, 3, .secureConnections)
    #expect(try ChannelDefinition.load(channel.json) == channel)
  }

  @Test(arguments: [
    (ProfileValue.int(144), PSMChoice.fixed(0x90)), (.string("0x90"), .fixed(0x90)), (.string("auto"), .automatic),
    (.string("new"), .drawn),
  ])
  func psms(_ value: ProfileValue, _ psm: PSMChoice) throws {
    let json = ProfileValue.object(["id": .string("x"), "psm": value, "handler": .string("echo")])
    #expect(try ChannelDefinition.load(json) == ChannelDefinition(id: "x", psm: psm, handler: .echo))
  }

  @Test func everyMistakeIsNamed() throws {
    let json = ProfileValue.object([
      "id": .string("x"), "mtu": .string("100"), "mps": .int(1),
      "handler": .object(["sink": .object(["rat": .int(1)])]),
    ])
    let error = #expect(throws: ProfileValueError.self) { try ChannelDefinition.load(json) }
    let message = try #require(error?.message)
    for part in ["mtu: expected a whole number", "mps: 1 is not within 23...65533", "handler.sink: unknown key 'rat'"] {
      #expect(message.contains(part), "\(message)")
    }
  }
}
