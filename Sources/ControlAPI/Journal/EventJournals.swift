import Understudy

/// The journals of the controlled accessories: one for each, and one for all together if there are several.
actor EventJournals {
  private struct Running {
    let journal: EventJournal
    let stop: @Sendable () async -> Void
  }

  private let subject: ControlSubject
  private let limits: EventJournal.Limits
  private var running: [ObjectIdentifier: Task<Running, Never>] = [:]

  init(of subject: ControlSubject, limits: EventJournal.Limits) { (self.subject, self.limits) = (subject, limits) }

  /// Starts recording everything that happens, including single accesses.
  func begin() async {
    for accessory in subject.accessories { _ = await journal(of: accessory) }
    if let group = subject.group { _ = await journal(of: group) }
  }

  /// Stops recording.
  func end() async {
    for task in running.values {
      let running = await task.value
      await running.stop()
      running.journal.finish()
    }
    running = [:]
  }

  /// Returns the journal of an accessory.
  func journal(of accessory: Accessory) async -> EventJournal {
    await journal(of: ObjectIdentifier(accessory)) { journal in
      let id = await accessory.observe(seeingAccess: true, ended: { journal.finish() }) { event in
        journal.append(.accessory(event))
      }
      return { await accessory.forget(observer: id) }
    }
  }

  /// Returns the journal of a group.
  func journal(of group: AccessoryGroup) async -> EventJournal {
    await journal(of: ObjectIdentifier(group)) { journal in
      let id = await group.observe(seeingAccess: true, ended: { journal.finish() }) { event in
        journal.append(.group(event))
      }
      return { await group.forget(observer: id) }
    }
  }

  private func journal(
    of id: ObjectIdentifier,
    _ begin: @escaping @Sendable (EventJournal) async -> @Sendable () async -> Void
  ) async -> EventJournal {
    let limits = limits
    let task =
      running[id]
      ?? Task {
        let journal = EventJournal(limits: limits)
        return Running(journal: journal, stop: await begin(journal))
      }
    running[id] = task
    return await task.value.journal
  }
}
