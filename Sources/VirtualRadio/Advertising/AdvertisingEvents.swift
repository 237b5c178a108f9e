import BLECore
import BLEHCI

// Advertising events, packet by packet (Core 5.4 Vol 6 Part B 4.4.2).
extension Air {
  func startAdvertisingEvent(controller id: ControllerID, key: SetKey, epoch: UInt32) {
    guard let advertiser = controller(id), let set = advertiser.runningSet(key, epoch: epoch) else { return }
    let interval = set.parameters.interval
    let isHighDuty = set.parameters.properties.contains(.highDutyDirected)
    // advDelay separates advertisers that started together (4.4.2.2.1).
    let delay = isHighDuty ? .zero : Duration.nanoseconds(Int64(advertiser.random.upTo(10_000_000)))
    let next = now + interval + delay
    advertiser.setNextEvent(next, of: key)
    timeline.schedule(.advertisingEvent(id, key, epoch: epoch), at: next)
    guard set.progress == nil, !advertiser.impairment.isHung, let advertisement = advertiser.advertisement(of: set)
    else { return }
    // An event that nobody hears is skipped, unless it keeps the radio from other uses.
    guard
      observer != nil || !advertiser.connections.isEmpty || advertiser.state.isListening
        || isAnyoneListening(except: advertiser)
    else { return advertiser.advertisingEventEnded(key) }
    let channels = (0..<3).filter { set.parameters.channelMap.rawValue & (1 << $0) != 0 }
    guard advertiser.takesRadio(set, until: now + length(of: advertisement, channels: channels.count)) else { return }
    let progress = AdvertisingProgress(
      advertisement: advertisement, channels: channels, auxiliaryChannel: auxiliaryChannel(for: advertiser),
      stage: .primary(0), stageStart: now)
    transmit(progress, from: advertiser)
  }

  /// Returns a data channel, which changes with every event (4.5.8 leaves the choice open).
  private func auxiliaryChannel(for advertiser: VirtualController) -> Int {
    let seed = configuration.seed ^ UInt64(advertiser.id.rawValue) << 32
    return Int(SplitMix64.fraction(seed: seed, index: now.nanoseconds) * 37)
  }

  private func isAnyoneListening(except advertiser: VirtualController) -> Bool {
    listeners.contains { $0 !== advertiser }
  }

  /// Returns the duration of an advertising event that nobody answers.
  private func length(of advertisement: Advertisement, channels: Int) -> Duration {
    let primary = advertisement.primaryPHY.airTime(payload: advertisement.primaryLength) + LinkLayerTime.primarySpace
    var length = primary * channels
    guard !advertisement.isLegacy else { return length }
    var packet: AuxiliaryPacket
    var offset = 0
    repeat {
      packet = advertisement.auxiliaryPacket(from: offset, isScanResponse: false)
      length += LinkLayerTime.auxiliaryFrameSpace + auxiliaryTime(advertisement, offset, isScanResponse: false)
      offset = packet.range.upperBound
    } while !packet.isLast
    return length
  }

  /// Schedules the end of the packet that begins at `progress.stageStart`.
  private func transmit(_ progress: AdvertisingProgress, from advertiser: VirtualController) {
    let advertisement = progress.advertisement
    let duration: Duration
    switch progress.stage {
    case .primary: duration = advertisement.primaryPHY.airTime(payload: advertisement.primaryLength)
    case .auxiliary(let offset): duration = auxiliaryTime(advertisement, offset, isScanResponse: false)
    case .scanResponse(let offset): duration = auxiliaryTime(advertisement, offset, isScanResponse: true)
    case .connecting: duration = connectionRequestTime(advertisement)
    }
    advertiser.setProgress(progress, of: advertisement.key)
    guard let epoch = advertiser.epoch(of: advertisement.key) else { return }
    timeline.schedule(
      .advertisingStep(advertiser.id, advertisement.key, epoch: epoch), at: progress.stageStart + duration)
  }

  private func auxiliaryTime(_ advertisement: Advertisement, _ offset: Int, isScanResponse: Bool) -> Duration {
    let packet = advertisement.auxiliaryPacket(from: offset, isScanResponse: isScanResponse)
    return advertisement.secondaryPHY.airTime(payload: advertisement.auxiliaryLength(packet))
  }

