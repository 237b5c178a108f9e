import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import Faults
import PeripheralHost
import Simulation
import Testing

/// The server over several bearers (Core 5.4 Vol 3 Part F 3.4.6, Part G 4.2, 4.8.5, 5.3).
@Suite("Enhanced bearers")
struct EnhancedBearerTests {
  /// A value that takes several parts of 59 octets.
  private static let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 * 7) }

  private static let parts: [(offset: Int, octets: [UInt8])] = stride(from: 0, to: 512, by: 59).map {
    ($0, Array(value[$0..<min($0 + 59, 512)]))
  }

  private func prepare(_ part: (offset: Int, octets: [UInt8]), over bearer: Int, in scene: BearerScene) throws {
    let fields = [0x12, 0x00, UInt8(part.offset & 0xFF), UInt8(part.offset >> 8)] + part.octets
    try scene.send([0x16] + fields, over: bearer)
    #expect(try scene.next(over: bearer) == [0x17] + fields)
  }

  @Test("GATT/SR/GAR/BV-11-C: several values over the fixed channel and an enhanced bearer at once")
  func fixedAndEnhanced() throws {
    let scene = try BearerScene()
    try scene.open(1)
    try scene.central.send("20 1200 1400")
    try scene.send([0x20, 0x14, 0, 0x12, 0], over: 0)
    #expect(scene.central.next() == "21" + "0400" + "01020304" + "0300" + "050607")
    #expect(try scene.next(over: 0)?.hexadecimal == "21" + "0300" + "050607" + "0400" + "01020304")
  }

  @Test("GATT/SR/GAR/BV-12-C: several values over two enhanced bearers at once")
  func twoEnhanced() throws {
    let scene = try BearerScene()
    try scene.open(2)
    try scene.send([0x20, 0x12, 0, 0x14, 0], over: 0)
    try scene.send([0x20, 0x14, 0, 0x12, 0], over: 1)
    #expect(try scene.next(over: 0)?.hexadecimal == "21" + "0400" + "01020304" + "0300" + "050607")
    #expect(try scene.next(over: 1)?.hexadecimal == "21" + "0300" + "050607" + "0400" + "01020304")
  }

  @Test("GATT/SR/GAW/BV-12-C: prepared writes over several bearers are one queue")
  func preparedWrites() throws {
    let scene = try BearerScene()
    try scene.open(3)
    for (number, part) in Self.parts.enumerated() { try prepare(part, over: number % 3, in: scene) }
    #expect(scene.longValue == [1, 2, 3, 4])
    try scene.exchange("18 01", "19", over: 1)
    #expect(scene.longValue == Self.value)
  }

  @Test("GATT/SR/GAW/BV-13-C: prepared writes over several bearers are canceled together")
  func cancelledWrites() throws {
    let scene = try BearerScene()
    try scene.open(2)
    for (number, part) in Self.parts.enumerated() { try prepare(part, over: number % 2, in: scene) }
    try scene.exchange("18 00", "19", over: 0)
    try scene.exchange("18 01", "19", over: 1)
    #expect(scene.longValue == [1, 2, 3, 4])
  }

  @Test("GATT/SR/GAW/BV-14-C: prepared writes outlive the bearer on which they arrived")
  func lostBearer() throws {
    let scene = try BearerScene()
    try scene.open(2)
    for (number, part) in Self.parts.dropLast().enumerated() { try prepare(part, over: number % 2, in: scene) }
    try scene.central.exchange("06 02 0400 4000 5000", "07 02 0400 4000 5000", on: .signalling)
    let last = try #require(Self.parts.last)
    try prepare(last, over: 1, in: scene)
    try scene.exchange("18 01", "19", over: 1)
    #expect(scene.longValue == Self.value)
  }

  @Test("GATT/SR/GAW/BI-38-C: a signed write over an enhanced bearer is ignored")
  func signedWrite() throws {
    let scene = try BearerScene()
    try scene.open(1)
    try scene.send([0xD2, 0x14, 0, 9, 9, 9] + [UInt8](repeating: 0, count: 12), over: 0)
    try scene.exchange("0a 1400", "0b 050607", over: 0)
    #expect(scene.shortValue == [5, 6, 7])
  }

  @Test("A delayed response is sent over the bearer of its request, although an earlier one has closed")
  func postponedAnswer() throws {
    let scene = try BearerScene()
    try scene.open(3)
    let fault = Fault(id: "late", on: .access(.read, of: "short"), do: .delay(.seconds(5)))
    scene.accessory.stack.arm([fault], at: scene.simulation.now)
    try scene.send([0x0A, 0x14, 0], over: 1)
    scene.simulation.run(for: .seconds(1))
    try scene.central.exchange("06 02 0400 4000 5000", "07 02 0400 4000 5000", on: .signalling)
    scene.simulation.run(for: .seconds(5))
    #expect(try scene.next(over: 2) == nil)
    #expect(try scene.next(over: 1)?.hexadecimal == "0b050607")
  }

  @Test("A delayed response is dropped if its bearer has closed")
  func postponedAnswerOfClosedBearer() throws {
    let scene = try BearerScene()
    try scene.open(2)
    let fault = Fault(id: "late", on: .access(.read, of: "short"), do: .delay(.seconds(5)))
    scene.accessory.stack.arm([fault], at: scene.simulation.now)
    try scene.send([0x0A, 0x14, 0], over: 0)
    scene.simulation.run(for: .seconds(1))
    try scene.central.exchange("06 02 0400 4000 5000", "07 02 0400 4000 5000", on: .signalling)
    scene.simulation.run(for: .seconds(5))
    #expect(try scene.next(over: 1) == nil)
  }

  @Test("The MTU cannot be exchanged over an enhanced bearer")
  func exchangeMTU() throws {
    let scene = try BearerScene()
    try scene.open(1)
    try scene.exchange("02 0002", "01 02 0000 06", over: 0)
  }

  /// Core 5.4 Vol 3 Part F 3.3.3.
  @Test("An indication that is not confirmed ends its bearer after 30 s, and nothing else")
  func unconfirmed() throws {
    let scene = try BearerScene()
    try scene.open(1)
    try scene.central.exchange("12 1700 0200", "13")
    for _ in 0..<2 { try scene.accessory.perform(.indicate(BearerScene.alarm)) }
    #expect(scene.central.next() == "1d160009")
    try scene.central.send("1e")
    #expect(try scene.next(over: 0) == [0x1D, 0x16, 0, 9])
    scene.simulation.run(for: .seconds(31))
    let request = try #require(scene.central.next(on: .signalling))
    #expect(request.hasPrefix("06") && request.hasSuffix("040050004000"))
    let link = try #require(scene.accessory.stack.linkStates.first?.handle)
    #expect(scene.accessory.events.faults == [.bearerTimeout(link, 0x40)] && scene.central.ends == [])
    try scene.central.exchange("0a 1400", "0b 050607")
  }

  @Test("An unencrypted link gets no bearers, with either result")
  func notEncrypted() throws {
    let scene = try BearerScene()
    let link = try #require(scene.accessory.stack.linkStates.first?.handle)
    for (isBonded, result) in [(false, "0500"), (true, "0800")] {
      scene.accessory.setSecurity(LinkSecurity(protection: .none, isBonded: isBonded), of: link)
      try scene.central.exchange(
        "17 01 0a00 2700 4000 5000 4000 5000", "18 01 0a00 0000 0000 0000 \(result) 0000", on: .signalling)
    }
  }

  @Test("A channel that cannot be reconfigured is not a bearer")
  func plainChannel() throws {
    let scene = try BearerScene()
    try scene.central.exchange(
      "14 01 0a00 2700 5000 4000 4000 0500", "15 01 0a00 0000 0000 0000 0000 0200", on: .signalling)
  }

  @Test("Bearers beyond the maximum are refused, and the others open")
  func tooMany() throws {
    let scene = try BearerScene()
    try scene.central.exchange(
      "17 01 1000 2700 4000 5000 4000 5000 5100 5200 5300",
      "18 01 1000 0502 f700 1100 0400 4000 4100 4200 0000", on: .signalling)
  }
}
