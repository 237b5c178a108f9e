import Dispatch
import Foundation
import Synchronization

/// An app on a phone. Managers that its code creates within `run` belong to it.
///
/// ```swift
/// let app = phone.app("Belt")
/// let belt = app.run { BeltConnection() }   // creates a CBCentralManager
/// ```
///
/// `@unchecked Sendable`: the app's threads and the system's use it. Its mutable state is behind locks in property wrappers, where the
/// compiler does not see them.
public final class PhoneApp: @unchecked Sendable {
  /// The phases of an app's life cycle.
  public enum Phase: Sendable {
    case foreground
    /// In the background. Each Bluetooth event wakes the app.
    case background
    /// In the background without the background mode for Bluetooth. The app gets its events when it returns to the foreground.
    case suspended
    /// Not running.
    case terminated
  }

  /// The app whose code is running.
  @TaskLocal public static var current: PhoneApp?

  /// The app of a program with a single phone, and the object that keeps the phone alive; nil until the environment was read.
  private static let ofProgram = Mutex<(app: PhoneApp?, phone: (any AnyObject & Sendable)?)?>(nil)

  /// The app to which a new manager belongs.
  static var ofCaller: PhoneApp? { current ?? appOfProgram }

  private static var appOfProgram: PhoneApp? {
    ofProgram.withLock { program in
      if let program { return program.app }
      #if os(Linux)
        let made = ProgramPhone.make(in: ProcessInfo.processInfo.environment)
        program = (made?.app, made?.phone)
      #endif
      return program?.app
    }
  }

  /// Sets the app of the program, and keeps its phone.
  static func setOfProgram(_ app: PhoneApp, on phone: any AnyObject & Sendable) {
    let previous = ofProgram.withLock { program in
      defer { program = (app, phone) }
      return program
    }
    withExtendedLifetime(previous) {}
  }

  /// The name.
  public let name: String
  /// Whether its Info.plist has the background mode `bluetooth-central`.
  public let hasBackgroundMode: Bool
  let shared: PhoneShared
  @Locked var phase = Phase.foreground
  @Locked private var currentPermission: CBManagerAuthorization
  @Locked private var log = Log()
  /// The code that starts the app. It gets the restore identifiers if the system launches the app.
  @Locked var launch: (@Sendable ([String]) -> Void)?

  private struct Log {
    var alerts: [String] = []
    var misuses: [String] = []
  }

  init(_ name: String, background: Bool, permission: CBManagerAuthorization, on shared: PhoneShared) {
    self.name = name
    hasBackgroundMode = background
    currentPermission = permission
    self.shared = shared
  }

  /// Runs code of the app.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(self, operation: body)
  }

  /// The alerts that the system has shown for this app: for its permission, for Bluetooth that is off, and for connection options while the
  /// app was suspended.
  public var alerts: [String] { log.alerts }

  /// The misuses of the API. Core Bluetooth logs them as "API MISUSE".
  public var misuses: [String] { log.misuses }

  /// The permission to use Bluetooth (`PhoneControls.setPermission`).
  public internal(set) var permission: CBManagerAuthorization {
    get { currentPermission }
    set { currentPermission = newValue }
  }

  // MARK: - Inside

  var persona: Persona { shared.persona }
  var knownDevices: [UUID: KnownDevice] { shared.devices }
  var connectedDevices: [ConnectedDevice] { shared.connected }

  func nextManagerID() -> ManagerID { shared.nextManagerID() }

  func register(_ manager: CBCentralManager, showsPowerAlert: Bool) {
    CallbackQueue.mark(manager.queue)
    post { [self] in $0.add(manager, of: self, showsPowerAlert: showsPowerAlert) }
  }

  /// Queues a call of the app on one of its queues.
  func call(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    CallbackQueue.mark(queue)
    post { [self] in $0.deliveries.append(Delivery(app: self, target: .queue(queue), body: body)) }
  }

  func post(_ call: @escaping Mailbox.Call) { shared.mailbox.post(call) }

  func alert(_ text: String) { $log.change { $0.alerts.append(text) } }

  func misuse(_ text: String) {
    $log.change { $0.misuses.append(text) }
    shared.note(misuse: text, by: name)
  }

  /// Returns whether a scan finds anything in the present phase. In the background, only a scan for services does.
  func mayScan(_ scan: AppScan?) -> Bool {
    switch phase {
    case .foreground: true
    case .background, .terminated: hasBackgroundMode && !(scan?.services ?? []).isEmpty
    case .suspended: false
    }
  }
}
