import BLECore
import Faults
import Transport

/// How an accessory is run, beside its profile.
public struct AccessoryOptions: Sendable {
  /// The controller that it drives.
  public var controller: ControllerAddress
  /// Whether the accessories of a group that name the same controller and say so share it. Else it is this one's own.
  public var sharesController = false
  /// Whether a controller that is not there is waited for: at the start, and when it goes away. Without it, both are the end.
  public var waitsForController: Bool
  /// Changes derived addresses and random values; the same seed gives the same run.
  public var seed: UInt64
  /// Where the host of somebody else can join a virtual radio of the accessory's own: a TCP port on the loopback, 0 for any
  /// free one.
  public var radioPort: UInt16
  /// The file that every packet to and from the controller is written to: pcapng where its name ends in `.pcapng`, else
  /// btsnoop; nil for none.
  public var capturePath: String?
  /// Whether advertising reports are in the capture, too.
  public var capturesAdvertising = true
  /// How many octets between host and controller are kept in memory, the last ones, to be saved when somebody wants them or the accessory
  /// fails; 0 keeps none.
  package var ringLimit = 0
  /// What the names of their files begin with.
  package var ringName = "accessory"
  /// The folder in which they are saved.
  package var ringFolder = "."
  /// Whether they are saved by themselves when an accessory fails that was on the air.
  package var savesRingOnFailure = false
  /// Whether the programs of its profile may run. One that has some cannot start without.
  public var allowsPrograms = false
  /// The directory below which what is to survive is kept, in a folder of the accessory's own: identity, bonds, and what has changed
  /// while it ran. Nil keeps nothing.
  public var state: String?
  /// What it does wrong on purpose, beside the faults of its profile.
  public var faults: [Fault] = []
  /// What everything draws from that is to be another at every start, such as the PSMs of channels that the profile leaves to
  /// chance. What `seed` fixes is not drawn.
  public var random = RandomSource.secure

  /// Options.
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
