import BLEHCI
import Transport

/// An actor that owns the HCI transport to a controller: it opens the transport, waits for a missing controller, and finds it
/// again under another port name. There are two: an accessory with a controller of its own, and the line to a shared controller.
protocol LineOwner: Actor {
  /// Its loop, which is its executor.
  nonisolated var loop: PollLoop { get }
  /// The controller's address, as given.
  nonisolated var controllerAddress: ControllerAddress { get }
  /// Whether to wait for a missing controller.
  nonisolated var waitsForController: Bool { get }
  /// Whether the owner has ended, so that nothing may be opened any more.
  var hasEnded: Bool { get }
  /// The search for a missing controller; nil if there is none.
  var search: AbsentController? { get set }
  /// The port that the controller is or was on, if udev knows it.
  var served: ServedPort? { get set }
  /// The socket of a connection that is not yet known to be the controller's.
  var entrance: ControllerEntrance? { get set }
  /// The current transport.
  var transport: HCITransport { get set }

  /// Reports an event about the controller.
  func tell(_ kind: AccessoryEvent.Kind)
  /// Starts using the line in `transport`, which is open.
  func lineOpened(_ lineKind: LineKind)
  /// Closes the line, which turned out not to be a controller's, and discards what was exchanged over it. Part of a turn.
  func lineRefused()
  /// Handles an event on the line.
  func lineReady(_ events: PollEvents)
}

/// The properties of a line.
enum LineKind: Sendable {
  /// The line ends when its controller does.
  case plain
  /// A board can restart behind the line unnoticed, and octets can be lost.
  case serial
  /// The controller can be attached to the other side at any time.
  case terminal
}

/// The socket on which a connection arrived that is not yet known to be the controller's. Any program can connect to it.
struct ControllerEntrance {
  /// The socket, which keeps listening in case the connection is not the controller's.
  let socket: ListeningSocket
  /// The watch for further connections.
  let watch: WatchID
  /// The first octets received.
  var opening = H4Opening(side: .host)
}

/// The port that a controller is or was on, and the settings that it was opened with.
struct ServedPort {
  var port: SerialPort
  var settings: SerialSettings
}
