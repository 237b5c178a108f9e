import BLEL2CAP
import Transport

/// Connecting channels to pseudo-terminals.
extension Accessory {
  /// Creates a terminal for a channel, whose central is held until a program opens it. Only one terminal at a time gets the symbolic link.
  func offerTerminal(_ channel: BridgedChannel, _ sendMTU: Int, link: String?) {
    let isLinkFree = !bridges.contains { $0.terminal?.0.link == link }
    var flow = BridgeFlow(sendMTU: sendMTU)
    do throws(TransportError) {
      let visits = try visits()
      let terminal = try PseudoTerminal.open(link: isLinkFree ? link : nil, hangsUp: true)
      let visit = try visits.add(terminal)
      let bridge = add(channel, flow, place: terminal.link ?? terminal.devicePath)
      bridge.terminal = (terminal, visit)
      emit(.bridge(.bridged(channel, place: bridge.place)))
      // A program may already have been waiting for the link.
      meet(bridge)
    } catch {
      flow.lineRefused()
      flow.lineEnded()
      emit(.bridge(.failed(channel, place: link.map { "pty:\($0)" } ?? "pty", reason: error.why)))
      _ = add(channel, flow, place: "pty")
    }
  }

  private func visits() throws(TransportError) -> TerminalVisits {
    if let terminalVisits { return terminalVisits.terminals }
    let terminals = try TerminalVisits()
    let watch = loop.watch(terminals.descriptor, .readable) { [weak self] _ in
      self?.assumeIsolated { $0.noteVisits() }
    }
    terminalVisits = (watch, terminals)
    return terminals
  }

  private func noteVisits() {
    guard let opened = terminalVisits?.terminals.take() else { return }
    for bridge in bridges {
      if let (_, visit) = bridge.terminal, opened.contains(visit) { meet(bridge) }
    }
    flush(at: loop.now())
  }

  /// Starts serving the program that has opened a terminal, if it is still open.
  private func meet(_ bridge: ChannelBridge) {
    guard bridge.line == nil, let (terminal, _) = bridge.terminal, terminal.isOpen else { return }
    bridge.line = terminal.line
    bridge.flow.lineOpened()
    pump(bridge)
  }
}
