import BLEATT
import BLECore
import BLEGATT
import BLEHCI

/// A writer of the steps that `HostBench.play` takes.
struct HostScript {
  private var script = FuzzScript()

  init(_ write: (inout HostScript) -> Void) { write(&self) }

  /// The steps, as an input of the target for events.
  var events: [UInt8] { [1] + script.octets }
  /// The steps, as an input of the target for L2CAP.
  var l2cap: [UInt8] { [2] + script.octets }
  /// The steps, as an input of the target for ATT.
  var att: [UInt8] { [2] + script.octets }

  mutating func event(_ event: some HCIEvent) {
    script.append(0, type(of: event).code.rawValue)
    script.append(run: event.encoded)
  }

  mutating func le<Event: LEMetaEvent>(_ event: Event) {
    script.append(1, Event.subevent.rawValue)
    script.append(run: event.encoded)
  }

  mutating func time(_ count: UInt8, long: Bool = false) { script.append(2, count, long ? 1 : 0) }
  mutating func connect(_ handle: UInt8) { script.append(3, handle) }
  mutating func disconnect(_ handle: UInt8) { script.append(4, handle) }

  mutating func raw(_ octets: [UInt8]) {
    script.append(5)
    script.append(run: octets)
  }

  /// Sends data as it is, with a packet boundary flag.
  mutating func data(_ handle: UInt8, _ boundary: UInt8, _ octets: [UInt8]) {
    script.append(6, handle, boundary)
    script.append(run: octets)
  }

  /// Sends a frame in packets of that many octets.
  mutating func frame(_ handle: UInt8, channel: UInt8, length: UInt8 = 250, _ payload: [UInt8]) {
    script.append(7, handle, channel, length)
    script.append(run: payload)
  }

  mutating func mood(_ mood: UInt8, answers: Bool = true, completes: Bool = true) {
    script.append(8, mood, (answers ? 0 : 1) | (completes ? 0 : 2))
  }

  mutating func freeBuffers() { script.append(9) }

  /// Makes a request about a characteristic.
  mutating func request(_ kind: UInt8, _ characteristic: UInt8, _ handle: UInt8, _ more: UInt8...) {
    script.append(10, characteristic, handle, kind)
    script.append(more)
  }

  mutating func edit(_ choice: UInt8) { request(2, 0, 0, choice) }
  mutating func disconnectWish(_ handle: UInt8) { request(3, 0, handle) }

  mutating func channelWish(_ kind: UInt8, _ handle: UInt8, _ channel: UInt8, _ more: UInt8...) {
    script.append(11, handle, channel, kind)
    script.append(more)
  }

  mutating func pdu(_ handle: UInt8, _ pdu: some ATTPDU) { frame(handle, channel: 4, pdu.encodedPDU) }

  /// Reads the first characteristic of the application.
  mutating func read(_ handle: UInt8) { pdu(handle, ReadRequest(handle: 0x0016)) }
}
