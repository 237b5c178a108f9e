import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

@Suite("The player of a phone, for accessories that use the Apple Media Service") struct MediaTests {
  private static let tracks = [
    MediaTrack("Three Romances", artist: "Clara Schumann"), MediaTrack("Violin Concerto in A major"),
  ]

  /// A watch that follows the player of a phone.
  private func watch() throws -> Stage {
    let stage = try Stage("smart-watch")
    stage.phone.person = .pairs()
    stage.phone.nowPlaying = NowPlaying(Self.tracks, isPlaying: true)
    try stage.connect()
    try wait(stage, "track", "Three Romances")
    return stage
  }

  private func wait(_ stage: Stage, _ characteristic: String, _ value: ProfileValue) throws {
    let isThere = stage.air.advance(
      until: { (try? stage.accessory.value(of: characteristic)) == value }, within: .seconds(60))
    try #require(isThere, "\(characteristic) is not \(value)")
  }

  @Test("A watch shows the track, and its buttons control the player") func watches() throws {
    let stage = try watch()
    try wait(stage, "is-playing", true)
    try stage.accessory.press("play-pause")
    try wait(stage, "is-playing", false)
    #expect(!stage.phone.nowPlaying.isPlaying)
    try stage.accessory.press("next")
    try wait(stage, "track", "Violin Concerto in A major")
    #expect(stage.phone.nowPlaying.index == 1 && stage.phone.nowPlaying.elapsed == .zero)
    try stage.phone.expect(inOrder: [
      EventPattern("media-command", ["command": "togglePlayPause"]),
      EventPattern("media-command", ["command": "nextTrack"]),
    ])
    stage.phone.nowPlaying.queue[1].title = "Symphony in C minor"
    try wait(stage, "track", "Symphony in C minor")
  }

  @Test("The position advances while the track plays") func position() throws {
    let air = TestAir()
    let phone = try air.phone()
    phone.nowPlaying = NowPlaying(Self.tracks, isPlaying: true)
    air.advance(by: .seconds(10))
    #expect(phone.nowPlaying.elapsed == .seconds(10))
    phone.nowPlaying.isPlaying = false
    air.advance(by: .seconds(10))
    #expect(phone.nowPlaying.elapsed == .seconds(10))
    phone.nowPlaying.isPlaying = true
    air.advance(by: .seconds(1000))
    #expect(phone.nowPlaying.elapsed == .seconds(180))
  }

  /// An accessory that is a client of the service, with a step for each thing that it does.
  private static func client(_ steps: String) -> String {
    """
    understudy: 1
    name: Client
    security: { pairing: just-works, request: on-connection }
    services:
      - uuid: A000
        characteristics:
          - { id: shown, uuid: A001, properties: [read], format: hex, max-length: 512, value: "" }
          - { id: error, uuid: A002, properties: [read], format: u8, value: 0 }
    client:
    \(steps)
    """
  }

  @Test("An update truncates a long text to the MTU, and a read returns all of it") func truncated() throws {
    var persona = Persona.iOS
    persona.mtu = 23
    let profile = Self.client(
      """
        - { after: 2 s, subscribe: 2F7CABCE-808D-411F-9A0C-BB92BA96C102, do: { set: { shown: { compute: 'octets(written)' } } } }
        - { after: 3 s, write: 2F7CABCE-808D-411F-9A0C-BB92BA96C102, value: hex:0202 }
        - { after: 6 s, write: C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7, value: hex:0202 }
        - { after: 8 s, read: C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7, do: { set: { shown: { compute: 'octets(written)' } } } }
      """)
    let stage = try Stage(Profile.load(text: profile), persona: persona)
    stage.phone.person = .pairs()
    stage.phone.nowPlaying = NowPlaying([MediaTrack("A title of more than seventeen octets")])
    try stage.connect()
    let shows = { (octets: [UInt8]) in
      stage.air.advance(until: { (try? stage.accessory.octets(of: "shown")) == octets }, within: .seconds(20))
    }
    #expect(shows([2, 2, 1] + Array("A title of more t".utf8)))
    #expect(shows(Array("A title of more than seventeen octets".utf8)))
  }

  @Test("The service refuses clients that have not paired") func protected() throws {
    let stage = try Stage("smart-watch")
    stage.phone.person = .cancels
    stage.phone.nowPlaying = NowPlaying(Self.tracks)
    try stage.connect()
    stage.air.advance(by: .seconds(20))
    #expect(try stage.accessory.value(of: "track") == "")
  }

  @Test("A client that subscribes to the remote commands gets the list of commands") func commandList() throws {
    let profile = Self.client(
      """
        - { after: 2 s, subscribe: 9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2, do: { set: { shown: { compute: 'octets(written)' } } } }
      """)
    let stage = try Stage(Profile.load(text: profile))
    stage.phone.person = .pairs()
    try stage.connect()
    let all = (0...10).map { UInt8($0) }
    #expect(
      stage.air.advance(
        until: { (try? stage.accessory.octets(of: "shown")) == all }, within: .seconds(20)))
  }

  @Test(
    "The service refuses wrong requests with its own errors",
    arguments: [
      ("2F7CABCE-808D-411F-9A0C-BB92BA96C102", "0202", 0xA0),
      ("9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2", "0B", 0xA1),
      ("C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7", "0302", 0xA1),
      ("C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7", "0003", 0xA2),
    ])
  func errors(_ characteristic: String, _ value: String, _ code: Int) throws {
    let profile = Self.client("    - { after: 2 s, write: \(characteristic), value: hex:\(value) }")
    let stage = try Stage(Profile.load(text: profile))
    stage.phone.person = .pairs()
    try stage.connect()
    let failed = try stage.accessory.expect(EventPattern("remote-failed"), within: .seconds(20))
    let reason = failed["reason"]?.string ?? ""
    #expect(reason.contains("0x\(String(code, radix: 16, uppercase: true))"), "\(failed)")
  }
}
