import BLECore
import BLEHCI

// Controller-to-host flow control (Core 5.4 Vol 4 Part E 4.2).
extension VirtualController {
  /// Switches controller-to-host flow control on or off (Core 5.4 Vol 4 Part E 7.3.38).
  func setHostFlowControl(_ mode: ControllerToHostFlowControl) throws(Refusal) {
    try require(connections.isEmpty && classic?.openLinks.isEmpty ?? true, .commandDisallowed)
    // Bit 1 is for synchronous data, which LE does not have.
    try require(mode.rawValue <= 1, .unsupportedFeatureOrParameterValue)
    try require(mode.rawValue == 0 || state.hostBufferCount > 0, .commandDisallowed)
    state.hostFlowControl = mode.rawValue == 1
  }

  /// Sets the host's buffers (Core 5.4 Vol 4 Part E 7.3.39). On controllers with that deviation, the thrown status is wrong.
  func setHostBufferSize(_ command: HCIHostBufferSize) throws(Refusal) {
    let isConnected = !connections.isEmpty || classic?.openLinks.isEmpty == false
    try require(!isConnected || configuration.has(.takesHostBufferSizeInConnection), .commandDisallowed)
    try require(!configuration.has(.keepsHostBufferSize) || state.hostBufferCount == 0, .commandDisallowed)
    try require(command.totalACLDataPackets > 0 && command.aclDataPacketLength > 0)
    let isShort = command.aclDataPacketLength < configuration.maximumDataOctets
    try require(!isShort || !configuration.has(.refusesShortHostBuffers))
    let count = min(command.totalACLDataPackets, configuration.maximumHostBuffers ?? .max)
    state.hostBufferCount = Int(count)
    state.hostDataLength = Int(command.aclDataPacketLength)
    if configuration.has(.leavesHostBufferStatus) { throw Refusal(.invalidHCICommandParameters) }
  }

  /// Handles the one command that is answered only if it is invalid (Core 5.4 Vol 4 Part E 7.3.40).
  func hostCompletedPackets(_ parameters: Span<UInt8>) -> CommandAnswer {
    do throws(Refusal) {
      let command = try CommandTable.decode(HCIHostNumberOfCompletedPackets.self, parameters, for: self)
      try require(state.hostFlowControl, .commandDisallowed)
      try takeBuffers(command.completed)
    } catch {
      let refusal = StatusReturn(status: error.status)
      return .complete(
        HCICommandComplete {
          $0.opcode = HCIHostNumberOfCompletedPackets.opcode
          $0.returnParameters = refusal.encoded
        })
    }
    sendWaitingData()
    // Peers can now send the data that was not acknowledged.
    for (link, _) in connections { air.wake(link) }
    classic?.wakePeers()
    return .silence
  }

  /// Frees the host's buffers: all that the host reports, or none if it reports more than it holds.
  private func takeBuffers(_ entries: [CompletedPackets]) throws(Refusal) {
    var buffers = hostBuffers
    defer { if configuration.has(.countsBuffersBeforeFault) { hostBuffers = buffers } }
    for entry in entries {
      let handle = entry.connectionHandle
      guard connection(handle) != nil || classic?.link(handle) != nil else {
        note(.buffersOfUnknownConnection(handle))
        throw Refusal(.invalidHCICommandParameters)
      }
      let excess = buffers.give(Int(entry.count), from: handle.rawValue)
      guard excess == 0 else {
        note(.tooManyBuffersReturned(handle, excess: excess))
        throw Refusal(.invalidHCICommandParameters)
      }
    }
    hostBuffers = buffers
  }
}

/// The host's buffers as counted by the controller, and the data that waits for them.
struct HostBuffers {
  struct Packet {
    var handle: UInt16
    var isStart: Bool
    var octets: ArraySlice<UInt8>
  }

  /// The number of packets that a controller keeps for a host without free buffers.
  static let room = 16

  var waiting: [Packet] = []
  /// The number of packets that the host has not yet returned, by connection.
  private var used: [UInt16: Int] = [:]

  /// The number of packets at the host.
  var usedCount: Int { used.values.reduce(0, +) }

  /// Returns the number of packets of a connection at the host.
  func usedCount(of handle: UInt16) -> Int { used[handle] ?? 0 }

  /// Removes and returns the next packet for the host; nil if there is none or no free buffer. Without a limit nothing is counted.
  mutating func takeNext(limit: Int?) -> Packet? {
    guard let packet = waiting.first else { return nil }
    if let limit {
      guard usedCount < limit else { return nil }
      used[packet.handle, default: 0] += 1
    }
    waiting.removeFirst()
    return packet
  }

  /// Frees buffers of a connection. Returns how many of them exceed the buffers in use.
  mutating func give(_ count: Int, from handle: UInt16) -> Int {
    let held = used[handle] ?? 0
    used[handle] = max(0, held - count)
    return max(0, count - held)
  }

  mutating func forget(_ handle: UInt16) {
    used[handle] = nil
    waiting.removeAll { $0.handle == handle }
  }
}
