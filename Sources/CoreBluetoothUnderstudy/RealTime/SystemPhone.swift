#if os(Linux)
  import AccessoryProfile
  import BLECore
  import BLECryptography
  import Foundation
  import Transport
  import Understudy

  /// A phone in real time, on a controller: Core Bluetooth on Linux.
  ///
  /// The controller is a board, an adapter of this machine, or one on the virtual radio of a running accessory:
  ///
  /// ```swift
  /// let phone = try SystemPhone(.iOS, controller: "tcp-client:127.0.0.1:9001")
  /// let app = phone.app("Belt")
  /// let connection = app.run { BeltConnection() }
  /// ```
  ///
  /// Callbacks come asynchronously and in order, on the queues of the app's managers. Any thread may call the methods; they wait for the
  /// phone's own thread. A released phone switches its Bluetooth off, so keep it as long as its apps.
  public final class SystemPhone: PhoneControls, Sendable {
    private let gate: SystemGate
    private let driver: PhoneDriver
    private let loop: PollLoop

    /// The access to the phone's system.
    public var access: PhoneAccess { PhoneAccess(gate.system.shared, gate) }

    /// Creates a phone and begins to switch its Bluetooth on. The managers of its apps report when it is on.
    ///
    /// - Parameters:
    ///   - controller: The address of the controller, as for `understudy run --controller`: `serial:PATH`, `tcp-client:HOST:PORT`,
    ///     `unix:PATH`, `pty` or `hci:0`.
    ///   - name: The name that accessories can read, by default that of the persona.
    ///   - profile: Describes the GATT server that accessories can use, by default that of an iPhone.
    ///   - state: The folder for the identity, the bonds and the identifiers of devices. Without it, the phone keeps nothing.
    ///   - report: Gets a line for each problem with the folder. By default, it prints to standard error.
    /// - Throws: `ControllerAddress.ParseError`, `TransportError` if the line cannot be opened, or `PhoneStateFailure`.
    public init(
      _ persona: Persona = .iOS, controller: String, name: String? = nil, profile: Profile? = nil, state: String? = nil,
      report: @escaping @Sendable (String) -> Void = SystemPhone.printError
    ) throws {
      let address = try ControllerAddress(parsing: controller)
      loop = try PollLoop(name: "phone")
      let store = try state.map { path throws(PhoneStateFailure) in try CentralStore(keepingPhoneIn: path) }
      let (kept, damage) = store?.load() ?? (nil, nil)
      damage.map { report("\($0)") }
      var persona = persona
      let sinceStart = loop.sinceEpoch() - (loop.now() - .zero)
      persona.clock = WallClock(nanosecondsAtZero: sinceStart.inNanoseconds)
      let system = try PhoneSystem(
        persona, profile: try profile ?? .ofPhone(), name: name ?? persona.name, seed: 0, random: .secure,
        stored: kept.flatMap { kept in
          IdentityResolvingKey(kept.identityResolvingKey).map { (kept.identity, $0) }
        }, at: loop.now())
      if let kept { system.restore(kept) }
      system.call = CallbackQueue.call
      gate = SystemGate(system)
      driver = PhoneDriver(address, gate: gate, keeper: store.map { PhoneKeeper($0, report: report) }, loop: loop)
      try driver.start()
    }

    deinit { driver.close() }

    /// Why the controller can no longer be used; nil if it can. The managers' state is then `unsupported`.
    public var failure: String? { gate.failure }

    /// Switches Bluetooth off, and closes the line to the controller. Returns when the state is on the disk.
    public func close() {
      driver.close()
      loop.waitForEnd()
    }

    /// Sets the code that gets each pairing sheet that `person` leaves unanswered. The code runs on a queue of its own.
    public func onPairingSheet(_ body: @escaping @Sendable (PairingSheet) -> Void) {
      let queue = DispatchQueue(label: "understudy.phone.person")
      access.perform { system in system.sheetShown = { sheet in queue.async { body(sheet) } } }
    }

    /// Makes this the phone of the whole program: managers created outside `PhoneApp.run` belong to the returned app. The program keeps the
    /// phone until it uses another one.
    @discardableResult
    public func use(as name: String = ProcessInfo.processInfo.processName) -> PhoneApp {
      let app = app(name)
      PhoneApp.setOfProgram(app, on: self)
      return app
    }

    /// Prints a line to standard error.
    public static let printError: @Sendable (String) -> Void = { line in
      FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
  }
#endif
