import BLECore
import ControllerSharing
import Transport

/// A controller on a line, with a seat for each accessory that shares it.
///
/// It opens the line when the first accessory starts, waits for the controller like an accessory with a controller of its own, and closes
/// the line when the last accessory has ended. It runs on the loop of the accessories, so that packets are passed by function calls.
actor SharedControllerLine: LineOwner {
  /// An accessory's seat, numbered in the order of the accessories.
  typealias Seat = SharedController.Seat

  nonisolated let loop: PollLoop
  nonisolated let controllerAddress: ControllerAddress
  nonisolated let waitsForController: Bool
  var transport = HCITransport.none
  var search: AbsentController?
  var served: ServedPort?
  var entrance: ControllerEntrance?
  private(set) var hasEnded = false

  private var shared: SharedController
  private var opening: Task<Result<Void, AccessoryFailure>, Never>?
  private var members: [Seat: Member] = [:]
  /// The kind of line; nil while there is none.
  private var lineKind: LineKind?
  /// The last event about the search for the controller, for accessories that join later.
  private var standing: AccessoryEvent.Kind?
  /// The accessories that are in a turn. They fetch their octets at its end.
  private var exchanging: Set<Seat> = []
  private var inbox = OctetBuffer(minimumCapacity: Line.readSize)
  private var outbox = OctetBuffer(minimumCapacity: 4096)
  private var timer: TimerID?
  private var armedDeadline: Instant?

  /// What an accessory is informed of.
  enum News: Sendable {
    /// The line is open: initialization can start.
    case opened(LineKind)
    /// There are octets that are not the answer to a call of the accessory.
    case hasOutput
    /// This many octets on the line belonged to no packet.
    case skipped(Int)
    /// The line has closed.
    case lost(String)
    /// The line was not a controller's; the search continues.
    case refused
    /// An event about the search for the controller.
    case told(AccessoryEvent.Kind)
    /// The controller cannot support the accessories.
    case failed(AccessoryFailure)
  }

  private struct Member {
    let hear: @Sendable (News) -> Void
    var hasBegun = false
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Creates a controller for several accessories, with the number of advertising sets that each needs.
  init(_ address: ControllerAddress, waits: Bool, advertisingSetsNeeded: [Int], loop: PollLoop) {
    controllerAddress = address
    waitsForController = waits
    shared = SharedController(advertisingSetsNeeded: advertisingSetsNeeded)
    self.loop = loop
  }

  // MARK: - Accessories

  /// Gives an accessory its seat. `hear` is called on the loop with all news about the controller. The first
  /// accessory causes the line to be opened; if that fails, every call throws the error.
  func join(_ seat: Seat, hear: @escaping @Sendable (News) -> Void) async throws(AccessoryFailure) {
    guard !hasEnded else { return }
    members[seat] = Member(hear: hear)
    if let standing { hear(.told(standing)) }
    let task = opening ?? Task { await open() }
    opening = task
    try await task.value.get()
    if let lineKind { begin(seat, lineKind) }
  }

  private func open() async -> Result<Void, AccessoryFailure> {
    do throws(AccessoryFailure) {
      return .success(try await seekController())
    } catch {
      return .failure(error)
    }
  }

  private func begin(_ seat: Seat, _ lineKind: LineKind) {
    guard members[seat]?.hasBegun == false else { return }
    members[seat]?.hasBegun = true
    members[seat]?.hear(.opened(lineKind))
  }

  /// Removes an accessory from its seat and from the air. When the last one leaves, the line is closed.
  func leave(_ seat: Seat) {
    guard members.removeValue(forKey: seat) != nil else { return }
    if lineKind != nil, !members.isEmpty {
      shared.leave(seat, at: loop.now(), into: &outbox)
      flush()
    }
    guard members.isEmpty else { return }
    hasEnded = true
    endSearch()
    closeLine()
    if let timer { loop.removeTimer(timer) }
    timer = nil
  }

  // MARK: - Turns

  /// Passes an accessory's octets to the controller, and returns what the controller then has for it.
  func exchange(_ octets: [UInt8], from seat: Seat, at now: Instant) -> [UInt8] {
    guard lineKind != nil, members[seat] != nil else { return [] }
    shared.receive(octets.span, from: seat, at: now, into: &outbox)
    exchanging.insert(seat)
    flush()
    exchanging.remove(seat)
    return collect(seat)
  }

  /// Returns what the controller has for an accessory.
  func collect(_ seat: Seat) -> [UInt8] { shared.takeOctets(for: seat) }

  func lineReady(_ events: PollEvents) {
    guard case .line(let line, let watch) = transport else { return }
    if events.contains(.writable) {
      check(line.flush())
      guard case .line = transport else { return }
      loop.setInterest(watch, line.interest)
    }
    inbox.removeAll()
    switch line.read(into: &inbox) {
    case .octets:
      guard inbox.withSpan({ isController($0) }) else { return }
      let now = loop.now()
      inbox.withSpan { shared.receive($0, at: now, into: &outbox) }
      flush()
    case .wouldBlock: break
    case .closed: vanish("the line was closed")
    case .failed(let code): vanish(TransportError.text(ofErrno: code))
    }
  }

  private func deadlineReached() {
    armedDeadline = nil
    shared.advance(to: loop.now(), into: &outbox)
    flush()
  }

  /// Ends a turn: sends packets, lets accessories fetch theirs, sets the timer.
  private func flush() {
    if !outbox.isEmpty, case .line(let line, let watch) = transport {
      let outcome = line.write(outbox)
      outbox.removeAll()
      check(outcome)
      if case .line = transport { loop.setInterest(watch, line.interest) }
    }
    if let refusal = shared.refusal {
      // This controller is not used any further.
      closeLine()
      for member in members.values { member.hear(.failed(.unsharable(controller: controllerAddress, refusal))) }
      return
    }
    let skipped = shared.takeSkippedOctets()
    if skipped > 0 { for member in members.values { member.hear(.skipped(skipped)) } }
    for seat in shared.seatsWithOutput where !exchanging.contains(seat) { members[seat]?.hear(.hasOutput) }
    arm()
  }

  private func arm() {
    let deadline = lineKind == nil ? nil : shared.nextDeadline
    guard deadline != armedDeadline, !hasEnded else { return }
    armedDeadline = deadline
    let timer = self.timer ?? loop.addTimer { [weak self] in self?.assumeIsolated { $0.deadlineReached() } }
    self.timer = timer
    loop.setTimer(timer, deadline)
  }

  // MARK: - The line

  func tell(_ kind: AccessoryEvent.Kind) {
    standing = kind
    for member in members.values { member.hear(.told(kind)) }
  }

  func lineOpened(_ lineKind: LineKind) {
    self.lineKind = lineKind
    for seat in members.keys.sorted() { begin(seat, lineKind) }
  }

  func lineRefused() {
    closeLine()
    for seat in members.keys.sorted() {
      members[seat]?.hasBegun = false
      members[seat]?.hear(.refused)
    }
  }

  private func check(_ outcome: WriteOutcome) {
    switch outcome {
    case .sent, .queued: break
    case .overLimit: vanish("it accepts no more octets")
    case .closed: vanish("the line was closed")
    case .failed(let code): vanish(TransportError.text(ofErrno: code))
    }
  }

  /// Handles the loss of the line: ends the accessories, or starts searching for the controller.
  private func vanish(_ reason: String) {
    if endedUnproven() { return }
    closeLine()
    standing = nil
    for seat in members.keys.sorted() {
      members[seat]?.hasBegun = false
      members[seat]?.hear(.lost(reason))
    }
    if waitsForController, !hasEnded { beginSearch(nil) }
  }

  private func closeLine() {
    closeEntrance()
    switch transport {
    case .awaiting(let socket, let watch): stopListening(socket, watch)
    case .line(let line, let watch):
      loop.unwatch(watch)
      line.close()
    case .none, .radio, .shared: break
    }
    transport = .none
    lineKind = nil
    outbox.removeAll()
    shared.loseController()
    arm()
  }
}

extension SharedControllerLine: InProcessTransport {}
