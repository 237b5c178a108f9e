import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import Simulation

/// Reads a device with a central: it listens, connects, discovers, reads, subscribes and waits. Its results are the packets of
/// `ScriptedCentral.tap`. It writes only subscriptions and the writes of its plan.
package struct DeviceReader {
  /// Which device to read, and how thoroughly.
  package struct Plan: Sendable {
    /// The device.
    package var filter: DeviceFilter
    /// How long to look for it.
    package var patience = Duration.seconds(30)
    /// How long to listen to its advertising.
    package var listening = Duration.seconds(10)
    /// How long to watch its values.
    package var watching = Duration.seconds(60)
    /// The interval at which readable values are read again.
    package var rereading = Duration.seconds(10)
    /// Whether to pair if the device demands it.
    package var pairs = false
    /// The writes to try, in order.
    package var writes: [PlannedWrite] = []

    /// Creates a plan.
    package init(_ filter: DeviceFilter) { self.filter = filter }
  }

  private let central: ScriptedCentral
  private let plan: Plan
  private let report: (String) -> Void

  /// Creates a reader that acts with a central, and reports its progress in short sentences.
  package init(_ central: ScriptedCentral, _ plan: Plan, report: @escaping (String) -> Void = { _ in }) {
    self.central = central
    self.plan = plan
    self.report = report
  }

  /// Reads the device, and returns one of its advertisements.
  ///
  /// - Throws: A `DeviceFailure` if the central cannot find it or connect to it. The reader reports later failures and goes on.
  @discardableResult
  package func read() throws -> Advertisement {
    let sought = central.stage.now
    let found = try find()
    report(
      "found \(found.data.localName ?? "a device without a name") at \(found.address) after \(elapsed(since: sought))")
    let heard = try central.scan(for: plan.listening) { $0.address == found.address }
    guard (heard + [found]).contains(where: \.isConnectable) else {
      report("it is not connectable: only its advertising is learnt")
      return found
    }
    let link = try connect(to: found)
    _ = try? central.exchangeMTU(on: link)
    let began = central.stage.now
    let database = try discover(on: link)
    report(
      "it has \(database.services.count) services with \(database.characteristics.count) characteristics, discovered in "
        + elapsed(since: began))
    readAll(of: database, on: link)
    pairIfNeeded(database, on: link)
    subscribe(to: database, on: link)
    write(to: database, on: link)
    watch(database, on: link)
    if central.links.contains(link) { try? central.disconnect(link) }
    return found
  }

  private func elapsed(since began: Instant) -> String {
    "\(Double((central.stage.now - began).inNanoseconds / 100_000) / 10) ms"
  }

  private func find() throws -> Advertisement {
    let limit = central.limit
    defer { central.limit = limit }
    central.limit = plan.patience
    do { return try central.hear { plan.filter.fits($0) } } catch SimulationFailure.timedOut {
      throw DeviceFailure.notFound(after: plan.patience)
    }
  }

  private func connect(to device: Advertisement) throws -> ConnectionHandle {
    let limit = central.limit
    defer { central.limit = limit }
    central.limit = .seconds(20)
    var last: any Error = DeviceFailure.notFound(after: plan.patience)
    for _ in 0..<Self.attempts {
      let began = central.stage.now
      do {
        let link = try central.connect(
          ConnectionRequest(
            to: device.address, type: device.addressType,
            parameters: LinkParameters(interval: .milliseconds(30), timeout: .seconds(5))))
        report("connected in \(elapsed(since: began))")
        return link
      } catch { last = error }
    }
    throw DeviceFailure.notConnected("\(last)")
  }

  /// The number of attempts to connect: a connection can fail to be established (Core 5.4 Vol 4 Part E 7.7.65.1, error 0x3E).
  private static let attempts = 3

  private func discover(on link: ConnectionHandle) throws -> RemoteDatabase {
    do { return try central.discover(on: link) } catch {
      report("the discovery of its services stopped early: \(error)")
      return central.stack.remoteDatabase(of: link) ?? RemoteDatabase()
    }
  }

  // MARK: Reading

  private func readAll(of database: RemoteDatabase, on link: ConnectionHandle) {
    for characteristic in database.characteristics {
      if characteristic.properties.contains(.read) { read(characteristic.value, on: link) }
      for descriptor in characteristic.descriptors { read(descriptor.handle, on: link) }
    }
  }

  private func read(_ handle: UInt16, on link: ConnectionHandle) {
    guard central.links.contains(link) else { return }
    // A refusal is a result, too: the tap has it.
    _ = try? central.read(handle, on: link)
  }

  private func pairIfNeeded(_ database: RemoteDatabase, on link: ConnectionHandle) {
    guard plan.pairs, central.links.contains(link) else { return }
    report("pairing: confirm on the device if it asks")
    do {
      let outcome = try central.pair(link)
      switch outcome {
      case .paired, .encrypted: readAll(of: database, on: link)
      default: report("pairing failed: \(outcome)")
      }
    } catch { report("pairing failed: \(error)") }
  }

  // MARK: Watching

  private func subscribe(to database: RemoteDatabase, on link: ConnectionHandle) {
    for characteristic in database.characteristics where central.links.contains(link) {
      let properties = characteristic.properties
      guard characteristic.configuration != nil else { continue }
      // Service Changed serves caches and has no value to watch.
      guard characteristic.uuid != .serviceChanged else { continue }
      if properties.contains(.notify) {
        try? central.configure(characteristic.value, .notification, on: link)
      } else if properties.contains(.indicate) {
        try? central.configure(characteristic.value, .indication, on: link)
      }
    }
  }

  private func write(to database: RemoteDatabase, on link: ConnectionHandle) {
    for write in plan.writes where central.links.contains(link) {
      guard let characteristic = database.characteristic(write.uuid) else {
        report("the device has no characteristic \(write.uuid): the write is skipped")
        continue
      }
      let canRespond = characteristic.properties.contains(.write)
      do {
        if canRespond {
          try central.write(write.value, to: characteristic.value, on: link)
        } else {
          try central.writeWithoutResponse(write.value, to: characteristic.value, on: link)
        }
      } catch { report("writing hex:\(write.value.hexadecimal) to \(write.uuid): \(error)") }
      central.stage.run(for: write.wait)
      if characteristic.properties.contains(.read) { read(characteristic.value, on: link) }
    }
  }

  /// Waits for the values that the device sends, and rereads the others from time to time.
  private func watch(_ database: RemoteDatabase, on link: ConnectionHandle) {
    report("watching its values for \(plan.watching)")
    let end = central.stage.now + plan.watching
    let readable = database.services.filter { ![0x1800, 0x1801].contains($0.uuid.short ?? 0) }
      .flatMap(\.characteristics).filter { $0.properties.contains(.read) }
    while central.stage.now < end {
      let next = min(end, central.stage.now + plan.rereading)
      let hasEnded = central.stage.run(until: { !central.links.contains(link) }, limit: next - central.stage.now)
      if hasEnded { return report("the device ended the connection: \(central.ends.last.map { "\($0)" } ?? "")") }
      // The last event can lie before `next`.
      if central.stage.now < next { central.stage.run(for: next - central.stage.now) }
      // Time stands still once the line has failed or the user has interrupted.
      guard central.stage.now >= next else { return }
      for characteristic in readable { read(characteristic.value, on: link) }
    }
  }
}

/// Why a device could not be read.
package enum DeviceFailure: Error, CustomStringConvertible {
  /// The central heard no advertisement of the device within this time.
  case notFound(after: Duration)
  /// Every attempt to connect failed; with the reason of the last one.
  case notConnected(String)

  package var description: String {
    switch self {
    case .notFound(let time): "the device was not heard within \(time): check that it is on, advertises and is close by"
    case .notConnected(let reason): "the device was heard, but no connection was established: \(reason)"
    }
  }
}
