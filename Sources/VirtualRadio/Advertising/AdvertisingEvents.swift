import BLECore
import BLEHCI

// Core 5.4 Vol 6 Part B 4.4.2: advertising events, packet by packet.
extension Air {
  func startAdvertisingEvent(controller id: ControllerID, key: SetKey, epoch: UInt32) {
    guard let advertiser = controller(id), let set = advertiser.runningSet(key, epoch: epoch) else { return }
    let interval = set.parameters.interval
    let isHighDuty = set.parameters.properties.contains(.highDutyDirected)
    // advDelay keeps advertisers apart that started together (4.4.2.2.1).
    let delay = isHighDuty ? .zero : Duration.nanoseconds(Int64(advertiser.random.upTo(10_000_000)))
    timeline.schedule(.advertisingEvent(id, key, epoch: epoch), at: now + interval + delay)
    guard set.progress == nil, !advertiser.impairment.isHung, let advertisement = advertiser.advertisement(of: set)
    else { return }
    guard observer != nil || isAnyoneListening(except: advertiser) else { return advertiser.advertisingEventEnded(key) }
    let channels = (0..<3).filter { set.parameters.channelMap.rawValue & (1 << $0) != 0 }
    let progress = AdvertisingProgress(
      advertisement: advertisement, channels: channels, stage: .primary(0), stageStart: now)
    transmit(progress, from: advertiser)
  }

  private func isAnyoneListening(except advertiser: VirtualController) -> Bool {
    listeners.contains { $0 !== advertiser }
  }

  /// Schedules the end of the packet that begins at `progress.stageStart`.
  private func transmit(_ progress: AdvertisingProgress, from advertiser: VirtualController) {
    let advertisement = progress.advertisement
    let duration: Duration
    switch progress.stage {
    case .primary: duration = advertisement.primaryPHY.airTime(payload: advertisement.primaryPayload)
    case .auxiliary(let offset): duration = auxiliaryTime(advertisement, advertisement.data, offset)
    case .scanResponse(let offset): duration = auxiliaryTime(advertisement, advertisement.scanResponse, offset)
    case .connecting: duration = connectionRequestTime(advertisement)
    }
    advertiser.setProgress(progress, of: advertisement.key)
    guard let epoch = advertiser.epoch(of: advertisement.key) else { return }
    timeline.schedule(
      .advertisingStep(advertiser.id, advertisement.key, epoch: epoch), at: progress.stageStart + duration)
  }

  private func auxiliaryTime(_ advertisement: Advertisement, _ data: [UInt8], _ offset: Int) -> Duration {
    let length = min(Advertisement.auxiliaryCapacity, data.count - offset)
    return advertisement.secondaryPHY.airTime(payload: advertisement.auxiliaryPayload(data: length))
  }

  /// CONNECT_IND, or AUX_CONNECT_REQ and AUX_CONNECT_RSP.
  private func connectionRequestTime(_ advertisement: Advertisement) -> Duration {
    let phy = advertisement.isLegacy ? RadioPHY.le1M : advertisement.secondaryPHY
    let request = phy.airTime(payload: LinkLayerTime.connectRequestPayload)
    return advertisement.isLegacy ? request : request + LinkLayerTime.interFrameSpace + phy.airTime(payload: 14)
  }

