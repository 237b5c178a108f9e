import AccessoryProfile
import BLECore
import Glibc
import Transport

/// Running the profile's programs.
extension Accessory {
  /// How long a program may take to end.
  private static let farewell = Duration.seconds(2)
  /// The maximum number of reads of a program's remaining output when it ends. This is more than a socket or
  /// a pipe holds, and still limited: a process that has left the program's process group may keep writing.
  private static let lastReads = 64

  /// Throws if the profile has programs and the options do not allow them.
  func checkPrograms() throws(AccessoryFailure) {
    guard !profile.programs.isEmpty, !options.allowsPrograms else { return }
    throw .programs(
      profile: profile.file, commands: profile.programs.map { $0.command.joined(separator: " ") })
  }

  /// Runs the programs of the profile.
  func startPrograms() {
    guard !profile.programs.isEmpty else { return }
    observe(seeingAccess: true) { [weak self] event in self?.assumeIsolated { $0.tellPrograms(of: event) } }
    programs = profile.programs.map { RunningProgram($0) }
    for program in programs { run(program) }
  }

  /// Whether any program is still running.
  var hasPrograms: Bool { programs.contains { $0.process != nil } }

  /// Ends all programs. Those that do not end in time are killed.
  func endPrograms() {
    for program in programs {
      if let timer = program.timer { loop.removeTimer(timer) }
      program.timer = nil
      guard let process = program.process else { continue }
      unwatch(program, [.output, .errors])
      _ = process.line.shutDownWriting()
      process.signal(SIGTERM)
      setTimer(of: program, after: lasting(Self.farewell))
    }
  }

  // MARK: - One program

  private func run(_ program: RunningProgram) {
    let now = loop.now()
    do throws(TransportError) {
      let process = try ChildProcess(program.definition.command, in: program.definition.folder)
      program.begin(process, at: now)
      watch(process.line.descriptor, as: .output, of: program)
      watch(process.errors.descriptor, as: .errors, of: program)
      watch(process.descriptor, as: .end, of: program)
      greet(program)
      emit(.program(.started(program.definition.id, process: Int(process.process))))
    } catch {
      runAgain(program, because: error.why, hasRun: false)
    }
  }

  private func watch(_ descriptor: CInt, as source: RunningProgram.Source, of program: RunningProgram) {
    let id = program.definition.id
    program.watches[source] = loop.watch(descriptor, .readable, isPeer: source == .output) { [weak self] _ in
      self?.assumeIsolated { $0.programReady(id, source) }
    }
  }

  private func unwatch(_ program: RunningProgram, _ sources: [RunningProgram.Source]) {
    for source in sources {
      if let watch = program.watches.removeValue(forKey: source) { loop.unwatch(watch) }
    }
  }

  private func programReady(_ id: String, _ source: RunningProgram.Source) {
    guard let program = programs.first(where: { $0.definition.id == id }), let process = program.process else { return }
    switch source {
    case .output:
      if process.line.hasPending { note(process.line.flush(), of: program) }
      _ = read(source, of: program)
    case .errors: _ = read(source, of: program)
    case .end: if let end = process.takeEnd() { ended(program, end) }
    }
    flush(at: loop.now())
  }

  /// Handles the octets of one read, and returns whether there may be more.
  private func read(_ source: RunningProgram.Source, of program: RunningProgram) -> Bool {
    guard let process = program.process, program.watches[source] != nil else { return false }
    var octets = OctetBuffer()
    switch (source == .output ? process.line : process.errors).read(into: &octets) {
    case .octets:
      take(program.lines[source, default: TextLines()].take(octets.copy()), source, of: program)
      return true
    case .wouldBlock: return false
    case .closed, .failed:
      unwatch(program, [source])
      return false
    }
  }

  private func take(_ lines: [[UInt8]], _ source: RunningProgram.Source, of program: RunningProgram) {
    for line in lines {
      if source == .output {
        carryOut(line, of: program.definition.id)
      } else {
        emit(.program(.said(program.definition.id, text: String(decoding: line, as: UTF8.self))))
      }
    }
  }

  private func ended(_ program: RunningProgram, _ end: ChildEnd) {
    for source in [RunningProgram.Source.output, .errors] where program.watches[source] != nil {
      for _ in 0..<Self.lastReads where !read(source, of: program) { break }
      take(program.lines[source, default: TextLines()].takeRest(), source, of: program)
    }
    unwatch(program, [.output, .errors, .end])
    program.end()
    if hasEnded {
      if let timer = program.timer { loop.removeTimer(timer) }
      program.timer = nil
      releaseWaiting()
    } else if end == .exited(0) {
      emit(.program(.ended(program.definition.id, reason: "\(end)", again: nil)))
    } else {
      runAgain(program, because: "\(end)", hasRun: true)
    }
  }

  private func runAgain(_ program: RunningProgram, because reason: String, hasRun: Bool) {
    let wait = program.takeWait(at: loop.now(), hasRun: hasRun)
    emit(.program(.ended(program.definition.id, reason: reason, again: wait)))
    setTimer(of: program, after: wait)
  }

  private func setTimer(of program: RunningProgram, after wait: Duration) {
    let id = program.definition.id
    let timer = program.timer ?? loop.addTimer { [weak self] in self?.assumeIsolated { $0.timeIsUp(of: id) } }
    program.timer = timer
    loop.setTimer(timer, loop.now() + wait)
  }

  private func timeIsUp(of id: String) {
    guard let program = programs.first(where: { $0.definition.id == id }) else { return }
    if hasEnded {
      program.process?.signal(SIGKILL)
    } else {
      run(program)
      flush(at: loop.now())
    }
  }

  // MARK: - Events for programs

  /// Tells a starting program which connections exist.
  private func greet(_ program: RunningProgram) {
    var fields: [String: ProfileValue] = ["event": .string("program-started")]
    fields["program"] = .string(program.definition.id)
    fields["connections"] = stateReport()["connections"]
    tell(.object(fields), to: program)
  }

  /// Passes an event to all programs, except those about programs, single reads and notifications, and advertising.
  private func tellPrograms(of event: AccessoryEvent) {
    switch event.kind {
    case .program, .host(.notified), .host(.indicated), .host(.server(_, .read)), .host(.advertising): return
    default: break
    }
    guard hasPrograms, !hasEnded else { return }
    let json = event.json
    for program in programs { tell(json, to: program) }
  }

  private func tell(_ event: ProfileValue, to program: RunningProgram) {
    guard let process = program.process, program.watches[.output] != nil else { return }
    if program.lostEvents > 0, !write(LostEvents(count: program.lostEvents).json, to: process, of: program) {
      program.lostEvents += 1
      return
    }
    program.lostEvents = write(event, to: process, of: program) ? 0 : 1
  }

  /// Writes an event, and returns whether there was room for it.
  private func write(_ event: ProfileValue, to process: ChildProcess, of program: RunningProgram) -> Bool {
    let outcome = process.line.write(Array((event.jsonText + "\n").utf8).span)
    if outcome == .overLimit { return false }
    note(outcome, of: program)
    return true
  }

  /// Waits until the program reads more, if octets are queued for it. A program that does not read any more
  /// ends, or continues without events.
  private func note(_ outcome: WriteOutcome, of program: RunningProgram) {
    guard let watch = program.watches[.output] else { return }
    if case .queued = outcome {
      loop.setInterest(watch, [.readable, .writable])
    } else {
      loop.setInterest(watch, .readable)
    }
  }
}
