import AccessoryProfile
import Transport

/// Several accessories that run on one loop, and start and end together.
///
/// ```swift
/// let loop = try PollLoop(name: "fleet")
/// try loop.start()
/// let radio = RadioHub(loop: loop)
/// let group = try AccessoryGroup(AccessoryPlan.plans(for: [belt, battery]), loop: loop, radio: radio)
/// for await event in await group.events() { print(event.json.jsonText) }  // in a task of its own
/// try await group.start()
/// let end = await group.end()
/// ```
///
/// The first accessory that fails ends the group: the others are stopped. An accessory that waits for its
/// controller keeps waiting, without affecting the others.
public actor AccessoryGroup {
  /// An accessory of the group.
  public struct Member: Sendable {
    /// Its name in the group.
    public var name: String
    /// The accessory. It is started and stopped with the group.
    public var accessory: Accessory

    /// Creates a member.
    init(name: String, accessory: Accessory) {
      self.name = name
      self.accessory = accessory
    }

    /// Creates a member for a single accessory, with the name that it would have in a group.
    public init(_ accessory: Accessory) {
      self.init(name: AccessoryPlan.stem(of: accessory.profile.file), accessory: accessory)
    }
  }

  /// The accessories in order. Their names are unique.
  public nonisolated let members: [Member]
  /// The virtual radio shared by the accessories with a virtual controller.
  public nonisolated let radio: RadioHub?
  private nonisolated let loop: PollLoop
  private var observers: [Int: Observer] = [:]
  private var observerCount = 0

  private struct Observer {
    var happened: @Sendable (GroupEvent) -> Void
    var seesAccess: Bool
    var ended: @Sendable () -> Void
  }

  private var isStarted = false
  private var running: Int
  private var failure: GroupFailure?
  private var waiting: [CheckedContinuation<GroupEnd, Never>] = []

  /// The loop, on which the actor runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Creates a group that does nothing until `start`. Accessories with a virtual controller join `radio`,
  /// which must be on the same loop and which the group does not close; without one, each has a radio of its
  /// own. Accessories that share a controller have addresses of their own.
  public init(_ plans: [AccessoryPlan], loop: PollLoop, radio: RadioHub? = nil) throws(GroupFailure) {
    var members: [Member] = []
    let seating = try SharingPlan(plans, loop: loop)
    for (index, plan) in plans.enumerated() {
      do throws(AccessoryFailure) {
        let accessory =
          if let (hub, seat) = seating.places[index] {
            try Accessory(plan.profile, options: plan.options, sharing: hub, at: seat)
          } else if let radio, plan.options.controller == .virtual {
            try Accessory(plan.profile, options: plan.options, on: radio)
          } else {
            try Accessory(plan.profile, options: plan.options, loop: loop)
          }
        members.append(Member(name: plan.name, accessory: accessory))
      } catch {
        throw GroupFailure(accessory: plan.name, failure: error)
      }
    }
    self.members = members
    self.radio = radio
    self.loop = loop
    running = members.count
  }

  /// Returns the accessory with that name.
  public nonisolated func accessory(named name: String) -> Accessory? {
    members.first { $0.name == name }?.accessory
  }

  // MARK: - Life

  /// Starts the accessories one after the other. Call it only once. If one cannot start, the others are stopped, and this throws.
  public func start() async throws(GroupFailure) {
    guard !isStarted else { return }
    isStarted = true
    follow()
    for member in members {
      guard failure == nil else { break }
      guard await !member.accessory.hasEnded else { continue }
      do throws(AccessoryFailure) {
        try await member.accessory.start()
      } catch {
        fail(GroupFailure(accessory: member.name, failure: error))
      }
    }
    if let failure {
      _ = await end()
      throw failure
    }
  }

  /// Observes every accessory from now on.
  private func follow() {
    for (index, member) in members.enumerated() {
      member.accessory.assumeIsolated { accessory in
        _ = accessory.observe { [weak self] event in self?.assumeIsolated { $0.heard(event, from: index) } }
      }
      Task { ended(member, await member.accessory.end()) }
    }
  }

  /// Takes everything off the air, disconnects all centrals, and ends. A group that is stopped before it starts cannot start any more.
  public func stop() {
    if !isStarted {
      isStarted = true
      follow()
    }
    for member in members { member.accessory.assumeIsolated { $0.stop() } }
  }

  /// Waits until every accessory has ended, and returns how the group ended.
  public func end() async -> GroupEnd {
    if running == 0 { return outcome }
    return await withCheckedContinuation { waiting.append($0) }
  }

  private var outcome: GroupEnd { failure.map { .failed($0) } ?? .stopped }

  /// Records the first failure, and stops the others.
  private func fail(_ failure: GroupFailure) {
    guard self.failure == nil else { return }
    self.failure = failure
    stop()
  }

  private func ended(_ member: Member, _ end: AccessoryEnd) {
    running -= 1
    if case .failed(let failure) = end { fail(GroupFailure(accessory: member.name, failure: failure)) }
    guard running == 0 else { return }
    for observer in observers.values { observer.ended() }
    observers = [:]
    for continuation in waiting { continuation.resume(returning: outcome) }
    waiting = []
  }

  // MARK: - Events

  /// Returns all events of all accessories, in order, from now on until the last accessory has ended. If the
  /// reader falls more than 4,096 events behind, it loses the oldest.
  public func events() -> AsyncStream<GroupEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: GroupEvent.self, bufferingPolicy: .bufferingNewest(4096))
    let id = observe(ended: { continuation.finish() }, { continuation.yield($0) })
    continuation.onTermination = { [weak self] _ in
      guard let self else { return }
      Task { await self.forget(observer: id) }
    }
    return stream
  }

  /// Calls `handler` on the loop for every event of every accessory, in order, and `ended` when no more
  /// events will follow. With `seeingAccess`, single reads, writes and notifications are reported until the
  /// observer is removed. Returns the number for `forget(observer:)`.
  public func observe(
    seeingAccess: Bool = false, ended: @escaping @Sendable () -> Void,
    _ handler: @escaping @Sendable (GroupEvent) -> Void
  ) -> Int {
    observerCount += 1
    guard running > 0 else {
      ended()
      return observerCount
    }
    observers[observerCount] = Observer(happened: handler, seesAccess: seeingAccess, ended: ended)
    if seeingAccess { reportAccess() }
    return observerCount
  }

  /// Removes an observer.
  public func forget(observer id: Int) {
    guard observers.removeValue(forKey: id)?.seesAccess == true else { return }
    for member in members { member.accessory.assumeIsolated { $0.endAccessReports() } }
  }

  /// Reports single reads, writes and notifications of all accessories as events from now on.
  public func reportAccess() {
    for member in members { member.accessory.assumeIsolated { $0.reportAccess() } }
  }

  /// Passes an event on. Every accessory on the radio reports the radio's events, so only those from one accessory are passed on.
  private func heard(_ event: AccessoryEvent, from index: Int) {
    var name: String? = members[index].name
    if case .radio = event.kind, radio != nil {
      guard index == members.firstIndex(where: { $0.accessory.radio != nil }) else { return }
      name = nil
    }
    for observer in observers.values { observer.happened(GroupEvent(accessory: name, event: event)) }
  }
}
