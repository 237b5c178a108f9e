import BLECore

// Timeouts of procedures that the peer does not continue (Core 5.4 Vol 6 Part B 5.2).
extension Air {
  /// Starts the timeout of an end's procedure if it may take long: on a path that loses packets, or if the peer waits for its host or does
  /// not answer.
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
    // Once both ends know the instant, only the instant is awaited.
    if link.isChanging || link.pending != nil { end.procedureStart = now }
    guard let procedure = end.procedure, procedure.awaitsResponse,
      end.procedureStart + LinkLayerTime.procedureResponseTimeout <= now
    else { return watchProcedure(at: end, over: link) }
    close(link, at: side, reason: .linkLayerResponseTimeout)
  }
}

extension LinkProcedure {
  /// Whether it ends only with a response of the peer. Otherwise acknowledgement and instant are enough.
  var awaitsResponse: Bool {
    switch self {
    case .connectionUpdate, .channelMap: false
    case .featureExchange, .versionExchange, .connectionParameterRequest, .dataLength, .phy, .encryption, .ping: true
    }
  }
}
