import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP

/// One link to a central, and everything that is its own: client state, channels, the fragments of a PDU on its way in.
struct Connection: Sendable {
  let handle: ConnectionHandle
  var details: ConnectionDetails
  var client: GATTClientState
  /// The client of the central's server; nil until somebody needs it.
  var remote: GATTClient?
  var channels = LinkChannels()
  var recombiner = ACLRecombiner()
  /// Whether octets were lost on the line since the last PDU, which has been reported.
  var mayMissOctets = false
  /// Whether it is being disconnected because its answers pile up; nothing of it is taken any longer.
  var isFlooding = false
  /// When the wish for other connection parameters is sent; nil when there is none, or it has been sent.
  var parameterRequestDue: Instant?
  /// The parameters that the link layer is asking the central for.
  var askedParameters: ConnectionPolicy.ParameterRequest?

  init(handle: ConnectionHandle, details: ConnectionDetails) {
    self.handle = handle
    self.details = details
    client = GATTClientState(connection: handle.rawValue)
  }

  /// The next moment at which something of this link is due.
  var nextDeadline: Instant? {
    let deadline = Instant.earliest(
      parameterRequestDue, Instant.earliest(channels.nextDeadline, client.bearer.deadline))
    return Instant.earliest(deadline, remote?.nextDeadline)
  }
}
