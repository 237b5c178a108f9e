import BLECore

/// What a role requires from bring-up.
package struct BringUpPlan: Sendable {
  /// The LE events that the role handles.
  package var leEvents: LEEventMask
  /// The random address to set; nil when the controller's public address is used.
  package var randomAddress: DeviceAddress?
  /// Whether the role advertises. The controller is then asked for its advertising capabilities.
  package var isAdvertiser = false
  /// Whether a set requests a transmit power. A controller with Zephyr's firmware is then asked whether it can set one.
  package var asksForTransmitPower = false
  /// Whether the role needs lists of peers in the controller. The controller is then asked for their sizes.
  package var usesPeerLists = false
  /// Whether the role uses BR/EDR, where the controller supports it.
  package var usesClassic = false
  /// Whether the role finds devices on BR/EDR.
  package var inquires = false
  /// The longest payload that links offer to send from their start, in octets; nil leaves it to each link.
  package var suggestedDataLength: Int?
  /// The newest version of the specification whose features are used; nil for the controller's version.
  package var newestVersion: CoreVersion?
  /// The PHYs that links may change to; nil for all that the controller supports.
  package var allowedPHYs: PHYSet?
  /// The number of data packets that the controller may send before the host has processed them, where the controller supports flow
  /// control (Core 5.4 Vol 4 Part E 4.2); zero disables it.
  package var hostBuffers = 0

  /// Creates a plan with only these requirements.
  package init(leEvents: LEEventMask, randomAddress: DeviceAddress?) {
    self.leEvents = leEvents
    self.randomAddress = randomAddress
  }
}
