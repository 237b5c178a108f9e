import BLECore
import BLEHCI

/// Writes a pcapng file while packets pass: of any number of controllers and of the air, in one file.
///
/// Like `BTSnoopWriter` it collects records and writes them together, never stops what it captures, stores only whole records, and supports
/// FIFOs. Interfaces can be added at any time. The packets in the file are in order of time.
///
/// ```swift
/// let writer = try PcapNGWriter(creating: "radio.pcapng")
/// let air = writer.addInterface(name: "air", kind: .air)
/// writer.record(packet, on: air, at: now)
/// ```
package final class PcapNGWriter {
  /// A source of packets in the file.
  package struct Interface: Hashable, Sendable {
    /// The number, counted from 0 in the order in which interfaces are added.
    package let number: UInt32
    /// The format of its packets.
    package let kind: PcapNGInterfaceKind
  }

  /// The line between a host and its controller, in both directions, and its losses.
  private struct Source {
    var sent = H4Deframer(side: .controller)
    var received = H4Deframer(side: .host)
    /// The number of packets lost since the last one that was stored.
    var lost: UInt64 = 0
  }

  /// The path of the file.
  package var path: String { file.path }
  /// When to call `advance`, if records wait.
  package var nextDeadline: Instant? { Instant.earliest(file.nextDeadline, order.waitsSince.map { $0 + policy.delay }) }
  /// The number of packets dropped so far on all interfaces.
  package private(set) var droppedPackets: UInt64 = 0

  /// Whether packets that concern only advertising are included.
  package var includesAdvertising = true

  private let file: CaptureFile
  private let policy: FlushPolicy
  private let encoder = PcapNGEncoder()
  /// Records that wait for packets on the air that started earlier.
  private var order = RecordOrder()
  private var hasAir = false
  private var scratch = OctetBuffer()
  /// The sources by interface number.
  private var sources: [Source] = []

  /// Creates the file, readable only by its owner, or clears an existing one.
  package init(
    creating path: String, policy: FlushPolicy = FlushPolicy(), comment: String? = nil
  ) throws(CaptureFailure) {
    self.policy = policy
    var beginning = OctetBuffer()
    encoder.beginSection(application: "understudy", comment: comment, into: &beginning)
    file = try CaptureFile(
      creating: path, policy: policy, beginning: beginning, headLength: PcapNGFormat.blockHeadLength
    ) { octets, offset in
      (4..<8).reversed().reduce(0) { $0 << 8 | Int(octets[offset + $1]) }
    }
  }

  /// Adds a source of packets, with the name that Wireshark shows.
  package func addInterface(name: String, kind: PcapNGInterfaceKind, comment: String? = nil) -> Interface {
    let interface = Interface(number: UInt32(clamping: sources.count), kind: kind)
    sources.append(Source())
    if kind == .air { hasAir = true }
    if file.isOpen {
      file.append { encoder.describeInterface(name, kind, comment: comment, into: &$0) }
    }
    return interface
  }

  /// Processes octets sent in this direction between a host and its controller. Each complete packet becomes a record. Does nothing for an
  /// interface of the air.
  ///
  /// - Parameters:
  ///   - now: The loop's clock.
  ///   - nanoseconds: The wall clock, in nanoseconds since 1970-01-01 00:00 UTC.
  package func record(
    _ direction: CapturedPacket.Direction, _ octets: Span<UInt8>, on interface: Interface, at now: Instant,
    nanoseconds: Int64
  ) {
    let number = Int(interface.number)
    guard file.isOpen, interface.kind == .hci, sources.indices.contains(number) else { return }
    // Moved out while it runs, because its packets change the losses that are stored next to it.
    var deframer = direction == .hostToController ? sources[number].sent : sources[number].received
    deframer.push(octets) { type, packet in
      guard includesAdvertising || !Advertising.isReport(type, packet) else { return }
      write(packet.count, on: interface, nanoseconds, at: now) { nanoseconds, lost, buffer in
        encoder.record(
          direction, type, packet, interface: interface.number, nanoseconds: nanoseconds, lost: lost, into: &buffer)
      }
    }
    switch direction {
    case .hostToController: sources[number].sent = deframer
    case .controllerToHost: sources[number].received = deframer
    }
    writeDue(at: now)
  }

  /// Processes a packet on the air. Does nothing for an HCI interface.
  ///
  /// - Parameters:
  ///   - now: The loop's clock.
  package func record(_ packet: CapturedAirPacket, on interface: Interface, at now: Instant) {
    guard file.isOpen, interface.kind == .air, sources.indices.contains(Int(interface.number)) else { return }
    guard includesAdvertising || !Advertising.isAlone(packet) else { return }
    write(packet.pdu.count, on: interface, packet.nanoseconds, at: now) { nanoseconds, lost, buffer in
      var packet = packet
      packet.nanoseconds = nanoseconds
      encoder.record(packet, interface: interface.number, lost: lost, into: &buffer)
    }
    writeDue(at: now)
  }

  /// Writes records that have waited long enough.
  package func advance(to now: Instant) {
    let first = order.waitsSince
    order.release(at: now) { octets in file.append { $0.append(octets) } }
    // Records that have waited here need not wait again in the file.
    file.writeOrSchedule(at: first ?? now)
    file.advance(to: now)
  }

  /// Returns the reason why capturing ended, once.
  package func takeFailure() -> CaptureFailure? { file.takeFailure() }

  /// Writes all waiting records and closes the file.
  package func close() {
    order.releaseAll { octets in file.append { $0.append(octets) } }
    file.close()
  }

  private func writeDue(at now: Instant) {
    order.release(at: now) { octets in file.append { $0.append(octets) } }
    file.writeOrSchedule(at: now)
  }

  private func write(
    _ length: Int, on interface: Interface, _ nanoseconds: Int64, at now: Instant,
    _ record: (Int64, UInt64, inout OctetBuffer) -> Void
  ) {
    let number = Int(interface.number)
    guard file.hasRoom(for: order.count + length) else {
      droppedPackets &+= 1
      sources[number].lost &+= 1
      return
    }
    let lost = sources[number].lost
    sources[number].lost = 0
    let nanoseconds = order.time(for: nanoseconds)
    scratch.removeAll()
    record(nanoseconds, lost, &scratch)
    order.insert(scratch.copy(), nanoseconds: nanoseconds, at: now)
    if !hasAir { order.releaseAll { octets in file.append { $0.append(octets) } } }
  }
}
