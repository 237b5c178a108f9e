#if os(Linux)
  import Foundation

  /// The phone of a program that names its controller in the environment, and says nothing else of phones.
  package enum ProgramPhone {
    /// The address of the controller.
    static let controllerVariable = "UNDERSTUDY_CONTROLLER"
    /// The folder for bonds and identifiers.
    static let stateVariable = "UNDERSTUDY_STATE"
    /// The passkey that the person types.
    static let passkeyVariable = "UNDERSTUDY_PASSKEY"

    /// Creates the phone that the environment names, whose person pairs with any accessory; nil if it names none, or if that fails: then the
    /// reason is written to the standard error output.
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