  /// A packet of an advertising event has been sent: who heard it, and what comes next.
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
      let data = progress.advertisement.scanResponse
      report(data, offset, &progress, advertiser, isScanResponse: true)
      continueChain(data, offset, &progress, advertiser) { .scanResponse($0) }
    case .connecting(let listener, let own, let arrives):
      advertiser.setProgress(nil, of: key)
      guard let initiator = controller(listener.controller), initiator.state.initiator?.epoch == listener.epoch else {
        return advertiser.advertisingEventEnded(key)
      }
      let phy = progress.advertisement.isLegacy ? RadioPHY.le1M : progress.advertisement.secondaryPHY
      initiator.connect(as: own, to: advertiser, progress.advertisement, on: phy, arrives: arrives)
      if !arrives { advertiser.advertisingEventEnded(key) }
    }
  }

  // MARK: Primary channels

  private func finishPrimary(_ index: Int, _ progress: inout AdvertisingProgress, _ advertiser: VirtualController) {
    let advertisement = progress.advertisement
    var end = now
    for listener in listeners where listener !== advertiser {
      let heard = listener.listening(
        channel: progress.channels[index], from: progress.stageStart, to: now, advertisement.primaryPHY)
      guard heard.scanner || heard.initiator,
        propagation.carries(from: advertiser.id, to: listener.id, payload: advertisement.primaryPayload)
      else { continue }
      guard advertisement.isLegacy else {
        follow(listener, heard, &progress)
        continue
      }
      if heard.initiator, let epoch = listener.state.initiator?.epoch,
        let own = listener.connectionRequestAddress(for: advertisement)
      {
        let listener = AuxiliaryListener(listener, epoch, isInitiator: true)
        return beginConnection(listener, own, progress, advertiser)
      }
      if heard.scanner, listener.reportLegacy(advertisement, isScanResponse: false), advertisement.isScannable {
        end = max(end, answerLegacyScanRequest(of: listener, advertisement, advertiser))
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
      // Room for a request, as a connectable or scannable advertiser listens for one after every packet.
      progress.stageStart = end + .microseconds(500)
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

  /// SCAN_REQ and SCAN_RSP; returns when the exchange is over.
  private func answerLegacyScanRequest(
    of scanner: VirtualController, _ advertisement: Advertisement, _ advertiser: VirtualController
  ) -> Instant {
    guard let epoch = scanner.state.scanner?.epoch, let own = scanner.scanRequestAddress(for: advertisement) else {
      return now
    }
    let requested =
      now + LinkLayerTime.interFrameSpace + RadioPHY.le1M.airTime(payload: LinkLayerTime.scanRequestPayload)
    guard
      propagation.carries(from: scanner.id, to: advertiser.id, payload: LinkLayerTime.scanRequestPayload),
      advertiser.receiveScanRequest(from: own, advertisement)
    else { return requested }
    let payload = 6 + advertisement.scanResponse.count
    let response = RadioPHY.le1M.airTime(payload: payload)
    let end = requested + LinkLayerTime.interFrameSpace + response
    if propagation.carries(from: advertiser.id, to: scanner.id, payload: payload) {
      scanner.state.scanner?.awaited = advertisement
      timeline.schedule(.scanResponse(scanner.id, epoch: epoch), at: end)
    }
    return end
  }

  // MARK: Auxiliary packets

  private func finishAuxiliary(_ offset: Int, _ progress: inout AdvertisingProgress, _ advertiser: VirtualController) {
    let advertisement = progress.advertisement
    if offset == 0, advertisement.isConnectable {
      let payload = advertisement.auxiliaryPayload(data: min(Advertisement.auxiliaryCapacity, advertisement.data.count))
      for listener in progress.listeners where listener.isInitiator {
        guard let initiator = controller(listener.controller), initiator.state.initiator?.epoch == listener.epoch,
          propagation.carries(from: advertiser.id, to: listener.controller, payload: payload),
          let own = initiator.connectionRequestAddress(for: advertisement)
        else { continue }
        return beginConnection(listener, own, progress, advertiser)
      }
    }
    if advertisement.isScannable {
      reportScannable(&progress, advertiser)
    } else {
      report(advertisement.data, offset, &progress, advertiser, isScanResponse: false)
      continueChain(advertisement.data, offset, &progress, advertiser) { .auxiliary($0) }
    }
  }

  /// AUX_ADV_IND without data; whoever scans actively asks for the AUX_SCAN_RSP.
  private func reportScannable(_ progress: inout AdvertisingProgress, _ advertiser: VirtualController) {
    let advertisement = progress.advertisement
    progress.listeners = progress.listeners.filter { listener in
      guard let scanner = scanner(of: listener),
        propagation.carries(
          from: advertiser.id, to: listener.controller, payload: advertisement.auxiliaryPayload(data: 0)),
        scanner.reportExtended(advertisement, data: [], status: .complete, isFirst: true, isScanResponse: false),
        let own = scanner.scanRequestAddress(for: advertisement)
      else { return false }
      return propagation.carries(
        from: listener.controller, to: advertiser.id, payload: LinkLayerTime.scanRequestPayload)
        && advertiser.receiveScanRequest(from: own, advertisement)
    }
    guard !progress.listeners.isEmpty else { return advertiser.advertisingEventEnded(advertisement.key) }
    let request = advertisement.secondaryPHY.airTime(payload: LinkLayerTime.scanRequestPayload)
    progress.stage = .scanResponse(0)
    progress.stageStart = now + LinkLayerTime.interFrameSpace * 2 + request
    transmit(progress, from: advertiser)
  }

  private func scanner(of listener: AuxiliaryListener) -> VirtualController? {
    guard !listener.isInitiator, let controller = controller(listener.controller),
      controller.state.scanner?.epoch == listener.epoch
    else { return nil }
    return controller
  }

  /// One auxiliary packet reaches those who still follow; who misses one reports what he has as cut off.
  private func report(
    _ data: [UInt8], _ offset: Int, _ progress: inout AdvertisingProgress, _ advertiser: VirtualController,
    isScanResponse: Bool
  ) {
    let advertisement = progress.advertisement
    let end = min(data.count, offset + Advertisement.auxiliaryCapacity)
    progress.listeners = progress.listeners.filter { listener in
      guard let scanner = scanner(of: listener) else { return false }
      let arrives = propagation.carries(
        from: advertiser.id, to: listener.controller, payload: advertisement.auxiliaryPayload(data: end - offset))
      guard arrives || offset > 0 else { return false }
      return scanner.reportExtended(
        advertisement, data: arrives ? Array(data[offset..<end]) : [],
        status: !arrives ? .truncated : end < data.count ? .moreToCome : .complete, isFirst: offset == 0,
        isScanResponse: isScanResponse) && arrives
    }
  }

  private func continueChain(
    _ data: [UInt8], _ offset: Int, _ progress: inout AdvertisingProgress, _ advertiser: VirtualController,
    _ stage: (Int) -> AdvertisingProgress.Stage
  ) {
    let next = offset + Advertisement.auxiliaryCapacity
    guard next < data.count, !progress.listeners.isEmpty else {
      return advertiser.advertisingEventEnded(progress.advertisement.key)
    }
    progress.stage = stage(next)
    progress.stageStart = now + LinkLayerTime.auxiliaryFrameSpace
    transmit(progress, from: advertiser)
  }

  // MARK: Connection requests

  private func beginConnection(
    _ listener: AuxiliaryListener, _ own: OwnAddress, _ old: AdvertisingProgress, _ advertiser: VirtualController
  ) {
    var progress = old
    let arrives =
      propagation.carries(
        from: listener.controller, to: advertiser.id, payload: LinkLayerTime.connectRequestPayload)
      && advertiser.acceptsConnection(from: own, progress.advertisement)
    progress.stage = .connecting(listener, own, arrives: arrives)
    progress.stageStart = now + LinkLayerTime.interFrameSpace
    transmit(progress, from: advertiser)
  }
}
