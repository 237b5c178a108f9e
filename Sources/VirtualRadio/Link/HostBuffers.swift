import BLECore
import BLEHCI

// Flow control of the data for the host (Core 5.4 Vol 4 Part E 4.2).
extension VirtualController {
  /// Core 5.4 Vol 4 Part E 7.3.38.
  func setHostFlowControl(_ mode: ControllerToHostFlowControl) throws(Refusal) {
    try require(connections.isEmpty, .commandDisallowed)
    // Bit 1 is for synchronous data, which LE has not.
    try require(mode.rawValue <= 1, .unsupportedFeatureOrParameterValue)
    try require(mode.rawValue == 0 || state.hostBufferCount > 0, .commandDisallowed)
    state.hostFlowControl = mode.rawValue == 1
  }

  /// Core 5.4 Vol 4 Part E 7.3.39. The status that is thrown can be a wrong one.
  func setHostBufferSize(_ command: HCIHostBufferSize) throws(Refusal) {
    try require(connections.isEmpty || configuration.has(.takesHostBufferSizeInConnection), .commandDisallowed)
    try require(!configuration.has(.keepsHostBufferSize) || state.hostBufferCount == 0, .commandDisallowed)
    try require(command.totalACLDataPackets > 0 && command.aclDataPacketLength > 0)
    let isShort = command.aclDataPacketLength < configuration.maximumDataOctets
    try require(!isShort || !configuration.has(.refusesShortHostBuffers))
    let count = min(command.totalACLDataPackets, configuration.maximumHostBuffers ?? .max)
    state.hostBufferCount = Int(count)
    state.hostDataLength = Int(command.aclDataPacketLength)
    if configuration.has(.leavesHostBufferStatus) { throw Refusal(.invalidHCICommandParameters) }
  }

  /// The one command that is not answered, unless it is wrong (Core 5.4 Vol 4 Part E 7.3.40).
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
    // What the peers could not get rid of may come now.
    for (link, _) in connections { air.wake(link) }
    return .silence
  }

  /// Takes buffers back: all that the host says, or none where it gives back what it has not got.
  private func takeBuffers(_ entries: [CompletedPackets]) throws(Refusal) {
    var buffers = hostBuffers
    defer { if configuration.has(.countsBuffersBeforeFault) { hostBuffers = buffers } }
    for entry in entries {
      let handle = entry.connectionHandle
      guard connection(handle) != nil else {
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

/// The host's buffers, as far as the controller knows, and the data that waits for them.
struct HostBuffers {
  struct Packet {
    var handle: UInt16
    var isStart: Bool
    var octets: ArraySlice<UInt8>
  }

  /// How many packets a controller keeps for a host that takes none.
  static let room = 16

  var waiting: [Packet] = []
  /// What the host has and has not given back, by connection.
  private var used: [UInt16: Int] = [:]

  /// How many packets the host has.
  var usedCount: Int { used.values.reduce(0, +) }

  /// How many packets of a connection the host has.
  func usedCount(of handle: UInt16) -> Int { used[handle] ?? 0 }

  /// The next packet for the host; nil when there is none, or no buffer for it. Without a limit nothing is counted.
  mutating func takeNext(limit: Int?) -> Packet? {
    guard let packet = waiting.first else { return nil }
    if let limit {
      guard usedCount < limit else { return nil }
      used[packet.handle, default: 0] += 1
    }
    waiting.removeFirst()
    return packet
  }

  /// Gives buffers of a connection back; returns how many of them the host has not.
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
