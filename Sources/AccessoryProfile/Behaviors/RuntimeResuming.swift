import BLECore

/// Resuming from an earlier state.
extension ProfileRuntime {
  /// Returns a runtime that continues at `now` in the state that this one had at `taken`, with the same progress of generators, timelines,
  /// delays and clocks of rules. Clients, and everything that belongs to their connections, are removed.
  package func resumed(from taken: Instant, at now: Instant) -> ProfileRuntime {
    var runtime = self
    let pause = now - taken
    runtime.start += pause
    for index in states.indices { runtime.states[index].resume(after: pause) }
    runtime.book.resume(after: pause)
    runtime.sleep.sleepDue = sleep.sleepDue.map { $0 + pause }
    runtime.sleep.wakeDue = sleep.wakeDue.map { $0 + pause }
    runtime.advertising.resume(at: now)
    runtime.channels = ChannelRuntime(seed: seed)
    runtime.channels.handlers = channels.handlers
    runtime.remote = ClientRuntime(remote.steps)
    (runtime.sessions, runtime.authorized, runtime.assemblies) = ([], [], [])
    runtime.clientsWithNewValues = []
    runtime.questions = QuestionBook()
    runtime.hasMessages = false
    if !book.clients.isEmpty, !sleep.isAsleep { runtime.awaitSleep(at: now) }
    runtime.updateDeadline()
    return runtime
  }
}

extension CharacteristicState {
  /// Continues later by `pause`, without subscribers.
  fileprivate mutating func resume(after pause: Duration) {
    origin += pause
    fieldOrigins = fieldOrigins.mapValues { $0 + pause }
    beats.resume(after: pause)
    (notified, indicated, sequence, own) = (0, 0, [], [:])
    (nextNotification, nextIndication, nextLook) = (nil, nil, nil)
  }
}
