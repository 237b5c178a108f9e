import BLEHCI

/// A host that shares the controller, and what it waits for.
struct SharingHost: Sendable {
  /// How many advertising sets it has to get.
  let setsNeeded: Int
  var deframer = H4Deframer(side: .controller, maximumDataLength: 4096)
  /// How many octets that belong to no packet stood before the last one: what a host gives a controller that may be waiting for
  /// the rest of a packet.
  var stuffing = 0
  /// Its commands that have not been given to the controller.
  var waiting: [HostCommand] = []
  /// Its data for which no buffer is free.
  var data: [HostData] = []
  /// Octets for it.
  var output: [UInt8] = []
  /// Whether it waits for the answer to HCI_Reset.
  var awaitsReset = false
  /// Which reset of the controller it asked for last, by number.
  var resetAsked: Int?
  /// Whether its last reset has been answered, so that it relies on the controller.
  var isUp = false
  /// Whether it has been told of a fault and has not begun anew yet.
  var isInformed = false

  init(setsNeeded: Int) { self.setsNeeded = setsNeeded }
}

/// A command of a host, as a whole packet with its H4 type.
struct HostCommand: Sendable {
  var opcode: CommandOpcode
  var packet: [UInt8]

  /// Where the parameters begin in the packet: behind the H4 type, the opcode and the length.
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
  /// Whose set it is.
  let seat: SharedController.Seat
  /// The host's handle.
  let hostHandle: UInt8
}
