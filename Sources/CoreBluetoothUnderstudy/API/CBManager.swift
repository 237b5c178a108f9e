import Foundation

/// The state of a manager.
public enum CBManagerState: Int, Sendable {
  case unknown = 0
  case resetting = 1
  case unsupported = 2
  case unauthorized = 3
  case poweredOff = 4
  case poweredOn = 5
}

/// The permission of the app to use Bluetooth.
public enum CBManagerAuthorization: Int, Sendable {
  case notDetermined = 0
  case restricted = 1
  case denied = 2
  case allowedAlways = 3
}

/// The base class of central and peripheral managers.
///
/// As with Apple's classes, both the app's threads and the system's use the classes of this module, so locks protect their mutable state.
/// They are `@unchecked Sendable` because the compiler cannot check that for open classes.
open class CBManager: NSObject, @unchecked Sendable {
  @Locked var currentState: CBManagerState
  /// The app that created it; nil if there is no phone.
  let app: PhoneApp?

  init(state: CBManagerState, app: PhoneApp?) {
    (currentState, self.app) = (state, app)
  }

  /// The state. Before `poweredOn`, a manager accepts no commands.
  open var state: CBManagerState { currentState }

  /// The permission of the app that created this manager.
  open var authorization: CBManagerAuthorization { app?.permission ?? .notDetermined }

  /// The permission of the current app.
  open class var authorization: CBManagerAuthorization {
    PhoneApp.ofCaller?.permission ?? .notDetermined
  }
}

/// The base class of peripherals and centrals.
open class CBPeer: NSObject, @unchecked Sendable {
  /// The identifier by which this phone knows the device. It is not an address, and differs from phone to phone.
  public let identifier: UUID

  init(identifier: UUID) { self.identifier = identifier }
}
