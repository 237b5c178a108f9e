import BLECore
import BLEHCI

/// What a role wants of a controller that is brought up.
package struct BringUpPlan: Sendable {
  /// The LE events that it takes.
  package var leEvents: LEEventMask
  /// The random address that is set; nil when the controller's public one is used.
  package var randomAddress: DeviceAddress?
  /// Whether it advertises, so that the controller is asked how much it can.
  package var isAdvertiser = false
  /// Whether a set asks for a transmit power, so that a controller of Zephyr's is asked whether it takes one.
  package var asksForTransmitPower = false
  /// Whether it needs lists of peers in the controller, so that it is asked how long they can be.
  package var usesPeerLists = false
  /// The longest payload that links offer to send from their beginning, in octets; nil leaves that to each link.
  package var suggestedDataLength: Int?
  /// The version of the specification whose features are used at the most; nil for all of the controller's.
  package var newestVersion: CoreVersion?
  /// The PHYs that links may go over to; nil for all that the controller has.
  package var allowedPHYs: PHYSet?
  /// How many packets of data the controller may send before the host has taken them, where it has flow control
  /// (Core 5.4 Vol 4 Part E 4.2); zero leaves that off.
  package var hostBuffers = 0

  /// A plan that asks for nothing but these.
  package init(leEvents: LEEventMask, randomAddress: DeviceAddress?) {
    self.leEvents = leEvents
    self.randomAddress = randomAddress
  }
}
