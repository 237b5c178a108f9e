import AccessoryProfile
import BLECore
import ControlAPI
import Decoding
import Glibc
import Transport

/// The packets of an accessory in another run, through its control API.
enum AttachedCapture {
  /// Starts reading the packets.
  static func start(_ wanted: AttachedAccessory) throws -> LiveCapture {
    let found = try RunningAccessory.found(wanted)
    let (client, name, path) = (found.client, found.name, found.path)
    let known = try client.get(path)
    let formats = formats(try client.get("\(path)/characteristics"))
    let stream = try client.stream("\(path)/capture")
    let loop = try PollLoop(name: "attach")
    let ends = try LiveCapture.makePipe()
    _ = AnswerPump(stream, writing: ends.writing, loop: loop)
    try loop.start()
    return LiveCapture(
      name: name, descriptor: ends.reading, formats: formats, prepare: { prepare(&$0, from: known) },
      stop: { loop.stop() })
  }

  /// Returns the formats of the characteristics in an answer, by type. Formats that this version does not support are left out.
  private static func formats(_ answer: [String: ProfileValue]) -> [BluetoothUUID: ValueFormat] {
    let rows = answer["characteristics"]?.elements ?? []
    return Dictionary(
      rows.compactMap { row in
        guard let uuid = row["uuid"]?.string.flatMap({ BluetoothUUID($0) }),
          let format = row["format"]?.string.flatMap({ ValueFormat(definition: $0) })
        else { return nil }
        return (uuid, format)
      }, uniquingKeysWith: { $1 })
  }

  /// Gives a decoder the accessory's attributes and connections.
  private static func prepare(_ decoder: inout PacketDecoder, from known: [String: ProfileValue]) {
    func define(_ attribute: ProfileValue, handle: String, isDescriptor: Bool) {
      guard let handle = attribute[handle]?.int.flatMap({ UInt16(exactly: $0) }),
        let uuid = attribute["uuid"]?.string.flatMap({ BluetoothUUID($0) })
      else { return }
      let name = attribute["name"]?.string ?? attribute["id"]?.string
      decoder.define(attribute: handle, uuid, name: name, isDescriptor: isDescriptor)
    }
    for service in known["services"]?.elements ?? [] {
      for characteristic in service["characteristics"]?.elements ?? [] {
        define(characteristic, handle: "value_handle", isDescriptor: false)
        for descriptor in characteristic["descriptors"]?.elements ?? [] {
          define(descriptor, handle: "handle", isDescriptor: true)
        }
      }
    }
    for connection in known["connections"]?.elements ?? [] {
      guard let handle = connection["connection"]?.int.flatMap({ UInt16(exactly: $0) }),
        let peer = connection["peer"]?.string.flatMap({ DeviceAddress($0) })
      else { continue }
      decoder.define(connection: handle, address: peer.bits)
    }
  }
}

/// Copies octets from an answer to a pipe, on a loop of its own. While the pipe is full, further octets wait at the accessory.
private actor AnswerPump {
  private nonisolated let loop: PollLoop
  private let stream: HTTPStream
  private let writing: CInt
  private var octets: [UInt8] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Creates a pump. It ends and closes the pipe when the answer or the loop ends.
  init(_ stream: sending HTTPStream, writing: CInt, loop: PollLoop) {
    self.stream = stream
    self.writing = writing
    self.loop = loop
    // The pipe has room for the octets that have arrived with the head.
    Self.write(stream.body, to: writing)
    _ = loop.watch(stream.descriptor, .readable) { _ in self.assumeIsolated { $0.carry() } }
  }

  deinit { close(writing) }

  private func carry() {
    octets.removeAll(keepingCapacity: true)
    let hasMore = try? stream.read(into: &octets)
    if hasMore == true, !Self.write(octets, to: writing) { return loop.stop() }
    if stream.hasEnded { loop.stop() }
  }

  /// Writes everything to the pipe, waiting for room. Returns false if the pipe has no reader any more.
  @discardableResult
  private static func write(_ octets: [UInt8], to descriptor: CInt) -> Bool {
    var written = 0
    while written < octets.count {
      let count = octets[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { written += count } else if count == 0 || errno != EINTR { return false }
    }
    return true
  }
}