  /// Returns the air time of CONNECT_IND, or of AUX_CONNECT_REQ and AUX_CONNECT_RSP.
  private func connectionRequestTime(_ advertisement: Advertisement) -> Duration {
    let phy = advertisement.isLegacy ? RadioPHY.le1M : advertisement.secondaryPHY
    let request = phy.airTime(payload: LinkLayerTime.connectRequestPayload)
    guard !advertisement.isLegacy else { return request }
    return request + LinkLayerTime.interFrameSpace + phy.airTime(payload: Advertisement.connectResponseLength)
  }

  /// Handles the end of a packet of an advertising event: delivers it and schedules the next.
  func continueAdvertisingEvent(controller id: ControllerID, key: SetKey, epoch: UInt32) {
    guard let advertiser = controller(id), let set = advertiser.runningSet(key, epoch: epoch),
      var progress = set.progress
    else { return }
    switch progress.stage {
    case .primary(let index):
      finishPrimary(index, &progress, advertiser)
    case .auxiliary(let offset):
      finishAuxiliary(offset, &progress, advertiser)
    case .scanResponse(let offset):
      let packet = progress.advertisement.auxiliaryPacket(from: offset, isScanResponse: true)
      var audience = Audience()
      report(packet, &progress, advertiser, &audience)
      observeAuxiliary(packet, progress, audience)
      continueChain(packet, &progress, advertiser) { .scanResponse($0) }
    case .connecting(let listener, let own, let channel, let arrives):
      advertiser.setProgress(nil, of: key)
      guard let initiator = controller(listener.controller), initiator.state.initiator?.epoch == listener.epoch else {
        return advertiser.advertisingEventEnded(key)
      }
      let phy = progress.advertisement.isLegacy ? RadioPHY.le1M : progress.advertisement.secondaryPHY
      if let link = initiator.connect(as: own, to: advertiser, progress.advertisement, on: phy, arrives: arrives) {
        observeConnectRequest(for: link, progress.advertisement, on: channel, arrives: arrives)
      }
      if !arrives { advertiser.advertisingEventEnded(key) }
    }
  }

  // MARK: Primary channels

  private func finishPrimary(_ index: Int, _ progress: inout AdvertisingProgress, _ advertiser: VirtualController) {
    let advertisement = progress.advertisement
    var audience = Audience()
    defer { observePrimary(index, progress, audience) }
    var end = now
    for listener in listeners where listener !== advertiser {
      let heard = listener.listening(
        channel: progress.channels[index], from: progress.stageStart, to: now, advertisement.primaryPHY)
      guard heard.scanner || heard.initiator,
        isReceived(by: listener.id, from: advertiser.id, payload: advertisement.primaryLength, &audience)
      else { continue }
      guard advertisement.isLegacy else {
        follow(listener, heard, &progress)
        continue
      }
      if heard.initiator, let epoch = listener.state.initiator?.epoch,
        let own = listener.connectionRequestAddress(for: advertisement), mayRequest(listener, advertisement)
      {
        let listener = AuxiliaryListener(listener, epoch, isInitiator: true)
        return beginConnection(listener, own, on: progress.primaryChannel(index), progress, advertiser)
      }
      if heard.scanner, listener.reportLegacy(advertisement, isScanResponse: false), advertisement.isScannable {
        let answered = answerLegacyScanRequest(of: listener, progress, on: progress.primaryChannel(index), advertiser)
        end = max(end, answered)
      }
    }
    nextPrimary(after: index, from: end, progress, advertiser)
  }

  private func nextPrimary(
    after index: Int, from end: Instant, _ old: AdvertisingProgress, _ advertiser: VirtualController
  ) {
    var progress = old
    if index + 1 < progress.channels.count {
      progress.stage = .primary(index + 1)
      progress.stageStart = end + LinkLayerTime.primarySpace
      transmit(progress, from: advertiser)
    } else if progress.advertisement.isLegacy {
      advertiser.advertisingEventEnded(progress.advertisement.key)
    } else {
      progress.stage = .auxiliary(0)
      progress.stageStart = end + LinkLayerTime.auxiliaryFrameSpace
      transmit(progress, from: advertiser)
    }
  }

