import BLECore
import Capture
import Transport
import VirtualRadio

/// The capture of a radio in a pcapng file: everything on the air, and everything between the controllers and their hosts.
final class RadioCapture {
  private let writer: PcapNGWriter
  private let air: PcapNGWriter.Interface
  private var controllers: [ControllerID: PcapNGWriter.Interface] = [:]
  /// The wall clock time at zero of the loop's clock, in nanoseconds since 1970.
  private let wallClock: Int64

  /// Creates the file.
  init(creating path: String, wallClock: Int64, includingAdvertising: Bool) throws(CaptureFailure) {
    writer = try PcapNGWriter(creating: path)
    writer.includesAdvertising = includingAdvertising
    air = writer.addInterface(name: "air", kind: .air)
    self.wallClock = wallClock
  }

  var nextDeadline: Instant? { writer.nextDeadline }

  func advance(to now: Instant) { writer.advance(to: now) }

  func takeFailure() -> CaptureFailure? { writer.takeFailure() }

  func close() { writer.close() }

  /// Adds a controller.
  func add(_ id: ControllerID, name: String, place: String) {
    controllers[id] = writer.addInterface(name: name, kind: .hci, comment: place)
  }

  /// Removes a controller that has left, or whose host starts again.
  func remove(_ id: ControllerID) { controllers[id] = nil }

  func record(_ packet: AirPacket, at now: Instant) {
    writer.record(CapturedAirPacket(packet, wallClock: wallClock), on: air, at: now)
  }

  func record(
    _ direction: CapturedPacket.Direction, _ octets: Span<UInt8>, of id: ControllerID, at now: Instant
  ) {
    guard let interface = controllers[id] else { return }
    writer.record(direction, octets, on: interface, at: now, nanoseconds: wallClock &+ now.nanoseconds)
  }
}

extension RadioHub {
  /// Writes everything on the air, and everything between the controllers and their hosts, to a pcapng file
  /// from now on. If writing fails, an event reports it, and the radio continues without a capture.
  public func startCapture(to path: String, includingAdvertising: Bool = true) throws(CaptureFailure) {
    let wallClock = loop.sinceEpoch().inNanoseconds - loop.now().nanoseconds
    let capture = try RadioCapture(
      creating: path, wallClock: wallClock, includingAdvertising: includingAdvertising)
    for id in air.controllerIDs {
      if let member = members[id] { capture.add(id, name: member.name, place: member.place) }
    }
    self.capture = capture
    let loop = self.loop
    air.observer = { capture.record($0, at: loop.now()) }
    arm()
  }

  /// Records what was sent between a controller and its host.
  func record(_ direction: CapturedPacket.Direction, _ octets: Span<UInt8>, of id: ControllerID, at now: Instant) {
    capture?.record(direction, octets, of: id, at: now)
  }

  /// Writes what is pending in the capture, and reports a failure.
  func tendCapture(at now: Instant) {
    guard let capture else { return }
    capture.advance(to: now)
    noteFailure(of: capture)
  }

  /// Ends the capture, and reports a failure.
  func closeCapture() {
    air.observer = nil
    guard let capture else { return }
    capture.close()
    noteFailure(of: capture)
    self.capture = nil
  }

  private func noteFailure(of capture: RadioCapture) {
    guard let failure = capture.takeFailure() else { return }
    air.observer = nil
    self.capture = nil
    captureFailure = failure
    emit(.captureFailed(reason: "\(failure)"))
  }
}
