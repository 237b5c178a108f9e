import BLECore

// The length of connection events (Core 5.4 Vol 6 Part B 4.5.1, 4.5.6): what ends them if both ends have more data.
extension Air {
  /// Returns whether one more packet each way fits: it must end T_IFS before the next anchor point, before either radio is needed for
  /// something else, and within the maximum lengths of both ends.
  func hasRoomForAnotherExchange(_ link: Link) -> Bool {
    let end = now + LinkLayerTime.interFrameSpace * 2 + airTime(link.central) + airTime(link.peripheral)
    guard end + LinkLayerTime.interFrameSpace <= link.nextAnchor + link.timing.interval else { return false }
    return [link.central, link.peripheral].allSatisfy { side in
      guard let controller = side.controller else { return false }
      let isShort = side.maximumEventLength.map { end - link.nextAnchor <= $0 } ?? true
      let isFew = controller.configuration.maximumPacketsPerEvent.map { link.exchanges < $0 } ?? true
      return isShort && isFew && controller.nextRadioUse(except: link).map { end < $0 } ?? true
    }
  }

  private func airTime(_ end: LinkEnd) -> Duration { end.transmitPHY.airTime(payload: end.nextLength) }

  /// Returns the earliest end of a connection event that begins now.
  func earliestEnd(of link: Link) -> Instant {
    let central = link.central
    let first = central.inFlight?.length ?? central.nextLength
    return now + LinkLayerTime.interFrameSpace + central.transmitPHY.airTime(payload: first)
      + link.peripheral.transmitPHY.airTime(payload: link.peripheral.inFlight?.length ?? link.peripheral.nextLength)
  }
}
