import AccessoryProfile
import BLEATT
import BLECore
import Testing
import Transport
import Understudy
import VirtualRadio

@Suite("Impairments", .timeLimit(.minutes(20)))
struct RadioImpairmentTests {
  @Test(
    "The form of the command line",
    arguments: [
      ("loss=20%", RadioImpairment.everywhere(PathImpairment(loss: .fraction(0.2)))),
      ("loss=0.5,ber=1e-5", .everywhere(PathImpairment(loss: .fraction(0.5), bitErrorRate: 1e-5))),
      ("loss=0", .everywhere(PathImpairment())),
      ("unreachable", .everywhere(PathImpairment(isReachable: false))),
      ("reachable=true,rssi=20", .everywhere(PathImpairment(strength: 20))),
      (
        "from=accessory,to=tcp-1,loss=LL..,rssi=-80",
        .path(
          from: "accessory", to: "tcp-1", PathImpairment(loss: .pattern([true, true, false, false]), strength: -80))
      ),
      (
        "loss=1,to=pty-100,from=accessory-2",
        .path(from: "accessory-2", to: "pty-100", PathImpairment(loss: .fraction(1)))
      ),
      (
        "controller=tcp-1,latency=5ms,hung,buffers=2",
        .controller("tcp-1", ControllerImpairment(latency: .milliseconds(5), isHung: true, bufferLimit: 2))
      ),
      (
        "controller=unix-3,hung=false,latency=1.5 s",
        .controller("unix-3", ControllerImpairment(latency: .milliseconds(1500)))
      ),
    ])
  func forms(_ text: String, _ impairment: RadioImpairment) throws {
    #expect(try RadioImpairment(parsing: text) == impairment)
  }

  @Test(
    "Mistakes are reported",
    arguments: [
      ("", "a setting is missing"), ("loss=20%,", "a setting is missing"), ("loss", "'loss' needs a value"),
      ("loss=120%", "loss must be a fraction"), ("loss=-1", "loss must be a fraction"),
      ("loss=nan", "loss must be a fraction"), ("loss=", "loss must be a fraction"),
      ("loss=LX", "loss must be a fraction"),
      ("ber=2", "ber must be the bit error rate"), ("ber=infinity", "ber must be the bit error rate"),
      ("rssi=-128", "rssi must be -127 to 20"), ("rssi=1.5", "rssi must be"),
      ("reachable=maybe", "reachable must be true or false"),
      ("lost=1", "lost is not a setting of a path (known: loss, ber"),
      ("loss=0.1,loss=0.2", "loss is given twice"), ("from=accessory,from=tcp-1", "from is given twice"),
      ("from=accessory", "to is missing"), ("to=accessory", "from is missing"),
      ("from=tcp-1,to=tcp-1", "to must differ"),
      ("from=tcp-0,to=tcp-1", "from must be the name of a controller"),
      ("controller=phone", "controller must be the name"),
      ("controller=tcp-101,hung", "controller must be"), ("controller=tcp-01,hung", "controller must be"),
      ("controller=accessory-1,hung", "controller must be"),
      ("controller=tcp-1,from=tcp-2,hung", "controller cannot be combined"),
      ("controller=tcp-1,loss=1", "loss is not a setting of a controller (known: latency, hung, buffers)"),
      ("controller=tcp-1,latency=5", "latency must be a time"),
      ("controller=tcp-1,latency=2min", "latency must be a time"),
      ("controller=tcp-1,buffers=-1", "buffers must be"), ("controller=tcp-1,buffers=256", "buffers must be"),
    ])
  func errors(_ text: String, _ reason: String) throws {
    let error = try #require(throws: RadioImpairment.ParseError.self) { try RadioImpairment(parsing: text) }
    #expect(error.description.hasPrefix("bad impairment '\(text)': \(reason)"), "\(error)")
    #expect(error.description.contains("(known: loss=20%"))
  }

