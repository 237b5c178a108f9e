import BLELink
import PeripheralHost
import Transport

extension Accessory {
  /// Takes a seat at a shared controller, and starts as soon as there is a line to it.
  func join(_ hub: SharedControllerLine, _ seat: SharedControllerLine.Seat) async throws(AccessoryFailure) {
    transport = .shared(hub, seat)
    try await hub.join(seat) { [weak self] news in self?.assumeIsolated { $0.heed(news) } }
  }

  private func heed(_ news: SharedControllerLine.News) {
    guard !hasEnded else { return }
    switch news {
    case .opened(let lineKind): lineOpened(lineKind)
    case .hasOutput: seatReady()
    case .told(let kind): emit(kind)
    case .skipped(let count): emit(.host(.fault(.skippedOctets(count))))
    case .lost(let reason): sharedControllerLost(reason)
    case .refused: forgetController()
    case .failed(let failure): finish(.failed(failure))
    }
  }

  /// Handles the loss of the controller's line: ends the accessory, or waits for the controller, which the hub searches for.
  private func sharedControllerLost(_ reason: String) {
    guard options.waitsForController else {
      return finish(.failed(.vanished(controller: options.controller, reason: reason)))
    }
    emit(.controllerLost(reason))
    forgetController()
  }

  private func forgetController() {
    let now = loop.now()
    stack.loseController(at: now, into: &out)
    flush(at: now)
  }
}
