import BLEATT
import BLECore
import BLEGATT
import BLELink
import PeripheralHost

/// A server whose database has every kind of attribute, with one client whose PDUs are the input. It keeps account of the requests.
struct ServerBench {
  private var server: GATTServer
  private var session = GATTSession(client: 1)
  private var bearer = ServerBearer()
  private var application = FuzzApplication()
  private var now = Instant.zero
  private var bond: GATTBondState?
  /// The requests that were neither answered nor ignored, in order.
  private var open: [[UInt8]] = []
  /// Whether an indication waits for its confirmation.
  private var isIndicated = false

  init() throws(Violation) {
    guard let server = Self.server else { throw Violation(description: "no database can be made of the services") }
    self.server = server
  }

  private static let server: GATTServer? = try? GATTServer(
    database: FuzzAccessory.configuration.makeDatabase(), receiveMTU: 517,
    hashFunction: { octets in (0..<16).map { $0 < octets.count ? octets[$0] : 0 } })

  mutating func play(_ input: inout FuzzInput) throws(Violation) {
    while !input.isAtEnd {
      try step(&input)
      try check()
    }
    // Everything that waits ends with its bearer.
    var events: [ServerEvent] = []
    try close(&events)
    try require(bearer.tickets.isEmpty, "tickets of a client that is gone are left")
  }

  private mutating func step(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(12) {
    case 0, 1: try receive(input.run())
    case 2:
      // A request for a handle that usually exists.
      let opcode = input.octet()
      let handle = input.octet()
      try receive([opcode, handle & 0x3F, handle & 0x40 == 0 ? 0 : 1] + input.octets(input.below(32)))
    case 3: application.mood = input.octet()
    case 4: try answer(&input)
    case 5: session.security = security(input.octet())
    case 6: try edit(input.octet())
    case 7: try push(CharacteristicIndex(input.below(10)), isIndication: input.flag())
    case 8: try confirm()
    case 9: try advance(.milliseconds(Int(input.octet()) * 200))
    case 10: bond = server.bondState(of: session)
    default: try reconnect()
    }
  }

  private func security(_ choice: UInt8) -> LinkSecurity {
    let protections: [LinkProtection] = [.none, .encrypted, .authenticated, .secureConnections]
    return LinkSecurity(
      protection: protections[Int(choice & 3)], keySize: choice & 3 == 0 ? 0 : 7 + Int(choice >> 2 & 7),
      isBonded: choice & 0x80 != 0)
  }

  // MARK: Requests

  private mutating func receive(_ pdu: [UInt8]) throws(Violation) {
    let mtu = bearer.att.mtu
    var reply = OctetBuffer()
    var effects = ServerEffects(reportsAccess: true)
    let isRequest = pdu.first.map { ATTOpcode(rawValue: $0).kind == .request } ?? false
    server.receive(
      pdu.span, on: &bearer, from: &session, application: &application, at: now, reply: &reply, effects: &effects)
    if isRequest { open.append(pdu) }
    for case .earlyRequest(_, isKept: false) in effects.events { open.removeLast() }
    if pdu.first == ATTOpcode.handleValueConfirmation.rawValue { isIndicated = false }
    try take(reply.copy(), effects, mtu: mtu)
    if isRequest, bearer.att.openRequest == nil { try require(open.isEmpty, "a request is not answered") }
  }

  /// Takes the answer to the first open request, if there is one.
  private mutating func take(_ reply: [UInt8], _ effects: ServerEffects, mtu: Int) throws(Violation) {
    try indicated(effects.nextIndication)
    for action in effects.actions {
      switch action {
      case .notify(let index): try push(index, isIndication: false)
      case .indicate(let index): try push(index, isIndication: true)
      case .store(let index, let value): server.store(value, of: index)
      // The application of this bench never answers by itself, and there is no radio.
      case .answer, .advertise, .sleep, .wake: break
      }
    }
    guard let first = reply.first else { return }
    try require(!open.isEmpty, "an answer to no request: \(reply.hexadecimal)")
    let request = open.removeFirst()
    try require(reply.count <= mtu, "an answer of \(reply.count) octets at an MTU of \(mtu)")
    if first == ATTOpcode.errorResponse.rawValue {
      try require(reply.count == 5 && reply[1] == request[0] && reply[4] != 0, "not a valid error response")
    } else {
      try require(first == request[0] &+ 1, "\(reply.hexadecimal) answers \(request.hexadecimal)")
    }
    if first == ATTOpcode.readByTypeResponse.rawValue || first == ATTOpcode.readByGroupTypeResponse.rawValue {
      let isWhole = reply.count > 2 && reply[1] > 0 && (reply.count - 2).isMultiple(of: Int(reply[1]))
      try require(isWhole, "the list contains incomplete entries")
    }
  }