  private func follow(
    _ listener: VirtualController, _ heard: (scanner: Bool, initiator: Bool), _ progress: inout AdvertisingProgress
  ) {
    let id = listener.id
    if heard.initiator, let initiator = listener.state.initiator, initiator.isExtended,
      !progress.listeners.contains(where: { $0.controller == id && $0.isInitiator })
    {
      progress.listeners.append(AuxiliaryListener(listener, initiator.epoch, isInitiator: true))
    }
    if heard.scanner, let scanner = listener.state.scanner, scanner.isExtended,
      !progress.listeners.contains(where: { $0.controller == id && !$0.isInitiator })
    {
      progress.listeners.append(AuxiliaryListener(listener, scanner.epoch, isInitiator: false))
    }
  }

  /// Plays SCAN_REQ and SCAN_RSP. Returns the end of the exchange.
  private func answerLegacyScanRequest(
    of scanner: VirtualController, _ progress: AdvertisingProgress, on channel: UInt8, _ advertiser: VirtualController
  ) -> Instant {
    let advertisement = progress.advertisement
    let requested =
      now + LinkLayerTime.interFrameSpace + RadioPHY.le1M.airTime(payload: LinkLayerTime.scanRequestPayload)
    let payload = 6 + advertisement.scanResponse.count
    let end = requested + LinkLayerTime.interFrameSpace + RadioPHY.le1M.airTime(payload: payload)
    guard let epoch = scanner.state.scanner?.epoch, let own = scanner.scanRequestAddress(for: advertisement),
      scanner.mayAnswer(until: end)
    else { return now }
    scanner.radioFreeFrom = requested
    let isHeard = propagation.carries(
      from: scanner.id, to: advertiser.id, payload: LinkLayerTime.scanRequestPayload)
    observeScanRequest(from: scanner.id, own, advertisement, on: channel, arrives: isHeard, until: requested)
    guard isHeard, advertiser.receiveScanRequest(from: own, advertisement) else { return requested }
    scanner.radioFreeFrom = end
    let arrives = propagation.carries(from: advertiser.id, to: scanner.id, payload: payload)
    observeScanResponse(advertisement, to: scanner.id, on: channel, arrives: arrives, until: end)
    if arrives {
      scanner.state.scanner?.awaited = advertisement
      timeline.schedule(.scanResponse(scanner.id, epoch: epoch), at: end)
    }
    return end
  }

  // MARK: Auxiliary packets

  private func finishAuxiliary(_ offset: Int, _ progress: inout AdvertisingProgress, _ advertiser: VirtualController) {
    let advertisement = progress.advertisement
    let packet = advertisement.auxiliaryPacket(from: offset, isScanResponse: false)
    var audience = Audience()
    if offset == 0, advertisement.isConnectable,
      let (listener, own) = initiator(hearing: packet, progress, advertiser, &audience)
    {
      observeAuxiliary(packet, progress, audience)
      return beginConnection(listener, own, on: progress.channel(ofAuxiliary: 0), progress, advertiser)
    }
    if advertisement.isScannable {
      reportScannable(packet, &progress, advertiser, &audience)
    } else {
      report(packet, &progress, advertiser, &audience)
      observeAuxiliary(packet, progress, audience)
      continueChain(packet, &progress, advertiser) { .auxiliary($0) }
    }
  }

  /// Returns the first initiator that hears AUX_ADV_IND and wants to connect.
  private func initiator(
    hearing packet: AuxiliaryPacket, _ progress: AdvertisingProgress, _ advertiser: VirtualController,
    _ audience: inout Audience
  ) -> (AuxiliaryListener, OwnAddress)? {
    let length = progress.advertisement.auxiliaryLength(packet)
    for listener in progress.listeners where listener.isInitiator {
      if let initiator = controller(listener.controller), initiator.state.initiator?.epoch == listener.epoch,
        initiator.radioIsFree(since: progress.stageStart), mayRequest(initiator, progress.advertisement),
        isReceived(by: listener.controller, from: advertiser.id, payload: length, &audience),
        let own = initiator.connectionRequestAddress(for: progress.advertisement)
      {
        return (listener, own)
      }
    }
    return nil
  }

