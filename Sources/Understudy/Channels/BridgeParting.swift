import BLECore
import BLEL2CAP
import Transport

/// Ending bridges: what was received is written, and the other side gets time to read it.
extension Accessory {
  /// How long a line may go without accepting any of the remaining octets.
  private static let patience = Duration.seconds(30)
  /// How long the other side of a socket may take to close after it has received everything.
  private static let farewell = Duration.seconds(5)
  /// The interval at which a terminal is checked for octets that its program has not read.
  private static let look = Duration.milliseconds(10)

  /// Starts the time limit for the remaining octets, after the channel has ended.
  func watchOver(_ bridge: ChannelBridge) {
    guard bridge.timer == nil, bridges.contains(where: { $0 === bridge }) else { return }
    setTimer(of: bridge, after: Self.patience)
  }

  /// Starts closing the line, after everything is written: gives the other side time to read it.
  func part(_ bridge: ChannelBridge) {
    guard let line = bridge.line, !bridge.flow.hasLineEnded else { return end(bridge) }
    guard !bridge.isParting else { return }
    if bridge.terminal != nil {
      bridge.isParting = true
      bridge.patienceEnds = loop.now() + lasting(Self.patience)
      setTimer(of: bridge, after: Self.look)
    } else {
      // Closing a socket with unread input would discard what is still on its way to the other side.
      bridge.isParting = line.shutDownWriting()
      guard bridge.isParting else { return end(bridge) }
      setTimer(of: bridge, after: Self.farewell)
    }
  }

  private func timeIsUp(of number: Int) {
    guard let bridge = bridges.first(where: { $0.number == number }) else { return }
    if bridge.isParting {
      if isStillReading(bridge) { setTimer(of: bridge, after: Self.look) } else { end(bridge) }
    } else if bridge.progress != bridge.knownProgress {
      setTimer(of: bridge, after: Self.patience)
    } else {
      end(bridge)
    }
  }

  /// How many consecutive checks must find nothing unread. The kernel passes the last octets on with a delay, and counts them only then.
  private static let emptyLooks = 10

  /// Returns whether a terminal's program has not read everything.
  private func isStillReading(_ bridge: ChannelBridge) -> Bool {
    guard let terminal = bridge.terminal?.0, terminal.isOpen, let end = bridge.patienceEnds, loop.now() < end else {
      return false
    }
    bridge.emptyLooks = terminal.unreadCount > 0 ? 0 : bridge.emptyLooks + 1
    return bridge.emptyLooks < Self.emptyLooks
  }

  private func setTimer(of bridge: ChannelBridge, after duration: Duration) {
    bridge.knownProgress = bridge.progress
    let number = bridge.number
    let timer = bridge.timer ?? loop.addTimer { [weak self] in self?.assumeIsolated { $0.timeIsUp(of: number) } }
    bridge.timer = timer
    loop.setTimer(timer, loop.now() + lasting(duration))
  }

  /// Returns roughly the loop's equivalent of `duration` on the machine's clock, which the programs at lines
  /// follow. With `.fast`, time jumps every few milliseconds while a line is watched.
  func lasting(_ duration: Duration) -> Duration {
    switch loop.pace {
    case .real: duration
    case .scaled(let factor): .nanoseconds(Int64((Double(duration.inNanoseconds) * max(factor, 1)).rounded()))
    case .fast: duration * 10
    }
  }

  func end(_ bridge: ChannelBridge) {
    if let watch = bridge.watch { loop.unwatch(watch.id) }
    if let timer = bridge.timer { loop.removeTimer(timer) }
    (bridge.watch, bridge.timer) = (nil, nil)
    bridge.line?.close()
    bridges.removeAll { $0 === bridge }
  }

  /// Closes all bridges when the accessory ends.
  func endBridges() {
    for bridge in bridges {
      _ = bridge.line?.flush()
      end(bridge)
    }
    if let visits = terminalVisits { loop.unwatch(visits.watch) }
    terminalVisits = nil
  }
}
