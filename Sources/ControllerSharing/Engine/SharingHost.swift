import BLEHCI

/// A host that shares the controller, and its pending input and output.
struct SharingHost: Sendable {
  /// The number of advertising sets that it needs.
  let setsNeeded: Int
  var deframer = H4Deframer(side: .controller, maximumDataLength: 4096)
  /// The number of octets before its last packet that belong to no packet. A host sends them to a controller that may be waiting for the
  /// rest of a packet.
  var stuffing = 0
  /// Its commands that have not been sent to the controller.
  var waiting: [HostCommand] = []
  /// Its data packets that wait for a free buffer.
  var data: [HostData] = []
  /// Pending output for it.
  var output: [UInt8] = []
  /// Whether it is waiting for the answer to HCI_Reset.
  var awaitsReset = false
  /// The number of the controller's reset that it requested last.
  var resetAsked: Int?
  /// Whether its last reset has been answered, so that it relies on the controller.
  var isUp = false
  /// Whether it has received a fault event and has not reset since.
  var isInformed = false

  init(setsNeeded: Int) { self.setsNeeded = setsNeeded }
}

/// A command of a host, as a whole packet with its H4 type.
struct HostCommand: Sendable {
  var opcode: CommandOpcode
  var packet: [UInt8]

  /// The offset of the parameters in the packet: after the H4 type, the opcode and the length.
  static let parameters = 4
}

/// An ACL packet of a host, with its H4 type.
struct HostData: Sendable {
  var handle: ConnectionHandle
  var packet: [UInt8]
}

/// An advertising set of the controller.
struct SharedSet: Sendable {
  /// The controller's handle.
  let handle: UInt8
  /// The host that owns the set.
  let seat: SharedController.Seat
  /// The host's handle.
  let hostHandle: UInt8
}