  /// Gives one of the late answers, and then the answers to the requests that wait behind it.
  private mutating func answer(_ input: inout FuzzInput) throws(Violation) {
    guard let ticket = application.takeTicket(input.below(8)) else { return }
    let answers: [LateAnswer] = [.accepted, .error(.unlikelyError), .value([UInt8](repeating: 9, count: 30))]
    let answer = answers[input.below(3)]
    var reply = OctetBuffer()
    var effects = ServerEffects(reportsAccess: true)
    let mtu = bearer.att.mtu
    guard
      server.answer(
        ticket, with: answer, on: &bearer, from: &session, application: &application, at: now, reply: &reply,
        effects: &effects)
    else { return }
    try take(reply.copy(), effects, mtu: mtu)
    for _ in 0...ATTBearer.earlyRequestLimit {
      var reply = OctetBuffer()
      var effects = ServerEffects(reportsAccess: true)
      let mtu = bearer.att.mtu
      let hasMore = server.answerEarlyRequest(
        on: &bearer, from: &session, application: &application, at: now, reply: &reply, effects: &effects)
      try take(reply.copy(), effects, mtu: mtu)
      guard hasMore else { return }
    }
    throw Violation(description: "more early requests than are kept")
  }

  private mutating func advance(_ duration: Duration) throws(Violation) {
    now += duration
    var events: [ServerEvent] = []
    // First the warning, then the end.
    for _ in 0..<2 { server.checkRequest(on: &bearer, application: &application, at: now, events: &events) }
    if bearer.att.checkIndication(at: now) || bearer.att.hasTimedOut { try close(&events) }
    try require(bearer.att.deadline.map { $0 > now } ?? true, "a deadline that has passed")
  }

  // MARK: Messages that the server begins

  private mutating func push(_ index: CharacteristicIndex, isIndication: Bool) throws(Violation) {
    guard server.database.characteristics.contains(where: { $0.index == index }),
      let value = server.valueToSend(of: index, to: &session, application: &application, at: now)
    else { return }
    guard !isIndication else {
      return try indicated(server.indication(of: index, value: value, on: &bearer, to: &session, at: now))
    }
    var buffer = OctetBuffer()
    server.notification(of: index, value: value, on: &bearer, to: &session, into: &buffer)
    try require(buffer.count <= bearer.att.mtu, "a notification of \(buffer.count) octets")
  }

  /// Checks that only one indication at a time waits for its confirmation.
  private mutating func indicated(_ indication: HandleValueIndication?) throws(Violation) {
    guard let indication else { return }
    try require(!isIndicated, "an indication is sent before the previous one is confirmed")
    try require(indication.value.count <= bearer.att.mtu - 3, "an indication of \(indication.value.count) octets")
    isIndicated = true
  }

  private mutating func confirm() throws(Violation) { try receive([ATTOpcode.handleValueConfirmation.rawValue]) }

  private mutating func edit(_ choice: UInt8) throws(Violation) {
    guard let change = try? server.apply(FuzzAccessory.edit(choice)) else { return }
    var events: [ServerEvent] = []
    server.databaseChanged(change, for: &session, events: &events)
    try indicated(server.nextIndication(on: &bearer, for: &session, at: now))
  }

  /// Disconnects the client and connects it again, with its bond if there is one.
  private mutating func reconnect() throws(Violation) {
    var events: [ServerEvent] = []
    try close(&events)
    session = GATTSession(client: 1)
    guard let bond else { return }
    server.restore(bond, to: &session, events: &events)
    try indicated(server.nextIndication(on: &bearer, for: &session, at: now))
  }

  /// Ends the bearer, and starts another one in its place.
  private mutating func close(_ events: inout [ServerEvent]) throws(Violation) {
    server.close(&bearer, of: &session, application: &application, events: &events)
    (open, isIndicated) = ([], false)
    try indicated(server.nextIndication(on: &bearer, for: &session, at: now))
  }

  // MARK: Invariants

  private func check() throws(Violation) {
    try require((23...517).contains(bearer.att.mtu), "an MTU of \(bearer.att.mtu)")
    try require(session.preparedWrites.parts.count <= PreparedWriteQueue.capacity, "too many prepared writes")
    try require(bearer.tickets.count <= 65, "\(bearer.tickets.count) questions are open")
    try require(open.count <= 1 + ATTBearer.earlyRequestLimit, "\(open.count) requests are open")
    try require((bearer.att.openRequest == nil) == open.isEmpty, "requests are lost")
    let attributes = server.database.attributes
    for (attribute, next) in zip(attributes, attributes.dropFirst()) {
      try require(attribute.handle < next.handle, "handles do not ascend")
    }
    for attribute in attributes {
      try require(attribute.value.count <= 512, "a value of \(attribute.value.count) octets")
      if attribute.hasFixedLength, case .storedValue = attribute.role {
        try require(attribute.value.count == attribute.maximumLength, "a value does not have its fixed length")
      }
    }
  }
}
