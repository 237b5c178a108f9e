import AccessoryProfile
import BLECore
import ControlAPI
import Decoding
import Glibc
import Transport

/// The packets of an accessory of another run, by its control API.
enum AttachedCapture {
  /// Begins to read them.
  static func start(_ wanted: AttachedAccessory) throws -> LiveCapture {
    let (client, name, path) =
      switch wanted {
      case .named(let name): try runningAccessory(name)
      case .at(let address, let name): try accessory(name, at: address)
      }
    let known = try client.get(path)
    let stream = try client.stream("\(path)/capture")
    let loop = try PollLoop(name: "attach")
    let ends = try LiveCapture.makePipe()
    _ = AnswerPump(stream, writing: ends.writing, loop: loop)
    try loop.start()
    return LiveCapture(
      name: name, descriptor: ends.reading, prepare: { prepare(&$0, from: known) }, stop: { loop.stop() })
  }

  /// An accessory, whom to ask about it, and under which path.
  private typealias Found = (client: ControlClient, name: String, path: String)

  /// All accessories at an address. The token of the environment may be another run's: then the one that this run has generated is
  /// tried.
  private static func accessories(at address: HTTPAddress) throws(ControlClient.Failure) -> [Found] {
    guard let token = getenv("UNDERSTUDY_HTTP_TOKEN").map({ String(cString: $0) }) else {
      return try accessories(of: ControlClient(address, token: nil))
    }
    do throws(ControlClient.Failure) {
      return try accessories(of: ControlClient(address, token: token))
    } catch {
      guard error.isRefusal, let found = try? accessories(of: ControlClient(address, token: nil)) else { throw error }
      return found
    }
  }

  private static func accessories(of client: ControlClient) throws(ControlClient.Failure) -> [Found] {
    let answer = try client.get("/v1/accessories")
    return (answer["accessories"]?.elements ?? []).compactMap { entry in
      guard let id = entry["id"]?.string, let path = entry["path"]?.string else { return nil }
      return (client, id, path)
    }
  }

  /// The one with that name among all that this user runs on this machine.
  private static func runningAccessory(_ wanted: String) throws -> Found {
    var all: [(place: String, found: Found)] = []
    var refusals: [ControlClient.Failure] = []
    for address in RunningAddress.all {
      do throws(ControlClient.Failure) {
        all += try accessories(at: address).map { ("http://\(address)/\($0.name)", $0) }
      } catch {
        if error.isRefusal { refusals.append(error) }
      }
    }
    let fitting = all.filter { $0.found.name == wanted }
    guard fitting.count <= 1 else {
      let places = fitting.map(\.place).joined(separator: ", ")
      throw ControlClient.Failure(
        description: "several accessories '\(wanted)' run: give the address of one (\(places))")
    }
    if let only = fitting.first {
      for refusal in refusals { Terminal.note("\(refusal), if another '\(wanted)' runs there") }
      return only.found
    }
    let running = all.isEmpty ? "none does" : "running: \(all.map(\.found.name).joined(separator: ", "))"
    let refused = refusals.map { "; \($0)" }.joined()
    throw ControlClient.Failure(
      description: "no accessory '\(wanted)' runs with --http on this machine for this user (\(running))\(refused)")
  }

  /// The one that is meant at an address.
  private static func accessory(_ wanted: String?, at address: HTTPAddress) throws -> Found {
    let all = try accessories(at: address)
    let place = "http://\(address)"
    let names = all.map(\.name).joined(separator: ", ")
    if let wanted {
      if let found = all.first(where: { $0.name == wanted }) { return found }
      throw ControlClient.Failure(description: "there is no accessory '\(wanted)' at \(place) (known: \(names))")
    }
    guard let only = all.first else {
      throw ControlClient.Failure(description: "no accessory runs at \(place)")
    }
    guard all.count == 1 else {
      throw ControlClient.Failure(
        description: "several accessories run at \(place): give one as \(place)/NAME (known: \(names))")
    }
    return only
  }

  /// Tells a decoder of the accessory's attributes, and of who is connected.
  private static func prepare(_ decoder: inout PacketDecoder, from known: [String: ProfileValue]) {
    func define(_ attribute: ProfileValue, handle: String, isDescriptor: Bool) {
      guard let handle = attribute[handle]?.int.flatMap({ UInt16(exactly: $0) }),
        let uuid = attribute["uuid"]?.string.flatMap({ BluetoothUUID($0) })
      else { return }
      decoder.define(attribute: handle, uuid, name: attribute["name"]?.string, isDescriptor: isDescriptor)
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

/// Carries octets from an answer to a pipe, on a loop of its own: what nobody takes there is not read, and waits at the accessory.
private actor AnswerPump {
  private nonisolated let loop: PollLoop
  private let stream: HTTPStream
  private let writing: CInt
  private var octets: [UInt8] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// A pump that ends, and closes the pipe, with the answer or with the loop.
  init(_ stream: sending HTTPStream, writing: CInt, loop: PollLoop) {
    self.stream = stream
    self.writing = writing
    self.loop = loop
    // The pipe has room for what came with the head.
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

  /// Waits until the pipe has taken all; false when nobody reads it any longer.
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

extension ProfileValue {
  fileprivate var elements: [ProfileValue] { if case .array(let elements) = self { elements } else { [] } }
}
