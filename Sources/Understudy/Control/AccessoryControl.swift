import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost
import Transport

/// Requests to a running accessory from outside.
extension Accessory {
  /// Performs a request, or throws why it was refused.
  public func perform(_ request: HostRequest) throws(ControlError) {
    let now = loop.now()
    defer { flush(at: now) }
    var request = request
    if let (ticket, reply) = request.reply, let actions = try? stack.application.answer(ticket, with: reply, at: now) {
      request = .perform(actions)
    }
    do throws(HostRequestError) { try stack.perform(request, at: now, into: &out) } catch { throw .refused(error) }
    if case .advertise(let set, let isOn) = request {
      let isUsual = profile.advertising.contains { $0.id == set && $0.startsAutomatically == isOn }
      keepRuntime(at: now) { $0.advertising[set] = isUsual ? nil : isOn }
    }
  }

  /// Changes whether devices find the accessory over BR/EDR and connect to it. Returns the modes that it then has.
  @discardableResult
  public func setModes(_ modes: ClassicModes) throws(ControlError) -> ClassicModes {
    try perform(.setModes(modes))
    let settings = stack.classicSettings
    return ClassicModes(discoverability: settings?.discoverability, isConnectable: settings?.isConnectable)
  }

  /// Returns the characteristic with that id, or with that UUID if it is unambiguous.
  public func characteristic(named name: String) throws(ControlError) -> CharacteristicIndex {
    guard let record = stack.server.database.characteristic(named: name) else { throw .unknownCharacteristic(name) }
    return record.index
  }

  /// Returns the current value of a characteristic, as octets and decoded by its format.
  public func value(of name: String) throws(ControlError) -> (octets: [UInt8], value: ProfileValue) {
    let index = try characteristic(named: name)
    let octets = stack.value(of: index, at: loop.now()) ?? []
    let isOurs = stack.server.database[index].belongsToApplication
    return (octets, isOurs ? stack.application.decode(octets, of: index) : .octets(octets))
  }

  /// Sets the value of a characteristic, which keeps it until something else changes it. Subscribers are
  /// notified if the profile says `notify: on-change`.
  public func setValue(_ value: ProfileValue, of name: String) throws(ControlError) {
    try perform(.perform(try actions(setting: try characteristic(named: name), to: value, of: name)))
  }

  /// Returns the actions that a new value causes. If the value does not fit, nothing has changed.
  func actions(
    setting index: CharacteristicIndex, to value: ProfileValue, of name: String
  ) throws(ControlError) -> [ApplicationAction] {
    guard stack.server.database[index].belongsToApplication else {
      throw .unsuitableValue("\(name) belongs to the host itself and cannot be set")
    }
    var application = stack.application
    let actions: [ApplicationAction]
    do throws(ProfileValueError) {
      actions = try application.set(index, to: value, at: loop.now())
    } catch {
      throw .unsuitableValue(error.message)
    }
    let definition = stack.server.database[index].definition
    let limit = definition.maximumLength
    for case .store(index, let octets) in actions
    where octets.count > limit || (definition.hasFixedLength && octets.count != limit) {
      throw .unsuitableValue(
        "\(name) takes \(definition.hasFixedLength ? "exactly" : "at most") \(limit) octets, and this value has "
          + "\(octets.count)")
    }
    stack.application = application
    return actions
  }

  /// Reports single reads, writes and notifications as events from now on.
  public func reportAccess() { beginAccessReports() }

  /// Starts reporting them. Each call needs a call of `endAccessReports` to undo it.
  func beginAccessReports() {
    accessReaders += 1
    (stack.reportsAccess, stack.application.reportsChanges) = (true, true)
  }

  func endAccessReports() {
    accessReaders -= 1
    stack.reportsAccess = accessReaders > 0
    stack.application.reportsChanges = stack.reportsAccess
  }

  /// Calls `handler` on the loop for every event, in order, and `ended` when no more events will follow. With `seeingAccess`,
  /// single reads, writes and notifications are reported until the observer is removed. Returns the number for `forget(observer:)`.
  @discardableResult
  public func observe(
    seeingAccess: Bool = false, ended: @escaping @Sendable () -> Void = {},
    _ handler: @escaping @Sendable (AccessoryEvent) -> Void
  ) -> Int {
    guard !hasEnded else {
      ended()
      return -1
    }
    if seeingAccess { beginAccessReports() }
    return observers.add(handler, seesAccess: seeingAccess, ended: ended)
  }

  /// Removes an observer.
  public func forget(observer id: Int) { if observers.remove(id) { endAccessReports() } }

  /// Returns all events from now on until the accessory has ended. If the reader falls more than 4,096 events behind, it loses the oldest.
  public func events() -> AsyncStream<AccessoryEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AccessoryEvent.self, bufferingPolicy: .bufferingNewest(4096))
    guard !hasEnded else {
      continuation.finish()
      return stream
    }
    let id = observers.add(continuation)
    continuation.onTermination = { [weak self] _ in
      Task { await self?.forget(observer: id) }
    }
    return stream
  }
}
