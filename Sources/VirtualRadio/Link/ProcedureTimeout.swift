import BLECore

// What becomes of a procedure that the peer does not go on with (Core 5.4 Vol 6 Part B 5.2).
extension Air {
  /// Watches an end's procedure where it may take long: over a path that loses packets, or while the peer waits for its
  /// host or is one that does not answer.
  func watchProcedure(at end: LinkEnd, over link: Link) {
    guard let procedure = end.procedure, procedure.awaitsResponse, end.isPresent, !end.isProcedureWatched,
      !isSteady(link) || isSilent(link[end.side.other])
    else { return }
    end.isProcedureWatched = true
    timeline.schedule(
      .procedureTimeout(link.id, end.side), at: end.procedureStart + LinkLayerTime.procedureResponseTimeout)
  }

  private func isSilent(_ end: LinkEnd) -> Bool {
    if end.askedHost != nil || end.controller?.configuration.unansweredControlOpcodes.isEmpty == false { return true }
    if case .askingHost = end.encryption.stage { return true }
    return false
  }

  func checkProcedure(of link: Link, at side: LinkSide) {
    let end = link[side]
    end.isProcedureWatched = false
    // Once both know the instant there is nothing to wait for but that.
    if link.isChanging || link.pending != nil { end.procedureStart = now }
    guard let procedure = end.procedure, procedure.awaitsResponse,
      end.procedureStart + LinkLayerTime.procedureResponseTimeout <= now
    else { return watchProcedure(at: end, over: link) }
    close(link, at: side, reason: .linkLayerResponseTimeout)
  }
}

extension LinkProcedure {
  /// Whether the peer has to say something before it ends; else acknowledgement and instant are enough.
  var awaitsResponse: Bool {
    switch self {
    case .connectionUpdate, .channelMap: false
    case .featureExchange, .versionExchange, .connectionParameterRequest, .dataLength, .phy, .encryption, .ping: true
    }
  }
}
