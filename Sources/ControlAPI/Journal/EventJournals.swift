import Understudy

/// The journals of what is controlled: one of each accessory, and where there are several one of all together.
actor EventJournals {
  private struct Running {
    let journal: EventJournal
    let stop: @Sendable () async -> Void
  }

  private let subject: ControlSubject
  private let limits: EventJournal.Limits
  private var running: [ObjectIdentifier: Task<Running, Never>] = [:]

  init(of subject: ControlSubject, limits: EventJournal.Limits) { (self.subject, self.limits) = (subject, limits) }

  /// Everything that happens from now on is kept, single accesses among it.
  func begin() async {
    for accessory in subject.accessories { _ = await journal(of: accessory) }
    if let group = subject.group { _ = await journal(of: group) }
  }

  /// Nothing is kept any longer.
  func end() async {
    for task in running.values {
      let running = await task.value
      await running.stop()
      running.journal.finish()
    }
    running = [:]
  }

  /// The journal of an accessory.
  func journal(of accessory: Accessory) async -> EventJournal {
    await journal(of: ObjectIdentifier(accessory)) { journal in
      let id = await accessory.observe(seeingAccess: true, ended: { journal.finish() }) { event in
        journal.append(.accessory(event))
      }
      return { await accessory.forget(observer: id) }
    }
  }

  /// The journal of several together.
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
