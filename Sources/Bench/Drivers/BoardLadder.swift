import AccessoryProfile
import BLECore
import Synchronization
import Transport
import Understudy

/// The ladder on two real controllers, in real time: one for an accessory, one for a central.
package struct BoardLadder: Sendable {
  /// The accessory's profile.
  package var profile: Profile
  /// The seed for the payload and the addresses.
  package var seed: UInt64
  /// The accessory's controller.
  package var accessory: ControllerAddress
  /// The central's controller.
  package var central: ControllerAddress

  /// Creates a ladder for the accessory of that profile.
  package init(_ profile: Profile, accessory: ControllerAddress, central: ControllerAddress, seed: UInt64 = 0) {
    self.profile = profile
    self.accessory = accessory
    self.central = central
    self.seed = seed
  }

  /// Performs steps with that many octets each, and reports the result of each. Throws a `TransportError` or
  /// an `AccessoryFailure` if a controller cannot be used.
  package func play(
    _ steps: [LadderStep], octets: Int, on loop: PollLoop, report: (StepResult) -> Void
  ) async throws {
    let rates = [
      await Doctor.lineRate(of: accessory, loop: loop), await Doctor.lineRate(of: central, loop: loop),
    ]
    let lineRate = rates.compactMap(\.self).min()
    let device = try Accessory(profile, options: AccessoryOptions(controller: accessory, seed: seed), loop: loop)
    let (line, desk) = (LadderLine(central, loop: loop), ArrivalDesk())
    await device.reportAccess()
    let events = await device.events()
    await device.observe { desk.take($0) }
    try await line.open()
    do {
      try await device.start()
      let ready = try await Self.ready(events)
      let payload = Ladder.payload(octets, seed: seed)
      for step in steps {
        desk.clear()
        let central = try LadderCentral(
          step, payload: payload, to: ready.address, type: ready.addressType, lineRate: lineRate)
        let progress = await line.play(central)
        report(StepResult(step: step, outcome: await outcome(progress, of: payload, at: device, desk)))
        await line.disconnect()
      }
    } catch {
      await line.close()
      await device.stop()
      throw error
    }
    await line.close()
    await device.stop()
    _ = await device.end()
  }

  private static func ready(_ events: AsyncStream<AccessoryEvent>) async throws -> ReadyReport {
    for await event in events {
      switch event.kind {
      case .ready(let report): return report
      case .failed(let failure): throw failure
      default: break
      }
    }
    throw StepFailure("the accessory ended before it was on the air")
  }

  /// Compares what has arrived with what was sent. When the central's controller has the last
  /// acknowledgement, the last octets may still be on the accessory's line.
  private func outcome(
    _ progress: LadderCentral.Progress, of payload: [UInt8], at device: Accessory, _ desk: ArrivalDesk
  ) async -> Result<Transfer, StepFailure> {
    switch progress {
    case .failed(let failure): return .failure(failure)
    case .underWay, .over: return .failure(StepFailure("the link ended"))
    case .sent(let transfer):
      let sent = Arrival(sending: payload)
      var fault: StepFailure?
      for _ in 0..<Self.arrivalChecks {
        fault = await arrival(at: device, desk).fault(comparedTo: sent)
        if fault == nil { return .success(transfer) }
        try? await Task.sleep(for: .milliseconds(20))
      }
      return .failure(fault ?? StepFailure("nothing arrived"))
    }
  }

  /// The number of checks: five seconds in total.
  private static let arrivalChecks = 250

  private func arrival(at device: Accessory, _ desk: ArrivalDesk) async -> Arrival {
    guard let channel = desk.record.channel else { return desk.record.written }
    return Arrival(await device.received(on: channel.id, of: channel.link)) ?? desk.record.written
  }
}

/// Records what an accessory receives, on its loop.
private final class ArrivalDesk: Sendable {
  private let state = Mutex(ArrivalRecord())

  /// What has been received since `clear`.
  var record: ArrivalRecord { state.withLock { $0 } }

  func take(_ event: AccessoryEvent) {
    guard case .host(let event) = event.kind else { return }
    state.withLock { $0.take(event) }
  }

  func clear() { state.withLock { $0 = ArrivalRecord() } }
}
