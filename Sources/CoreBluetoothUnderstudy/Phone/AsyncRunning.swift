import Dispatch
import Foundation
import Simulation
import UnderstudyTesting

extension TestAir {
  /// Runs async code in virtual time. Whenever all of the code waits, time passes until an app gets a callback or makes a call.
  ///
  /// ```swift
  /// @Test @MainActor func unlocks() async throws {
  ///   let lock = phone.app("Lock").run { LockConnection() }
  ///   try await air.run { try await lock.unlock() }
  /// }
  /// ```
  ///
  /// The code, and the async functions and actors that it calls, run on the main thread one after the other. So the same seed gives the
  /// same order. Unstructured tasks and other queues run outside virtual time, which waits for them only briefly: they make progress, but
  /// their order can differ. System clocks show real time.
  ///
  /// - Parameter limit: The virtual time that the code may take before it is canceled.
  /// - Throws: The error of the code, or a `TestFailure` if it takes too long.
  @MainActor
  public func run<Success: Sendable>(
    within limit: Duration = .seconds(600), _ body: @escaping @MainActor () async throws -> Success
  ) async throws -> Success {
    let outcome = Outcome<Success>()
    let app = PhoneApp.current
    let task = Task(executorPreference: MainThreadExecutor.shared) {
      await PhoneApp.$current.withValue(app) { await outcome.take(body) }
    }
    let end = now + limit
    var pause = Self.shortestPause
    while now < end {
      await Self.settle()
      if let result = outcome.result { return try result.get() }
      if advanceToNextCallback(within: min(pause, end - now)) {
        pause = Self.shortestPause
      } else {
        await Self.letOthersRun()
        pause = min(pause * 2, Self.longestPause)
      }
    }
    await Self.settle()
    if let result = outcome.result { return try result.get() }
    task.cancel()
    await Self.settle()
    throw TestFailure(reason: "the code did not end within \(limit)", transcript: transcript.lines)
  }

  /// Lets everything on the main thread run until it waits.
  @MainActor
  private static func settle() async {
    // A job may make another one ready, which then runs before the next turn of this loop: the main queue is first in, first out.
    for _ in 0..<16 { await Task.yield() }
  }

  /// How much time passes without a callback before tasks outside virtual time get their turn. They may be about to make a call.
  private static var shortestPause: Duration { .milliseconds(250) }
  private static var longestPause: Duration { .seconds(10) }

  /// Waits until the tasks that are ready on other threads, and the tasks that those start, have begun.
  private static func letOthersRun() async {
    for _ in 0..<4 { await Task.detached {}.value }
  }

  /// Lets time pass until an app has got a callback. Returns whether that happened.
  private func advanceToNextCallback(within limit: Duration) -> Bool {
    let systems = radio.participants.compactMap { ($0 as? PhoneOnAir)?.system }
    let before = systems.map(\.callbacks)
    return advance(until: { systems.map(\.callbacks) != before }, within: limit)
  }

  @MainActor
  private final class Outcome<Success> {
    private(set) var result: Result<Success, any Error>?

    func take(_ body: @MainActor () async throws -> Success) async {
      do { result = .success(try await body()) } catch { result = .failure(error) }
    }
  }
}

extension PhoneApp {
  /// Runs async code of the app in virtual time (`TestAir.run`).
  @MainActor
  public func run<Success: Sendable>(
    on air: TestAir, within limit: Duration = .seconds(600), _ body: @escaping @MainActor () async throws -> Success
  ) async throws -> Success {
    try await Self.$current.withValue(self) { @MainActor in try await air.run(within: limit, body) }
  }
}

/// Runs the jobs of tasks on the main thread, so that they and the jobs of the main actor have one order.
private final class MainThreadExecutor: TaskExecutor {
  static let shared = MainThreadExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue.main.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
