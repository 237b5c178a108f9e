import BLECore
import BLEHCI

/// Writes a pcapng file while packets pass: of any number of controllers and of the air, in one file.
///
/// As `BTSnoopWriter` it collects records and writes them together, never stops what it captures, keeps whole records
/// only, and takes a FIFO as well. Interfaces can come at any time. The packets in the file are in order of time.
///
/// ```swift
/// let writer = try PcapNGWriter(creating: "radio.pcapng")
/// let air = writer.addInterface(name: "air", kind: .air)
/// writer.record(packet, on: air, at: now)
/// ```
package final class PcapNGWriter {
  /// One source of packets in the file.
  package struct Interface: Hashable, Sendable {
    /// Counted from 0 in the order in which interfaces came.
    package let number: UInt32
    /// What its packets look like.
    package let kind: PcapNGInterfaceKind
  }

  /// What is between a host and its controller, in both directions, and what was lost of it.
  private struct Source {
    var sent = H4Deframer(side: .controller)
    var received = H4Deframer(side: .host)
    /// Packets lost since the last one that was kept.
    var lost: UInt64 = 0
  }

  /// The file.
  package var path: String { file.path }
  /// When to call `advance`, if anything waits.
  package var nextDeadline: Instant? { Instant.earliest(file.nextDeadline, order.waitsSince.map { $0 + policy.delay }) }
  /// How many packets were dropped so far, of all interfaces.
  package private(set) var droppedPackets: UInt64 = 0

  /// Whether packets that belong to advertising alone are kept.
  package var includesAdvertising = true

  private let file: CaptureFile
  private let policy: FlushPolicy
  private let encoder = PcapNGEncoder()
  /// What waits for packets of the air that began before.
  private var order = RecordOrder()
  private var hasAir = false
  private var scratch = OctetBuffer()
  /// By the number of their interface.
  private var sources: [Source] = []

  /// Creates the file, readable by its owner alone, or empties the one that is there.
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

  /// Adds a source of packets; its name is what Wireshark shows.
  package func addInterface(name: String, kind: PcapNGInterfaceKind, comment: String? = nil) -> Interface {
    let interface = Interface(number: UInt32(clamping: sources.count), kind: kind)
    sources.append(Source())
    if kind == .air { hasAir = true }
    if file.isOpen {
      file.append { encoder.describeInterface(name, kind, comment: comment, into: &$0) }
    }
    return interface
  }

  /// Takes in octets that went that way between a host and its controller; whole packets among them become records. Does
  /// nothing for an interface of the air.
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
    // Taken out while it runs, because its packets change the losses that are kept beside it.
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

  /// Takes in a packet of the air. Does nothing for an interface for HCI.
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

  /// Writes what has waited long enough.
  package func advance(to now: Instant) {
    let first = order.waitsSince
    order.release(at: now) { octets in file.append { $0.append(octets) } }
    // What has waited here need not wait again in the file.
    file.writeOrSchedule(at: first ?? now)
    file.advance(to: now)
  }

  /// Why capturing ended, the first time it is asked after that.
  package func takeFailure() -> CaptureFailure? { file.takeFailure() }

  /// Writes everything that waits, and ends.
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
