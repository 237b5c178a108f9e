#if os(Linux)
  import CoreBluetoothUnderstudy
  import Foundation
  import Synchronization
  import Testing
  import Transport
  import Understudy

  @Suite("A phone in real time", .timeLimit(.minutes(20))) struct RealTimeTests {
    private static let text = """
      understudy: 1
      name: Device
      security: { pairing: just-works }
      l2cap:
        - { id: echo, psm: 0x0080, handler: echo }
      services:
        - uuid: A000
          characteristics:
            - { id: a, uuid: A001, properties: [read, write, notify], value: hex:01, notify: on-change }
            - { id: b, uuid: A002, properties: [read], value: hex:02, permissions: { read: encrypted } }
      """

    private func withDevice(_ body: (RadioStage) async throws -> Void) async throws {
      try await withRadio(try Profile.load(text: Self.text), body)
    }

    @Test("An app reads, writes, and gets values") func values() async throws {
      try await withDevice { stage in
        let phone = try SystemPhone(controller: stage.controller)
        let app = LiveApp(of: phone.app())
        try await app.connect()
        try await app.discover()
        try await app.wait(for: "value A001") { $0.peripheral?.readValue(for: try $0.characteristic("A001")) }
        #expect(try app.run { try $0.characteristic("A001").value } == Data([0x01]))
        try await app.wait(for: "notifying true") {
          $0.peripheral?.setNotifyValue(true, for: try $0.characteristic("A001"))
        }
        try await app.wait(for: "write A001") {
          $0.peripheral?.writeValue(Data([0x05]), for: try $0.characteristic("A001"), type: .withResponse)
        }
        #expect(try await stage.accessory.value(of: "a").octets == [0x05])
        try await stage.accessory.setValue(.octets([0x07]), of: "a")
        // The accessory also notifies the written value.
        while try app.run({ try $0.characteristic("A001").value }) != Data([0x07]) {
          try await app.wait(for: "value A001")
        }
        try await app.wait(for: "disconnect") { $0.manager?.cancelPeripheralConnection(try #require($0.peripheral)) }
        phone.close()
      }
    }

    /// Sends a text through a channel, and reports the octets that come back.
    private final class Exchange: NSObject, StreamDelegate, @unchecked Sendable {
      private var toSend = Data("hello".utf8)
      private let received: AsyncStream<Data>.Continuation

      init(_ channel: CBL2CAPChannel, _ received: AsyncStream<Data>.Continuation) {
        self.received = received
        super.init()
        for stream in [channel.inputStream, channel.outputStream] as [Stream?] {
          stream?.delegate = self
          stream?.schedule(in: .main, forMode: .default)
          stream?.open()
        }
      }

      func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        var buffer = [UInt8](repeating: 0, count: 64)
        if let input = aStream as? InputStream, eventCode == .hasBytesAvailable {
          let count = input.read(&buffer, maxLength: buffer.count)
          received.yield(Data(buffer.prefix(max(0, count))))
        } else if let output = aStream as? OutputStream, eventCode == .hasSpaceAvailable, !toSend.isEmpty {
          let count = toSend.withUnsafeBytes { octets in
            octets.bindMemory(to: UInt8.self).baseAddress.map { output.write($0, maxLength: octets.count) } ?? 0
          }
          toSend.removeFirst(max(0, count))
        }
      }
    }

    @Test("An app sends and receives on a channel") func channel() async throws {
      try await withDevice { stage in
        let phone = try SystemPhone(controller: stage.controller)
        let app = LiveApp(of: phone.app())
        try await app.connect()
        try await app.wait(for: "channel 128") { $0.peripheral?.openL2CAPChannel(0x0080) }
        let (answers, continuation) = AsyncStream.makeStream(of: Data.self)
        let exchange = try app.run { Exchange(try #require($0.channel), continuation) }
        var received = Data()
        for await answer in answers {
          received += answer
          if received.count >= 5 { break }
        }
        #expect(received == Data("hello".utf8))
        withExtendedLifetime(exchange) {}
        phone.close()
      }
    }

    @Test("A person answers a pairing sheet on another thread") func sheet() async throws {
      try await withRadio(try Profile.load("smart-lock")) { stage in
        let phone = try SystemPhone(controller: stage.controller)
        let kinds = Mutex<[PairingSheet.Kind]>([])
        phone.onPairingSheet { sheet in
          kinds.withLock { $0.append(sheet.kind) }
          sheet.type(123456)
        }
        let app = LiveApp(of: phone.app())
        try await app.connect()
        try await app.discover()
        let state = "A0000021-7C4D-4B0E-9E4B-1F6E2A1B9C00"
        try await app.wait(for: "value") { $0.peripheral?.readValue(for: try $0.characteristic(state)) }
        #expect(try app.run { try $0.characteristic(state).value } == Data([0]))
        #expect(kinds.withLock { $0 } == [.enterPasskey])
        #expect(phone.bonded == ["Smart Lock"])
        #expect(phone.pairingSheet == nil)
        phone.close()
      }
    }

    @Test("A lost controller makes Bluetooth unsupported, and nothing is connected") func lostController() async throws
    {
      try await withDevice { stage in
        let phone = try SystemPhone(controller: stage.controller)
        let app = LiveApp(of: phone.app())
        try await app.connect()
        #expect(phone.failure == nil)
        await stage.radio.close()
        try await app.wait(for: "state unsupported")
        #expect(app.run { $0.peripheral?.state } == .disconnected)
        #expect(phone.failure?.contains("was closed") ?? false)
        #expect(!phone.isBluetoothOn)
        let later = LiveApp(of: phone.app("Later"))
        try await later.wait(for: "state unsupported")
        phone.close()
      }
    }

    @Test("Bluetooth can be switched off and on again") func power() async throws {
      try await withDevice { stage in
        let phone = try SystemPhone(controller: stage.controller)
        let app = LiveApp(of: phone.app())
        try await app.connect()
        phone.isBluetoothOn = false
        try await app.wait(for: "state poweredOff")
        #expect(app.run { $0.peripheral?.state } == .disconnected)
        phone.isBluetoothOn = true
        try await app.wait(for: "state poweredOn")
        try await app.wait(for: "connect") { $0.manager?.connect(try #require($0.peripheral)) }
        phone.close()
        // A closed phone still answers questions.
        #expect(!phone.isBluetoothOn)
        #expect(phone.bonded == [])
      }
    }

    @Test("Bonds and identifiers survive the phone in a folder that only its owner can read") func state() async throws
    {
      try await withDevice { stage in
        let folder = "\(stage.folder)/state"
        let first = try SystemPhone(controller: stage.controller, state: folder)
        first.person = .pairs()
        let app = LiveApp(of: first.app())
        try await app.connect()
        try await app.discover()
        try await app.wait(for: "value A002") { $0.peripheral?.readValue(for: try $0.characteristic("A002")) }
        let identifier = try app.run { try #require($0.peripheral).identifier }
        #expect(first.setSharesNotifications(true, with: "Device"))
        first.close()
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/central.json")
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

        let second = try SystemPhone(controller: stage.controller, state: folder)
        #expect(second.bonded == ["Device"] && second.sharesNotifications(with: "Device"))
        second.onPairingSheet { _ in Issue.record("the bond was not used") }
        let later = LiveApp(of: second.app())
        try await later.wait(for: "state poweredOn")
        try await later.wait(for: "connect") { recorder in
          let known = recorder.manager?.retrievePeripherals(withIdentifiers: [identifier]).first
          recorder.adopt(try #require(known))
          recorder.manager?.connect(try #require(known))
        }
        try await later.discover()
        try await later.wait(for: "value A002") { $0.peripheral?.readValue(for: try $0.characteristic("A002")) }
        #expect(try later.run { try $0.characteristic("A002").value } == Data([0x02]))
        #expect(throws: PhoneStateFailure.self) { try SystemPhone(controller: stage.controller, state: folder) }
        second.close()
      }
    }

    @Test("The phone sets a damaged file of its state aside, and reports it") func damage() async throws {
      try await withDevice { stage in
        let folder = "\(stage.folder)/state"
        try SystemPhone(controller: stage.controller, state: folder).close()
        #expect(FileManager.default.createFile(atPath: "\(folder)/central.json", contents: Data("no".utf8)))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/central.json")
        let reports = Mutex<[String]>([])
        let phone = try SystemPhone(controller: stage.controller, state: folder) { line in
          reports.withLock { $0.append(line) }
        }
        #expect(reports.withLock { $0.count } == 1)
        #expect(FileManager.default.fileExists(atPath: "\(folder)/central.json.damaged-1"))
        phone.close()
      }
    }

    @Test("Two apps share a link, which stays until both have canceled it") func twoApps() async throws {
      try await withDevice { stage in
        let phone = try SystemPhone(controller: stage.controller)
        let (first, second) = (LiveApp(of: phone.app("First")), LiveApp(of: phone.app("Second")))
        try await first.connect()
        let identifier = try first.run { try #require($0.peripheral).identifier }
        try await second.wait(for: "state poweredOn")
        try await second.wait(for: "connect") { recorder in
          let known = recorder.manager?.retrievePeripherals(withIdentifiers: [identifier]).first
          recorder.adopt(try #require(known))
          recorder.manager?.connect(try #require(known))
        }
        try await first.wait(for: "disconnect") { $0.manager?.cancelPeripheralConnection(try #require($0.peripheral)) }
        try await second.discover()
        try await second.wait(for: "value A001") { $0.peripheral?.readValue(for: try $0.characteristic("A001")) }
        phone.close()
      }
    }

    @Test("Callbacks come on the app's queue, one after the other", arguments: [false, true])
    func queue(isConcurrent: Bool) async throws {
      try await withDevice { stage in
        let phone = try SystemPhone(controller: stage.controller)
        let queue = DispatchQueue(label: "app", attributes: isConcurrent ? .concurrent : [])
        let app = LiveApp(queue, of: phone.app())
        let running = Atomic<Int>(0)
        let overlaps = Atomic<Int>(0)
        try await app.connect()
        try await app.discover()
        app.run { recorder in
          let note = recorder.then
          recorder.then = { line in
            dispatchPrecondition(condition: .onQueue(queue))
            if running.add(1, ordering: .relaxed).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
            note(line)
            running.subtract(1, ordering: .relaxed)
          }
          recorder.clear()
        }
        try await app.wait(for: "rssi") { recorder in
          for _ in 0..<50 { recorder.peripheral?.readValue(for: try recorder.characteristic("A001")) }
          recorder.peripheral?.readRSSI()
        }
        while app.run({ $0.lines.count }) < 51 { try await app.wait(for: "value") }
        #expect(overlaps.load(ordering: .relaxed) == 0)
        phone.close()
      }
    }

    @Test("If the controller cannot be opened, the error names it") func noController() {
      #expect(throws: TransportError.self) { try SystemPhone(controller: "unix:/nonexistent/phone") }
      #expect(throws: ControllerAddress.ParseError.self) { try SystemPhone(controller: "nonsense") }
      #expect(throws: TransportError.self) { try SystemPhone(controller: "tcp-server:127.0.0.1:0") }
    }
  }

  @Suite("A phone that the environment names", .timeLimit(.minutes(20))) struct EnvironmentTests {
    @Test("The phone pairs with the passkey of the environment") func environment() async throws {
      try await withRadio(try Profile.load("smart-lock")) { stage in
        let environment = [
          "UNDERSTUDY_CONTROLLER": stage.controller, "UNDERSTUDY_STATE": "\(stage.folder)/state",
          "UNDERSTUDY_PASSKEY": "123456",
        ]
        let program = try #require(ProgramPhone.make(in: environment))
        let app = LiveApp(of: program.app)
        try await app.connect()
        try await app.discover()
        let state = "A0000021-7C4D-4B0E-9E4B-1F6E2A1B9C00"
        try await app.wait(for: "value") { $0.peripheral?.readValue(for: try $0.characteristic(state)) }
        #expect(program.phone.bonded == ["Smart Lock"])
        program.phone.close()
        #expect(FileManager.default.fileExists(atPath: "\(stage.folder)/state/central.json"))
      }
    }

    @Test("There is no phone without a controller, or if the controller cannot be opened")
    func none() {
      #expect(ProgramPhone.make(in: [:]) == nil)
      #expect(ProgramPhone.make(in: ["UNDERSTUDY_CONTROLLER": "unix:/nonexistent/phone"]) == nil)
    }
  }

  /// A program has one app for all its tests, so each of these tests runs in a process of its own.
  @Suite("The phone of a program", .timeLimit(.minutes(20))) struct ProgramPhoneTests {
    @Test("A manager that is created outside any app belongs to the phone in use") func use() async {
      await #expect(processExitsWith: .success) {
        try await withRadio(try Profile.load("heart-rate")) { stage in
          let phone = try SystemPhone(controller: stage.controller)
          phone.use()
          try await LiveApp(of: nil).connect()
          phone.close()
        }
      }
    }

    @Test("A manager without a phone uses the controller that the environment names") func environment() async {
      await #expect(processExitsWith: .success) {
        try await withRadio(try Profile.load("heart-rate")) { stage in
          setenv("UNDERSTUDY_CONTROLLER", stage.controller, 1)
          let app = LiveApp(of: nil)
          try await app.connect()
          try await app.wait(for: "disconnect") { $0.manager?.cancelPeripheralConnection(try #require($0.peripheral)) }
        }
      }
    }

    @Test("Without a phone, the state is unsupported") func none() async {
      await #expect(processExitsWith: .success) {
        #expect(CBCentralManager().state == .unsupported)
        #expect(!CBCentralManager.supports([]))
        try await LiveApp(of: nil).wait(for: "state unsupported")
      }
    }
  }
#endif