  /// Delivers AUX_ADV_IND without data. Active scanners request the AUX_SCAN_RSP.
  private func reportScannable(
    _ packet: AuxiliaryPacket, _ progress: inout AdvertisingProgress, _ advertiser: VirtualController,
    _ audience: inout Audience
  ) {
    let advertisement = progress.advertisement
    let length = advertisement.auxiliaryLength(packet)
    let request = advertisement.secondaryPHY.airTime(payload: LinkLayerTime.scanRequestPayload)
    let requested = now + LinkLayerTime.interFrameSpace + request
    let channel = progress.channel(ofAuxiliary: 0)
    progress.listeners = progress.listeners.filter { listener in
      guard let scanner = scanner(of: listener), scanner.radioIsFree(since: progress.stageStart),
        isReceived(by: listener.controller, from: advertiser.id, payload: length, &audience),
        scanner.reportExtended(advertisement, data: [], status: .complete, isFirst: true, isScanResponse: false),
        let own = scanner.scanRequestAddress(for: advertisement)
      else { return false }
      let isHeard = propagation.carries(
        from: listener.controller, to: advertiser.id, payload: LinkLayerTime.scanRequestPayload)
      observeScanRequest(from: scanner.id, own, advertisement, on: channel, arrives: isHeard, until: requested)
      return isHeard && advertiser.receiveScanRequest(from: own, advertisement)
    }
    observeAuxiliary(packet, progress, audience)
    guard !progress.listeners.isEmpty else { return advertiser.advertisingEventEnded(advertisement.key) }
    progress.stage = .scanResponse(0)
    progress.stageStart = requested + LinkLayerTime.interFrameSpace
    transmit(progress, from: advertiser)
  }

  private func scanner(of listener: AuxiliaryListener) -> VirtualController? {
    guard !listener.isInitiator, let controller = controller(listener.controller),
      controller.state.scanner?.epoch == listener.epoch
    else { return nil }
    return controller
  }

  /// Delivers one auxiliary packet to the scanners that still follow. A scanner that misses it reports its data so far as truncated.
  private func report(
    _ packet: AuxiliaryPacket, _ progress: inout AdvertisingProgress, _ advertiser: VirtualController,
    _ audience: inout Audience
  ) {
    let advertisement = progress.advertisement
    let data = (packet.isScanResponse ? advertisement.scanResponse : advertisement.data)[packet.range]
    let length = advertisement.auxiliaryLength(packet)
    let isFirst = packet.range.lowerBound == 0
    progress.listeners = progress.listeners.filter { listener in
      guard let scanner = scanner(of: listener) else { return false }
      let arrives =
        scanner.radioIsFree(since: progress.stageStart)
        && isReceived(by: listener.controller, from: advertiser.id, payload: length, &audience)
      guard arrives || !isFirst else { return false }
      return scanner.reportExtended(
        advertisement, data: arrives ? Array(data) : [],
        status: !arrives ? .truncated : packet.isLast ? .complete : .moreToCome, isFirst: isFirst,
        isScanResponse: packet.isScanResponse) && arrives
    }
  }

  private func continueChain(
    _ packet: AuxiliaryPacket, _ progress: inout AdvertisingProgress, _ advertiser: VirtualController,
    _ stage: (Int) -> AdvertisingProgress.Stage
  ) {
    guard !packet.isLast, observer != nil || !progress.listeners.isEmpty else {
      return advertiser.advertisingEventEnded(progress.advertisement.key)
    }
    progress.stage = stage(packet.range.upperBound)
    progress.stageStart = now + LinkLayerTime.auxiliaryFrameSpace
    transmit(progress, from: advertiser)
  }

  // MARK: Connection requests

  /// Returns whether an initiator's radio has time to send its request now.
  private func mayRequest(_ initiator: VirtualController, _ advertisement: Advertisement) -> Bool {
    initiator.mayAnswer(until: now + LinkLayerTime.interFrameSpace + connectionRequestTime(advertisement))
  }

  private func beginConnection(
    _ listener: AuxiliaryListener, _ own: OwnAddress, on channel: UInt8, _ old: AdvertisingProgress,
    _ advertiser: VirtualController
  ) {
    var progress = old
    let arrives =
      propagation.carries(
        from: listener.controller, to: advertiser.id, payload: LinkLayerTime.connectRequestPayload)
      && advertiser.acceptsConnection(from: own, progress.advertisement)
    progress.stage = .connecting(listener, own, channel: channel, arrives: arrives)
    progress.stageStart = now + LinkLayerTime.interFrameSpace
    let end = progress.stageStart + connectionRequestTime(progress.advertisement)
    controller(listener.controller)?.willRequestConnection(progress.advertisement, until: end)
    transmit(progress, from: advertiser)
  }
}
