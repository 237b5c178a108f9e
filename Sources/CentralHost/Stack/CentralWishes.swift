import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP

extension CentralStack {
  /// Grants a wish, or says why not.
  public mutating func perform(
    _ wish: CentralRequest, at now: Instant, into out: inout CentralOutput
  ) throws(CentralRequestError) {
    guard isReady else { throw .notReady }
    defer { settle(at: now, into: &out) }
    switch wish {
    case .scan(let request): scan(request)
    case .stopScanning: stopScanning()
    case .connect(let request):
      guard !isConnecting else { throw .alreadyConnecting }
      connect(request)
    case .cancelConnecting: if isConnecting { commands.add(LECreateConnectionCancel()) }
    case .disconnect(let handle, let reason):
      _ = try existing(handle)
      disconnect(handle, reason: reason)
    case .updateParameters(let handle, let parameters):
      _ = try existing(handle)
      update(handle, parameters)
    case .setDataLength(let handle, let octets):
      _ = try existing(handle)
      setDataLength(handle, octets: octets)
    case .setPHY(let handle, let transmit, let receive):
      _ = try existing(handle)
      setPHY(handle, transmit: transmit, receive: receive)
    case .setValue(let characteristic, let value): setValue(value, of: characteristic, at: now, into: &out)
    case .closeChannel(let handle, let channel):
      links[try existing(handle)].channels.close(channel, at: now, events: &out.channels)
      reportChannels(handle, into: &out)
    case .sendFrame(let handle, let channel, let payload):
      _ = try existing(handle)
      scheduler.sendFrame(onChannel: channel.rawValue, of: handle, into: &out.octets) { $0.append(payload) }
    }
  }

  func existing(_ handle: ConnectionHandle) throws(CentralRequestError) -> Int {
    guard let index = index(of: handle) else { throw .unknownLink(handle) }
    return index
  }

  // MARK: GATT

  /// Begins an operation of a link's client; its end comes as an event with the number that is returned.
  @discardableResult
  public mutating func perform(
    _ operation: GATTOperation, on handle: ConnectionHandle, at now: Instant, into out: inout CentralOutput
  ) throws(CentralRequestError) -> OperationID {
    let index = try existing(handle)
    let id = links[index].client.perform(operation, at: now, into: &out.client)
    flushClient(of: index, into: &out)
    settle(at: now, into: &out)
    return id
  }

  /// Sends a Write Command straight into the output run, for streams of them. False when as many PDUs wait on the link as the
  /// configuration allows (`readyForMore` then says when to go on), when there is no such link, or when the value does not fit
  /// its MTU.
  public mutating func writeCommand(
    _ value: Span<UInt8>, to attribute: UInt16, on handle: ConnectionHandle, into out: inout CentralOutput
  ) -> Bool {
    guard let index = index(of: handle) else { return false }
    guard hasRoom(handle) else {
      links[index].wantsRoom = true
      return false
    }
    var fits = false
    scheduler.sendFrame(onChannel: ChannelID.attributeProtocol.rawValue, of: handle, into: &out.octets) { buffer in
      fits = links[index].client.appendWriteCommand(value, to: attribute, into: &buffer)
    }
    return fits
  }

  /// Whether a link takes another write command now.
  public func hasRoom(_ handle: ConnectionHandle) -> Bool {
    scheduler.queuedPDUs(handle) < max(1, configuration.writeBacklog)
  }

  /// How many packets the controller could take now.
  public var freePackets: Int { scheduler.freePackets }

  /// How far the controller has come with a link's packets.
  public func progress(of handle: ConnectionHandle) -> SendingProgress {
    SendingProgress(
      completed: scheduler.completedPackets(handle), outstanding: scheduler.outstandingPackets(handle),
      waiting: scheduler.queuedPDUs(handle))
  }

  // MARK: Scanning

  private mutating func scan(_ request: ScanRequest) {
    stopScanning()
    reports = ReportAssembler(filter: request.filter)
    let (interval, window) = (ScanInterval(rounding: request.interval), ScanInterval(rounding: request.window))
    guard usesExtendedCommands else {
      commands.add(
        LESetScanParameters {
          $0.scanType = request.type
          $0.interval = interval
          $0.window = window
          $0.ownAddressType = ownAddressType
        })
      commands.add(
        LESetScanEnable {
          $0.enable = true
          $0.filterDuplicates = request.filtersDuplicates
        })
      return
    }
    var parameters = ScanningPHYParameters()
    parameters.scanType = request.type
    parameters.interval = interval
    parameters.window = window
    commands.add(
      LESetExtendedScanParameters {
        $0.ownAddressType = ownAddressType
        // Primary channels have no LE 2M (Core 5.4 Vol 4 Part E 7.8.64).
        $0.phys = request.phys.intersection([.le1M, .leCoded])
        if $0.phys.isEmpty { $0.phys = .le1M }
        $0.parameters = Array(repeating: parameters, count: $0.phys.parameterCount)
      })
    commands.add(
      LESetExtendedScanEnable {
        $0.enable = true
        $0.filterDuplicates = request.filtersDuplicates ? 1 : 0
      })
  }

  /// Parameters cannot be set while scanning goes on. What is still to be switched on is switched off behind it.
  private mutating func stopScanning() {
    let isWanted = (commands.waiting + (commands.current.map { [$0] } ?? [])).contains {
      $0 is LESetScanEnable || $0 is LESetExtendedScanEnable
    }
    guard isScanning || isWanted else { return }
    commands.add(usesExtendedCommands ? LESetExtendedScanEnable() : LESetScanEnable())
  }

  /// Whether scanning and connecting go by the extended commands: chosen by what the controller reported, because one of either
  /// family locks the other out until the next reset (Core 5.4 Vol 4 Part E 3.1.1).
  var usesExtendedCommands: Bool {
    configuration.commandFamily == .byController && controller.features.contains(.extendedAdvertising)
      && [.leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection].allSatisfy(
        controller.commands.contains)
  }

  var ownAddressType: OwnAddressType { configuration.randomAddress == nil ? .publicDevice : .random }
}
