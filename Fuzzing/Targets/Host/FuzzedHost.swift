import BLECore
import BLEHCI

/// A host on a fake controller, under a clock that the input moves.
protocol FuzzedHost: ~Copyable {
  /// The host's role on its links.
  static var role: LinkRole { get }
  /// The controller that it talks to.
  var controller: FuzzController { get set }
  /// The time.
  var now: Instant { get set }
  /// The time at which it has something to do next.
  var nextDeadline: Instant? { mutating get }
  /// Lets it do what is due now.
  mutating func advance()
  /// Gives it octets from its controller.
  mutating func give(_ octets: [UInt8])
  /// Takes the octets that it sends to its controller, after a look at its events.
  mutating func take() throws(Violation) -> [UInt8]
  /// Checks that what it knows about its links is possible.
  func checkLinks() throws(Violation)
}

extension FuzzedHost where Self: ~Copyable {
  /// How many of the steps of an input are done by `step`.
  static var stepCount: Int { 8 }

  /// Lets the controller or the time do one of `stepCount` things.
  mutating func step(_ kind: Int, _ input: inout FuzzInput) throws(Violation) {
    switch kind {
    case 0: try receive(Packets.event(input.octet(), input.run()))
    case 1: try receive(Packets.event(EventCode.leMeta.rawValue, [input.octet()] + input.run()))
    case 2: try advance(.milliseconds(Int(input.octet()) * (input.flag() ? 500 : 1)))
    case 3: try connect(UInt16(input.below(4)))
    case 4: try receive(HCIDisconnectionComplete { $0.connectionHandle.rawValue = UInt16(input.below(4)) }.h4)
    case 5:
      // Only the deframer knows which packets the host finds in these octets, and when.
      controller.isExact = false
      try receive(input.run())
    case 6: try receive(Packets.acl(UInt16(input.below(4)) | UInt16(input.below(4)) << 12, input.run()))
    default:
      let (handle, channel, length) = (UInt16(input.below(4)), input.octet(), 1 + Int(input.octet()))
      try receive(Packets.frame(handle, channel: channel, input.run(), length: length))
    }
  }

  mutating func connect(_ handle: UInt16) throws(Violation) {
    try receive(Packets.connection(handle, role: Self.role))
  }

  /// The most deadlines in one step of time. The advertising phases and the application's deadline every second bring a few each.
  private static var deadlineLimit: Int { 2000 }

  /// Lets time pass from deadline to deadline.
  mutating func advance(_ duration: Duration) throws(Violation) {
    let end = now + duration
    var count = 0
    while let deadline = nextDeadline, deadline <= end {
      count += 1
      try require(count < Self.deadlineLimit, "deadlines make no progress: \(deadline) at \(now)")
      now = max(now, deadline)
      controller.allowCommand()
      advance()
      try pump()
    }
    now = end
  }

  /// Gives octets to the host and the host's octets to the controller until both are silent.
  mutating func receive(_ octets: [UInt8]) throws(Violation) {
    guard !octets.isEmpty else { return }
    controller.forgetFrames()
    tell(octets)
    try pump()
  }

  private mutating func tell(_ octets: [UInt8]) {
    controller.told(packets: octets)
    give(octets)
  }

  /// The most times that the host and the controller may answer each other; a bring-up takes about twenty turns.
  private static var turnLimit: Int { 400 }

  /// Gives the host's octets to the controller and the controller's answers to the host until both are silent.
  mutating func pump() throws(Violation) {
    for turn in 0..<Self.turnLimit {
      // A host that sends continuously would go on as long as its buffers come back at once.
      if turn == Self.turnLimit / 4 { controller.completesPackets = false }
      let octets = try take()
      guard !octets.isEmpty else { return try checkLinks() }
      let answers = try controller.take(octets)
      if !answers.isEmpty { tell(answers) }
    }
    throw Violation(description: "the host does not become silent")
  }

  /// Undoes what the input did to the controller, and brings the controller up again. This must work whatever came before.
  mutating func recover() throws(Violation) {
    controller.answers = true
    controller.completesPackets = true
    try advance(.seconds(1))
    try receive(HCIHardwareError().h4)
    try advance(.seconds(12))
  }
}
