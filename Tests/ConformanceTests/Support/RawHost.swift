import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Testing

/// The accessory's host, brought up by a virtual controller; then the test acts as the controller.
final class RawHost {
  let accessory: SpecimenAccessory
  private let simulation = RadioSimulation()
  private var deframer = H4Deframer(side: .controller)

  init(_ configuration: HostConfiguration = Specimen.configuration()) throws {
    accessory = try simulation.addSpecimen(configuration)
    accessory.events = []
  }

  /// A packet that the host has sent.
  struct Sent: Hashable {
    var type: H4PacketType
    var octets: [UInt8]

    /// The command's opcode; nil for data.
    var opcode: CommandOpcode? {
      type == .command ? CommandOpcode(rawValue: UInt16(octets[0]) | UInt16(octets[1]) << 8) : nil
    }
  }

  /// Passes octets to the host, and returns the packets that it then sends.
  @discardableResult
  func give(_ octets: [UInt8]) -> [Sent] {
    accessory.receive(octets.span, at: simulation.now)
    var buffer = OctetBuffer()
    accessory.drain(into: &buffer)
    var sent: [Sent] = []
    buffer.withSpan { octets in
      deframer.push(octets) { type, packet in
        sent.append(Sent(type: type, octets: packet.withUnsafeBytes { Array($0) }))
      }
    }
    return sent
  }

  /// Passes an event to the host.
  @discardableResult
  func give(_ event: some HCIEvent) -> [Sent] { give(event.h4) }

  /// Connects a link. The host's commands for it are answered with success.
  func connect(_ handle: UInt16) {
    var sent = give(
      LEEnhancedConnectionComplete {
        $0.connectionHandle.rawValue = handle
        $0.role = .peripheral
        $0.peerAddressType = .random
        $0.peerAddress = .randomStatic(from: UInt64(handle) + 1)
        $0.interval.rawValue = 24
        $0.supervisionTimeout.rawValue = 400
      })
    while let opcode = sent.lazy.compactMap(\.opcode).first {
      sent = give(complete(opcode, [0, UInt8(handle & 0xFF), UInt8(handle >> 8)]))
    }
  }

  /// Passes the answer to a command to the host.
  func complete(_ opcode: CommandOpcode, _ parameters: [UInt8]) -> HCICommandComplete {
    HCICommandComplete {
      $0.opcode = opcode
      $0.returnParameters = parameters
    }
  }

  /// Returns the packet with an ATT PDU of a central.
  static func data(_ pdu: [UInt8], on handle: UInt16) -> [UInt8] {
    let (count, length) = (UInt8(pdu.count), UInt8(pdu.count + 4))
    return [2, UInt8(handle & 0xFF), UInt8(handle >> 8) | 0x20, length, 0, count, 0, 4, 0] + pdu
  }
}
