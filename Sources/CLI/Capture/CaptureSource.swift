import AccessoryProfile
import ArgumentParser
import BLECore
import Capture
import Decoding
import Glibc
import Synchronization
import Transport

/// The source of a command's packets.
enum CaptureSource {
  /// A file, or standard input.
  case file(String)
  /// A live capture.
  case live(LiveCapture)

  /// The name in messages.
  var name: String {
    switch self {
    case .file(let path): path
    case .live(let capture): capture.name
    }
  }

  /// The title on the screen.
  var title: String {
    switch self {
    case .file("-"): "standard input"
    case .file(let path): String(path.split(separator: "/").last ?? "")
    case .live(let capture): capture.name
    }
  }

  /// Whether it is a live capture.
  var isLive: Bool { if case .live = self { true } else { false } }

  /// Gives a decoder the attributes and connections that are known before the first packet.
  func prepare(_ decoder: inout PacketDecoder) { if case .live(let capture) = self { capture.prepare(&decoder) } }

  /// The formats of values that are known before the first packet, by the types of characteristics.
  var formats: [BluetoothUUID: ValueFormat] { if case .live(let capture) = self { capture.formats } else { [:] } }

  /// Throws if the output would overwrite the input, even through links.
  func refuseOutput(_ path: String, _ option: String) throws {
    guard case .file(let input) = self, let output = FileIdentity(path: path), Self.isRegular(path) else { return }
    let identity = input == "-" ? FileIdentity(descriptor: STDIN_FILENO) : FileIdentity(path: input)
    guard identity == output else { return }
    let name = input == "-" ? "standard input" : input
    throw ValidationError("\(option): \(path) is the same file as \(name), which is read; give another name")
  }

  /// Returns whether a file could be overwritten; a terminal can be both input and output.
  private static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Opens the source for reading from its beginning.
  ///
  /// - Throws: A `CaptureReadFailure` or an `ArchiveFailure`.
  func open() throws -> CaptureFileReader {
    switch self {
    case .file(let path):
      if let archive = CaptureArchive(path) { return CaptureFileReader(adopting: try archive.open(), name: path) }
      return try CaptureFileReader(opening: path)
    case .live(let capture): return CaptureFileReader(adopting: capture.takeDescriptor(), name: capture.name)
    }
  }
}

/// A live capture: a capture file from a pipe.
final class LiveCapture: Sendable {
  /// The name in messages.
  let name: String
  /// Gives a decoder the attributes and connections that are known before the first packet.
  let prepare: @Sendable (inout PacketDecoder) -> Void
  /// The formats of the accessory's values, by the types of its characteristics.
  let formats: [BluetoothUUID: ValueFormat]

  private let descriptor: Mutex<CInt>
  private let stopping: Mutex<(@Sendable () -> Void)?>

  /// Creates a capture whose octets come from `descriptor`. `stop` ends the capture, and with it the octets.
  init(
    name: String, descriptor: CInt, formats: [BluetoothUUID: ValueFormat] = [:],
    prepare: @escaping @Sendable (inout PacketDecoder) -> Void = { _ in }, stop: @escaping @Sendable () -> Void
  ) {
    self.name = name
    self.formats = formats
    self.prepare = prepare
    self.descriptor = Mutex(descriptor)
    stopping = Mutex(stop)
  }

  deinit { descriptor.withLock { if $0 >= 0 { close($0) } } }

  /// Returns the descriptor, which now belongs to the caller.
  func takeDescriptor() -> CInt {
    descriptor.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
  }

  /// Whether it was stopped by `stop`.
  var isStopped: Bool { stopping.withLock { $0 == nil } }

  /// Ends the capture. The received packets can still be read.
  func stop() {
    let stop = stopping.withLock { stopping in
      defer { stopping = nil }
      return stopping
    }
    stop?()
  }

  /// Creates a pipe for the octets.
  static func makePipe() throws(TransportError) -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else {
      let code = errno
      throw TransportError(
        kind: .exhausted, what: "cannot make", place: "a pipe", why: TransportError.text(ofErrno: code), code: code)
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
