import BLECore
import Faults
import Transport

/// The options of an accessory's run, in addition to its profile.
public struct AccessoryOptions: Sendable {
  /// The controller to use.
  public var controller: ControllerAddress
  /// Whether the accessory shares its controller with the accessories of its group that name the same
  /// controller and also set this. Otherwise it needs a controller of its own.
  public var sharesController = false
  /// Whether to wait for a missing controller, at the start and when it disappears. Otherwise either one ends the accessory.
  public var waitsForController: Bool
  /// The seed for derived addresses and random values; the same seed gives the same run.
  public var seed: UInt64
  /// The TCP port, on the loopback interface, at which other hosts can join the accessory's own virtual radio; 0 for any free port.
  public var radioPort: UInt16
  /// The file that every packet to and from the controller is written to: pcapng if its name ends in
  /// `.pcapng`, otherwise btsnoop; nil for none.
  public var capturePath: String?
  /// Whether the capture includes advertising reports.
  public var capturesAdvertising = true
  /// The number of octets between host and controller to keep in memory, most recent last. They are saved on
  /// request or when the accessory fails. 0 keeps none.
  package var ringLimit = 0
  /// The prefix of the names of the ring's files.
  package var ringName = "accessory"
  /// The folder in which the ring is saved.
  package var ringFolder = "."
  /// Whether to save the ring automatically when an accessory fails after it was on the air.
  package var savesRingOnFailure = false
  /// Whether the profile's programs may run. An accessory with programs cannot start without this.
  public var allowsPrograms = false
  /// The directory for stored state: identity, bonds, and run-time changes. Each accessory has a folder of
  /// its own in it. Nil stores nothing.
  public var state: String?
  /// The faults to arm, in addition to those of the profile.
  public var faults: [Fault] = []
  /// The source of everything that differs between runs, such as randomly chosen PSMs. It is not used for anything that `seed` determines.
  public var random = RandomSource.secure

  /// Creates options.
  public init(
    controller: ControllerAddress = .virtual, waitsForController: Bool = false, seed: UInt64 = 0,
    radioPort: UInt16 = 0, capturePath: String? = nil
  ) {
    self.controller = controller
    self.waitsForController = waitsForController
    self.seed = seed
    self.radioPort = radioPort
    self.capturePath = capturePath
  }
}
