import BLECore
import Transport

extension Doctor {
  /// How long to wait for a controller to connect.
  static var visitLimit: Duration { .seconds(30) }

  /// Opens the address, and records the findings of the steps that concern the port. Returns nil if the controller cannot be reached.
  func openedLine() async -> Line? {
    do throws(TransportError) {
      let chosen = address == .auto ? .serial(try await BoardFinder.automatic(on: loop)) : address
      if case .serial(let settings) = chosen { return await openedSerial(settings) }
      let line = try await reached(chosen)
      note(.port, .reached("\(chosen)"))
      noteNoSerialPort()
      return line
    } catch {
      note(.port, .unreachable(error))
      return nil
    }
  }

  /// Records that there is no serial port to examine.
  func noteNoSerialPort() {
    for step in [ExaminationStep.modemManager, .modemLines, .speed] { note(step, .skipped(.notSerial)) }
  }

  private func reached(_ address: ControllerAddress) async throws(TransportError) -> Line {
    switch try address.open() {
    case .line(let line): return line
    case .terminal(let terminal):
      // The controller may be attached to the other side at any time.
      conditions.firstResets = Int(Self.visitLimit / Examination.patience)
      return terminal.line
    case .listening(let socket):
      await visit(to: socket, within: Self.visitLimit)
      if let line = try socket.accept() { return line }
      throw TransportError(
        kind: .timedOut, what: "no controller connected to", place: "\(address)", why: "none within \(Self.visitLimit)",
        advice: "start the controller")
    }
  }

  // MARK: - Serial ports

  private func openedSerial(_ settings: SerialSettings) async -> Line? {
    let check = PortCheck(facts: .gather(at: settings.path))
    guard check.port.verdict != .failed else {
      note(.port, check.port)
      return nil
    }
    do throws(TransportError) {
      // The first attempt shows whether the port can be opened at all. What the driver does not support concerns the speed.
      do throws(TransportError) {
        noteLines(of: try Line.openSerial(settings), settings, check)
      } catch  where error.kind == .unsupported && settings.flowControl {
        var bare = settings
        bare.flowControl = false
        noteLines(of: try Line.openSerial(bare), bare, check)
      }
      guard let working = await workingSettings(settings) else { return nil }
      (conditions.baud, conditions.flowControl) = (working.baud, working.flowControl)
      return try Line.openSerial(working)
    } catch {
      note(.port, check.refused(error))
      return nil
    }
  }

  private func noteLines(of line: Line, _ settings: SerialSettings, _ check: PortCheck) {
    note(.port, check.port)
    note(.modemManager, check.modemManager)
    note(
      .modemLines,
      line.modemLines.map { .modemLines($0, flowControl: settings.flowControl) } ?? .skipped(.noLines))
  }

  /// Returns the settings at which a controller answers, trying the given ones first; nil if none works.
  private func workingSettings(_ settings: SerialSettings) async -> SerialSettings? {
    let probe = PortProbe(SerialPort(path: settings.path), loop: loop)
    var octets = 0
    let candidates = settings.alternatives
    for candidate in candidates {
      // A driver that does not support one speed may support another.
      switch try? await probe.inquire(candidate) {
      case .answered:
        note(
          .speed, candidate == settings ? .speedFits(candidate) : .speedDiffers(given: settings, answering: candidate))
        return candidate
      case .garbled(let count): octets = max(octets, count)
      case .silent, nil: break
      }
    }
    note(.speed, .noSpeed(tried: candidates.count, octets: octets))
    return nil
  }
}
