import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink

extension HostEngine where Role == CentralRole {
  /// Performs the request, or throws why it cannot.
  package mutating func perform(
    _ request: CentralRequest, at now: Instant, into out: inout HostOutput
  ) throws(HostRequestError) {
    out.now = now
    guard isReady else { throw .notReady }
    defer {
      takeRoleEvents(into: &out)
      flush(into: &out)
    }
    switch request {
    case .scan(let request): role.scanner.scan(request)
    case .stopScanning: role.scanner.stop()
    case .connect(let request):
      guard !isConnecting else { throw .alreadyConnecting }
      role.initiator.connect(request)
    case .cancelConnecting: role.cancelConnecting()
    case .inquire(let request):
      guard role.inquirer != nil else { throw .noClassic }
      role.inquirer?.inquire(request)
    case .stopInquiring: role.inquirer?.stop()
    case .page(let device):
      guard role.inquirer != nil else { throw .noClassic }
      guard !isConnecting else { throw .alreadyConnecting }
      role.pager.connect(to: device)
    case .askForName(let device):
      guard role.inquirer != nil else { throw .noClassic }
      role.pager.askForName(of: device)
    case .openAttributeChannel(let handle): try openAttributeChannel(on: handle, into: &out)
    case .searchRecords(let handle, let query): try searchRecords(query, on: handle, into: &out)
    case .disconnect(let handle, let reason): try disconnect(handle, reason: reason)
    case .updateParameters(let handle, let parameters):
      try checkLink(handle)
      update(handle, parameters)
    case .setDataLength(let handle, let octets):
      try checkLink(handle)
      setDataLength(handle, octets: octets)
    case .setPHY(let handle, let transmit, let receive):
      try checkLink(handle)
      setPHY(handle, transmit: transmit, receive: receive)
    case .setValue(let characteristic, let value):
      store(value, of: characteristic)
      notify(characteristic, at: now, into: &out)
      indicate(characteristic, at: now, into: &out)
    case .closeChannel(let handle, let channel): try perform(.close(handle, channel), at: now, into: &out)
    case .openBearers(let handle, let count): try openBearers(count, on: handle, into: &out)
    case .sendFrame(let handle, let channel, let payload): try sendFrame(payload, on: channel, of: handle, into: &out)
    case .pair(let handle): try pair(handle, into: &out)
    case .pairAnew(let handle): try pair(handle, anew: true, into: &out)
    case .answerPairing(let handle, let answer): try answerPairing(answer, on: handle, into: &out)
    case .removeBond(let peer): try removeBond(with: peer, into: &out)
    case .setBond(let record): setBond(record, into: &out)
    }
  }

  /// Sends a Write Command straight into the output run, for streams of them. Returns false if as many PDUs are queued on the link as the
  /// configuration allows (`readyForMore` then reports when to continue), if there is no such link, or if the value does not fit into its
  /// MTU.
  package mutating func writeCommand(
    _ value: Span<UInt8>, to attribute: UInt16, on handle: ConnectionHandle, into out: inout HostOutput
  ) -> Bool {
    sendWriteCommand(value, to: attribute, on: handle, backlog: role.writeBacklog, into: &out)
  }

  /// Returns whether a link accepts another write command now.
  package func hasRoom(_ handle: ConnectionHandle) -> Bool { hasRoom(handle, backlog: role.writeBacklog) }
}
