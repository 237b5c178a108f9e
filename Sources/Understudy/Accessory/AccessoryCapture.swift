import BLECore
import Capture

/// The capture file of an accessory: everything between it and its controller.
enum AccessoryCapture {
  case btsnoop(BTSnoopWriter)
  case pcapng(PcapNGWriter, PcapNGWriter.Interface)

  /// The suffix of pcapng files; all other files are btsnoop files.
  static let pcapngSuffix = ".pcapng"

  /// Creates the file, in the format that its suffix selects.
  init(creating path: String, includingAdvertising: Bool = true) throws(CaptureFailure) {
    if path.hasSuffix(Self.pcapngSuffix) {
      let writer = try PcapNGWriter(creating: path)
      writer.includesAdvertising = includingAdvertising
      self = .pcapng(writer, writer.addInterface(name: "controller", kind: .hci))
    } else {
      let writer = try BTSnoopWriter(creating: path)
      writer.includesAdvertising = includingAdvertising
      self = .btsnoop(writer)
    }
  }

  var nextDeadline: Instant? {
    switch self {
    case .btsnoop(let writer): writer.nextDeadline
    case .pcapng(let writer, _): writer.nextDeadline
    }
  }

  /// Records octets sent in `direction`. `sinceEpoch` is the time since 1970.
  func record(
    _ direction: CapturedPacket.Direction, _ octets: Span<UInt8>, at now: Instant, sinceEpoch: Duration
  ) {
    let nanoseconds = sinceEpoch.inNanoseconds
    switch self {
    case .btsnoop(let writer): writer.record(direction, octets, at: now, microseconds: nanoseconds / 1000)
    case .pcapng(let writer, let interface):
      writer.record(direction, octets, on: interface, at: now, nanoseconds: nanoseconds)
    }
  }

  func advance(to now: Instant) {
    switch self {
    case .btsnoop(let writer): writer.advance(to: now)
    case .pcapng(let writer, _): writer.advance(to: now)
    }
  }

  func takeFailure() -> CaptureFailure? {
    switch self {
    case .btsnoop(let writer): writer.takeFailure()
    case .pcapng(let writer, _): writer.takeFailure()
    }
  }

  func close() {
    switch self {
    case .btsnoop(let writer): writer.close()
    case .pcapng(let writer, _): writer.close()
    }
  }
}
