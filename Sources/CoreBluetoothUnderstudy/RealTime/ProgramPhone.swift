#if os(Linux)
  import Foundation

  /// The phone of a program that creates no phone itself: environment variables name its controller.
  package enum ProgramPhone {
    /// The address of the controller.
    static let controllerVariable = "UNDERSTUDY_CONTROLLER"
    /// The folder for bonds and identifiers.
    static let stateVariable = "UNDERSTUDY_STATE"
    /// The passkey that the person types.
    static let passkeyVariable = "UNDERSTUDY_PASSKEY"

    /// Creates the phone that the environment names. Its person pairs with any accessory. Returns nil if the environment names no
    /// controller. Also returns nil if the phone cannot be created, and prints the reason to standard error.
    package static func make(in environment: [String: String]) -> (app: PhoneApp, phone: SystemPhone)? {
      guard let controller = environment[controllerVariable], !controller.isEmpty else { return nil }
      do {
        let phone = try SystemPhone(controller: controller, state: environment[stateVariable])
        phone.person = .pairs(passkey: environment[passkeyVariable].flatMap { UInt32($0) })
        return (phone.app(ProcessInfo.processInfo.processName), phone)
      } catch {
        SystemPhone.printError("\(controllerVariable)=\(controller): \(error)")
        return nil
      }
    }
  }
#endif
