import AccessoryProfile
import Transport

/// Several accessories that run on one loop, live and end together.
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
/// The first accessory that cannot go on ends the group: the others are taken off the air as by `stop`. One that waits for its
/// controller goes on waiting, and the others do not mind.
public actor AccessoryGroup {
  /// An accessory of the group.
  public struct Member: Sendable {
    /// What it is called.
    public var name: String
    /// The accessory. It is started and stopped with the group.
    public var accessory: Accessory

    /// A member in its parts.
    init(name: String, accessory: Accessory) {
      self.name = name
      self.accessory = accessory
    }

    /// An accessory that is alone, under the name that it would have in a group.
    public init(_ accessory: Accessory) {
      self.init(name: AccessoryPlan.stem(of: accessory.profile.file), accessory: accessory)
    }
  }

  /// The accessories in their order; their names differ.
  public nonisolated let members: [Member]
  /// The virtual radio that those with a virtual controller share.
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

  /// A group that does nothing before `start`. Those whose controller is virtual join `radio`, which is on the same loop and
  /// which the group does not close; without one, each is on an air of its own. Those that share a controller do so under
  /// addresses of their own.
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

  /// The accessory of that name.
  public nonisolated func accessory(named name: String) -> Accessory? {
    members.first { $0.name == name }?.accessory
  }

  // MARK: - Life

  /// Starts the accessories one after the other; call it once. When one cannot start, the others are stopped, and this throws.
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

  /// Hears from every accessory from now on.
  private func follow() {
    for (index, member) in members.enumerated() {
      member.accessory.assumeIsolated { accessory in
        _ = accessory.observe { [weak self] event in self?.assumeIsolated { $0.heard(event, from: index) } }
      }
      Task { ended(member, await member.accessory.end()) }
    }
  }

  /// Takes everything off the air, disconnects every central, and ends. A group that is stopped before it starts never does.
  public func stop() {
    if !isStarted {
      isStarted = true
      follow()
    }
    for member in members { member.accessory.assumeIsolated { $0.stop() } }
  }

  /// Waits until every accessory has ended, and says how the group did.
  public func end() async -> GroupEnd {
    if running == 0 { return outcome }
    return await withCheckedContinuation { waiting.append($0) }
  }

  private var outcome: GroupEnd { failure.map { .failed($0) } ?? .stopped }

  /// Remembers the first failure, and lets the others end.
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

  /// All events of all accessories from now on until the last one has ended, in the order in which they happen. A reader that
  /// is slow loses the oldest beyond 4,096.
  public func events() -> AsyncStream<GroupEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: GroupEvent.self, bufferingPolicy: .bufferingNewest(4096))
    let id = observe(ended: { continuation.finish() }, { continuation.yield($0) })
    continuation.onTermination = { [weak self] _ in
      guard let self else { return }
      Task { await self.forget(observer: id) }
    }
    return stream
  }

  /// Calls `handler` on the loop for every event of every accessory, in order, and `ended` when there will be none; returns the
  /// number to forget it by. Until then single reads, writes and notifications are reported where it wants to see those.
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

  /// Calls that handler no longer.
  public func forget(observer id: Int) {
    guard observers.removeValue(forKey: id)?.seesAccess == true else { return }
    for member in members { member.accessory.assumeIsolated { $0.endAccessReports() } }
  }

  /// Reports single reads, writes and notifications of all accessories as events from now on.
  public func reportAccess() {
    for member in members { member.accessory.assumeIsolated { $0.reportAccess() } }
  }

  /// Hands an event on. What happens to the radio every accessory on it tells of, and it is heard once.
  private func heard(_ event: AccessoryEvent, from index: Int) {
    var name: String? = members[index].name
    if case .radio = event.kind, radio != nil {
      guard index == members.firstIndex(where: { $0.accessory.radio != nil }) else { return }
      name = nil
    }
    for observer in observers.values { observer.happened(GroupEvent(accessory: name, event: event)) }
  }
}
