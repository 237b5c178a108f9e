import BLECore
import BLEHCI

/// What a host did wrong, noted so that a test can ask for it; the controller goes on in any case.
package enum HostFault: Hashable, Sendable {
  /// So many octets belonged to no packet.
  case strayOctets(Int)
  /// A packet of a type that hosts do not send to LE controllers without isochronous channels.
  case unexpectedPacketType(H4PacketType)
  /// A command whose parameters do not have the length of its layout.
  case wrongParameterLength(CommandOpcode)
  /// A command that came before the host had the answer to the one before (Core 5.4 Vol 4 Part E 4.4): these controllers
  /// take one at a time.
  case commandBeforeAnswer(CommandOpcode)
  /// A command that this controller does not know.
  case unknownCommand(CommandOpcode)
  /// Data for a connection that there is not; dropped.
  case dataForUnknownConnection(ConnectionHandle)
  /// Data with packet boundary or broadcast flags that LE does not have; dropped.
  case badDataFlags(ConnectionHandle)
  /// A data packet without any octets, of which nothing could go over the air; dropped.
  case emptyData(ConnectionHandle)
  /// Data with more octets than LE Read Buffer Size allows; dropped.
  case dataTooLong(ConnectionHandle, length: Int)
  /// More packets than the controller has buffers for; dropped.
  case dataBufferOverflow(ConnectionHandle)
  /// Buffers of the host were given back for a connection that there is not; nothing of that command was counted.
  case buffersOfUnknownConnection(ConnectionHandle)
  /// So many buffers more were given back than the host had of that connection; nothing of that command was counted.
  case tooManyBuffersReturned(ConnectionHandle, excess: Int)
}
