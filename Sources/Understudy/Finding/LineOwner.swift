import BLEHCI
import Transport

/// An actor that owns the HCI transport to a controller: it opens it, waits for a controller that is not there, and finds one
/// again under another name. An accessory with a controller of its own is one, and so is the line to a shared controller.
protocol LineOwner: Actor {
  /// Its loop, which is its executor.
  nonisolated var loop: PollLoop { get }
  /// The controller, as it was given.
  nonisolated var controllerAddress: ControllerAddress { get }
  /// Whether a controller that is not there is waited for.
  nonisolated var waitsForController: Bool { get }
  /// Whether nothing is to be opened any longer.
  var hasEnded: Bool { get }
  /// The controller that is waited for; nil when none is.
  var search: AbsentController? { get set }
  /// The port that the controller is or was on, where udev knows it.
  var served: ServedPort? { get set }
  /// By which a line has come that is not yet known to lead to a controller.
  var entrance: ControllerEntrance? { get set }
  /// What was opened.
  var transport: HCITransport { get set }

  /// Tells what becomes of the controller.
  func tell(_ kind: AccessoryEvent.Kind)
  /// The line in `transport` is open.
  func lineOpened(_ lineKind: LineKind)
  /// The line is none to a controller: closes it, and forgets what was said over it. Part of a turn.
  func lineRefused()
  /// That line has something.
  func lineReady(_ events: PollEvents)
}

/// What is to be expected of a line.
enum LineKind: Sendable {
  /// It ends with its controller.
  case plain
  /// A board may restart behind it unnoticed, and octets may be lost.
  case serial
  /// The controller may be attached to the other side at any time.
  case terminal
}

/// By which a line has come that is not yet known to lead to a controller: a socket to which anybody can connect.
struct ControllerEntrance {
  /// Listens on when the line leads to something else.
  let socket: ListeningSocket
  /// By which others who connect are noticed.
  let watch: WatchID
  /// What the line has said.
  var opening = H4Opening(side: .host)
}

/// The port that a controller is or was on, and how it was opened.
struct ServedPort {
  var port: SerialPort
  var settings: SerialSettings
}
