import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Transport

/// Handling the events of a turn.
extension Accessory {
  /// Passes the turn's events on, and handles those that affect the whole accessory.
  func report(at now: Instant) {
    let events = out.events
    out.events.removeAll(keepingCapacity: true)
    keepBonds(of: events, at: now)
    for event in events where !event.isEndOfDiscovery {
      tellRules(of: event, at: now)
      connectionCounts.count(event)
      switch event {
      case .advertisingReady(let sets):
        emit(event)
        emit(.ready(readyReport(sets)))
        wasReady = true
        if pendingReset?.hasBegun == true { endReset() }
        // An accessory that waits for an unplugged controller also waits for one that stops answering.
        if options.waitsForController { stack.resetAttempts = .max }
      case .controllerReady(let controller, _, _):
        emit(event)
        reportImpossibleFaults(on: controller)
      case .controllerFailed(let failure):
        emit(event)
        finish(.failed(.unusable(controller: options.controller, failure)))
      case .stopped where pendingReset != nil: beginAnew()
      case .stopped:
        emit(event)
        finish(.stopped)
      case .server(let handle, .subscriptionChanged(let index, let configuration)):
        subscriptions[handle, default: []].removeAll { $0 == index }
        if !configuration.isEmpty { subscriptions[handle, default: []].append(index) }
        emit(event)
      case .databaseChanged:
        for link in stack.linkStates { subscriptions[link.handle] = link.subscriptions.map(\.characteristic) }
        emit(event)
      case .disconnected(let handle, _):
        signalStrengths.end(handle)
        for index in subscriptions.removeValue(forKey: handle) ?? [] {
          emit(.server(handle, .subscriptionChanged(index, [])))
        }
        emit(event)
      case .client(let link, .ended(let id, let outcome)):
        emit(event)
        remoteOperations.end(id, on: link, outcome)
      case .channel(let handle, let channelEvent):
        emit(event)
        follow(channelEvent, on: handle)
      // Requests of a pairing are reported as questions.
      case .security(let handle, let securityEvent) where followPairing(securityEvent, on: handle): break
      // An SDU that goes to a line is not reported.
      case .sdu(let handle, let id, let octets) where carry(octets, from: id, of: handle): break
      default: emit(event)
      }
    }
  }

  /// Reports an event of the host, with its characteristic and decoded value.
  private func emit(_ event: HostEvent) {
    var sink: ChannelSink?
    if case .channel(let handle, .closed(let id, _, _, _)) = event {
      sink = stack.application.takeSink(of: id, on: handle.client)
    }
    guard !observers.isEmpty else { return }
    let index = event.characteristic
    let value = index.flatMap { index in event.octets.map { decode($0, of: index) } }
    emit(.host(event), index.map { name(of: $0) }, value ?? sink?.json)
  }

  func emit(
    _ kind: AccessoryEvent.Kind, _ characteristic: CharacteristicName? = nil, _ value: ProfileValue? = nil
  ) {
    guard !observers.isEmpty else { return }
    eventCount += 1
    observers.emit(
      AccessoryEvent(
        number: eventCount, time: loop.sinceEpoch(), kind: kind, characteristic: characteristic, value: value))
  }
}
