import BLECore
import BLEHCI

/// A protocol violation by a host, recorded for tests. The controller continues in any case.
package enum HostFault: Hashable, Sendable {
  /// This many octets belong to no packet.
  case strayOctets(Int)
  /// A packet of a type that hosts do not send to LE controllers without isochronous channels.
  case unexpectedPacketType(H4PacketType)
  /// A command whose parameters do not have the length of its layout.
  case wrongParameterLength(CommandOpcode)
  /// A command sent before the answer to the previous one (Core 5.4 Vol 4 Part E 4.4). These controllers accept one at a time.
  case commandBeforeAnswer(CommandOpcode)
  /// A command that this controller does not support.
  case unknownCommand(CommandOpcode)
  /// Data for an unknown connection; dropped.
  case dataForUnknownConnection(ConnectionHandle)
  /// Data with packet boundary or broadcast flags that LE does not define; dropped.
  case badDataFlags(ConnectionHandle)
  /// A data packet without octets, which cannot be sent on the air; dropped.
  case emptyData(ConnectionHandle)
  /// Data longer than LE Read Buffer Size allows; dropped.
  case dataTooLong(ConnectionHandle, length: Int)
  /// More packets than the controller has buffers for; dropped.
  case dataBufferOverflow(ConnectionHandle)
  /// Completed packets for an unknown connection; the whole command is ignored.
  case buffersOfUnknownConnection(ConnectionHandle)
  /// More completed packets than the host holds for this connection; the whole command is ignored.
  case tooManyBuffersReturned(ConnectionHandle, excess: Int)
}
