import BLECore
import Capture
import Decoding
import Testing

@testable import Viewing

@Suite("Octets for the screen, in turns")
struct ScreenFeedTests {
  private static func octets(_ records: [CaptureRecord]) -> [UInt8] {
    var encoder = CaptureEncoder(.pcapng)
    var buffer = OctetBuffer()
    encoder.begin(into: &buffer)
    for record in records { #expect(encoder.append(record, into: &buffer)) }
    return buffer.copy()
  }

  private static func feed(_ records: [CaptureRecord]) throws -> ScreenFeed {
    var model = try ScreenModel(title: "air", decoder: PacketDecoder()) { $0 }
    model.resize(rows: 20, columns: 100)
    var feed = ScreenFeed(model, name: "air.pcapng", decryptor: LinkDecryptor(keys: []))
    feed.take(octets(records).span)
    return feed
  }

  private static let wanted: UInt32 = 2_345

  @Test(
    "Packets wait during the search for a passkey, the last line shows its progress, and keys work")
  func search() throws {
    let air = LegacyPairingOnAir(passkey: Self.wanted)
    var feed = try Self.feed(air.pairing + air.encrypted)
    #expect(feed.isBusy)
    #expect(feed.model.entries.count == air.pairing.count)
    var turns = 0
    while feed.isBusy {
      let share = turns * ScreenFeed.passkeysPerTurn / 10_000
      #expect(feed.model.lines.last?.text.contains("passkey of a pairing is searched for, \(share) %") == true)
      let goesOn = feed.model.press(turns % 2 == 0 ? .home : .end)
      #expect(goesOn)
      #expect(feed.model.selection == (turns % 2 == 0 ? 0 : air.pairing.count - 1))
      feed.work()
      turns += 1
    }
    #expect(turns == Int(Self.wanted) / ScreenFeed.passkeysPerTurn + 1)
    #expect(feed.model.entries.count == air.pairing.count + air.encrypted.count)
    let last = try #require(feed.model.entries.last)
    #expect(last.record.octets == LegacyPairingOnAir.decrypted && last.summary.layer == .att)
    #expect(feed.model.lines.last?.text.contains("searched for") == false)
  }

  @Test("The end of the capture does not end the search that packets wait for, and a key quits at any time")
  func ends() throws {
    let air = LegacyPairingOnAir(passkey: Self.wanted)
    var feed = try Self.feed(air.pairing + air.encrypted)
    feed.end("no more packets follow")
    #expect(feed.isBusy && feed.hasEnded)
    feed.work()
    let goesOn = feed.model.press(.character("q"))
    #expect(!goesOn)
    while feed.isBusy { feed.work() }
    #expect(feed.model.entries.last?.record.octets == LegacyPairingOnAir.decrypted)
  }

  @Test("The search begins when a packet waits for it")
  func idle() throws {
    let air = LegacyPairingOnAir(passkey: Self.wanted)
    var feed = try Self.feed(air.pairing)
    #expect(!feed.isBusy)
    feed.end("no more packets follow")
    #expect(!feed.isBusy)
    #expect(feed.model.lines.last?.text.contains("no more packets follow") == true)
  }

  @Test("The screen reports damage, and shows the packets before it")
  func damage() throws {
    var feed = try Self.feed(Conversation.heartRate())
    feed.take([UInt8](repeating: 0, count: 64).span)
    #expect(feed.hasEnded && !feed.isBusy)
    #expect(feed.model.entries.count == Conversation.heartRate().count)
    #expect(feed.model.lines.last?.text.contains("cannot read the capture file air.pcapng") == true)
  }
}