  /// Runs `body` with an accessory on a hub with a port, and its address.
  private func withAccessory(_ body: (RadioHub, Accessory, DeviceAddress, UInt16) async throws -> Void) async throws {
    try await withLoop { loop in
      let radio = RadioHub(loop: loop)
      let port = try await radio.openPort()
      let accessory = try Accessory(try testProfile(), options: AccessoryOptions(), on: radio)
      let events = await accessory.events()
      try await accessory.start()
      try await body(radio, accessory, try await events.ready().address, port)
      await accessory.stop()
      _ = await accessory.end()
      await radio.close()
    }
  }

  @Test("Out of range, both sides lose the link; back in range, they connect again")
  func outOfRange() async throws {
    try await withAccessory { radio, accessory, address, port in
      let events = await accessory.events()
      let central = try LineCentral(port: port)
      try central.connect(to: address)
      _ = try await events.named("connected")
      // Only a connection over which something has been received can be lost.
      _ = try central.request(ExchangeMTURequest(clientMTU: 23))
      await radio.setImpairment(PathImpairment(isReachable: false), from: "accessory", to: "tcp-1")
      await radio.setImpairment(PathImpairment(isReachable: false), from: "tcp-1", to: "accessory")
      #expect(try central.disconnection() == .connectionTimeout)
      #expect(try await events.named("disconnected").json["code"] == .int(8))
      await radio.setImpairment(nil, from: "accessory", to: "tcp-1")
      await radio.setImpairment(nil, from: "tcp-1", to: "accessory")
      #expect(await radio.impairment(from: "tcp-1", to: "accessory") == nil)
      try central.connect(to: address)
      central.close()
    }
  }

  @Test("Settings for a name wait for its controller, and apply again when it returns")
  func namesWait() async throws {
    try await withAccessory { radio, accessory, address, port in
      await radio.impair(.path(from: "accessory", to: "tcp-1", PathImpairment(strength: -91)))
      await radio.impair(.controller("tcp-1", ControllerImpairment(bufferLimit: 3)))
      for _ in 0..<2 {
        let central = try LineCentral(port: port)
        #expect(try central.scan(for: [address]) == [address: -91])
        let controllers = await radio.stateReport()["controllers"]?.elements
        #expect(controllers?.last?["impairment"]?["buffers"] == .int(3))
        var events = await radio.events().makeAsyncIterator()
        central.close()
        #expect(await events.next() == .left(name: "tcp-1"))
      }
      let paths = await radio.stateReport()["paths"]
      #expect(paths?.elements.map { $0["rssi"] } == [.int(-91)])
    }
  }

  @Test("The default applies to all paths without their own impairment")
  func everywhere() async throws {
    try await withAccessory { radio, _, address, port in
      await radio.impair(.everywhere(PathImpairment(strength: -70)))
      await radio.impair(.path(from: "accessory", to: "tcp-2", PathImpairment(strength: -20)))
      let first = try LineCentral(port: port)
      #expect(try first.scan(for: [address]) == [address: -70])
      let second = try LineCentral(port: port)
      #expect(try second.scan(for: [address]) == [address: -20])
      #expect(await radio.stateReport()["default"]?["rssi"] == .int(-70))
      await radio.setImpairment(nil, from: "accessory", to: "tcp-2")
      #expect(try second.scan(for: [address]) == [address: -70])
      first.close()
      second.close()
    }
  }

  @Test("An accessory recovers by itself when its controller restarts")
  func restart() async throws {
    try await withAccessory { radio, accessory, _, _ in
      let events = await accessory.events()
      #expect(await radio.restartController("accessory", announcing: .hardwareError(0x42)))
      _ = try await events.named("fault")
      _ = try await events.named("advertising-ready")
      #expect(await !radio.restartController("tcp-1", announcing: .silently))
    }
  }

  @Test("A controller that hangs is silent until it is restarted")
  func hang() async throws {
    try await withAccessory { radio, _, address, port in
      let central = try LineCentral(port: port)
      try central.connect(to: address)
      _ = try central.request(ExchangeMTURequest(clientMTU: 23))
      await radio.setImpairment(ControllerImpairment(isHung: true), of: "accessory")
      #expect(try central.disconnection() == .connectionTimeout)
      #expect(await radio.impairment(of: "accessory").isHung)
      #expect(await radio.restartController("accessory", announcing: .nop))
      #expect(await !radio.impairment(of: "accessory").isHung)
      try central.connect(to: address)
      central.close()
    }
  }
}
