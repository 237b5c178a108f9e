import BLECore
import BLEHCI

/// The command that the controller is answering.
struct CommandUnderWay: Sendable {
  /// Who gets the answer; nil for nobody.
  var asker: SharedController.Seat?
  /// The command as the controller got it.
  var command: HostCommand
  /// Whether this side gave it, and not a host.
  var isInternal = false
  /// Whether the advertising set that it is about is new.
  var makesSet = false

  /// The controller's handle of the set that it is about, or of whatever else its first parameter is.
  var advertisingHandle: UInt8? {
    command.packet.count > HostCommand.parameters ? command.packet[HostCommand.parameters] : nil
  }
}

/// Something to do for this side itself, in turn with the commands.
enum InternalTask: Sendable {
  /// Tell the controller that, about what was a host's.
  case command(HostCommand)
  /// Tell a host that its reset is done.
  case answerReset(SharedController.Seat)
}

extension SharedController {
  /// Whether the controller has been told to reset and has not answered.
  var isResetting: Bool { queue.outstanding == .reset }

  /// What every turn ends with: the next command, one at a time.
  mutating func flush(at now: Instant, into line: inout OctetBuffer) {
    sendWaitingData(into: &line)
    guard !isDown, refusal == nil else { return }
    while queue.isIdle, let next = nextCommand() {
      current = next
      queue.enqueue(next.command.opcode, packet: next.command.packet)
      queue.send(into: &line, at: now)
    }
  }

  private mutating func nextCommand() -> CommandUnderWay? {
    while !internalTasks.isEmpty {
      switch internalTasks.removeFirst() {
      case .command(let command): return CommandUnderWay(command: command, isInternal: true)
      case .answerReset(let seat): answerReset(of: seat, HCICommandComplete(HCIReset.self, StatusReturn()).h4)
      }
    }
    var passed = 0
    while passed < hosts.count {
      nextHost = (nextHost + 1) % hosts.count
      passed += 1
      while !hosts[nextHost].awaitsReset, !hosts[nextHost].waiting.isEmpty {
        let command = hosts[nextHost].waiting.removeFirst()
        if let next = admit(command, of: nextHost) { return next }
      }
    }
    return nil
  }

  /// The command as the controller gets it; nil when it is answered here.
  private mutating func admit(_ command: HostCommand, of seat: Seat) -> CommandUnderWay? {
    var admitted = CommandUnderWay(asker: seat, command: command)
    do throws(LayoutFault) {
      switch command.opcode.sharing {
      case .passed: return admitted
      case .merged: admitted.command.packet = try settings.merge(command, of: seat)
      case .ofConnection:
        let handle = try ConnectionReference(decodingPrefixOf: command).connectionHandle
        guard links.contains(where: { $0.handle == handle && $0.owner == .host(seat) }) else {
          refuse(command, of: seat, .unknownConnectionIdentifier)
          return nil
        }
      case .ofSet:
        guard try translate(&admitted, of: seat) else { return nil }
      case .ofSets:
        guard let packet = try translateActivation(command, of: seat) else { return nil }
        admitted.command.packet = packet
      case .answered:
        complete(command, of: seat)
        return nil
      case .unknown:
        refuse(command, of: seat, .unknownHCICommand)
        return nil
      }
      return admitted
    } catch {
      refuse(command, of: seat, .invalidHCICommandParameters)
      return nil
    }
  }

  // MARK: - Advertising sets

  /// Puts the controller's handle into a command about a set; false when it was refused.
  private mutating func translate(_ admitted: inout CommandUnderWay, of seat: Seat) throws(LayoutFault) -> Bool {
    guard let hostHandle = admitted.advertisingHandle else { throw .truncated(offset: 0, needed: 1, available: 0) }
    if let known = sets.first(where: { $0.seat == seat && $0.hostHandle == hostHandle }) {
      admitted.command.packet[HostCommand.parameters] = known.handle
      return true
    }
    guard admitted.command.opcode == .leSetExtendedAdvertisingParameters else {
      refuse(admitted.command, of: seat, .unknownAdvertisingIdentifier)
      return false
    }
    guard sets.count(where: { $0.seat == seat }) < hosts[seat].setsNeeded,
      let free = (0...Self.lastSetHandle).first(where: { handle in !sets.contains { $0.handle == handle } })
    else {
      refuse(admitted.command, of: seat, .memoryCapacityExceeded)
      return false
    }
    sets.append(SharedSet(handle: free, seat: seat, hostHandle: hostHandle))
    admitted.command.packet[HostCommand.parameters] = free
    admitted.makesSet = true
    return true
  }

  /// Core 5.4 Vol 4 Part E 7.8.53.
  private static var lastSetHandle: UInt8 { 0xEF }

  /// LE Set Extended Advertising Enable with the controller's handles. Without any, it is about all sets of its host.
  private mutating func translateActivation(_ command: HostCommand, of seat: Seat) throws(LayoutFault) -> [UInt8]? {
    let parameters = command.packet.span.extracting(HostCommand.parameters...)
    var activation = try LESetExtendedAdvertisingEnable.decodePrefix(of: parameters).value
    let own = sets.filter { $0.seat == seat }
    if activation.sets.isEmpty, !activation.enable {
      activation.sets = own.map { AdvertisingSetActivation(advertisingHandle: $0.handle) }
      if own.isEmpty {
        complete(command, of: seat)
        return nil
      }
      return activation.h4
    }
    for index in activation.sets.indices {
      guard let set = own.first(where: { $0.hostHandle == activation.sets[index].advertisingHandle }) else {
        refuse(command, of: seat, .unknownAdvertisingIdentifier)
        return nil
      }
      activation.sets[index].advertisingHandle = set.handle
    }
    return activation.h4
  }

  // MARK: - Answers of this side

  private mutating func refuse(_ command: HostCommand, of seat: Seat, _ status: ErrorCode) {
    // The one command without an answer (Core 5.4 Vol 4 Part E 7.3.40).
    guard command.opcode != .hostNumberOfCompletedPackets else { return }
    hosts[seat].output += HCICommandStatus(command.opcode, status).h4
  }

  private mutating func complete(_ command: HostCommand, of seat: Seat) {
    let event = HCICommandComplete { event in
      event.opcode = command.opcode
      event.returnParameters = [ErrorCode.success.rawValue]
    }
    hosts[seat].output += event.h4
  }
}

/// What the parameters of commands about a connection begin with.
private struct ConnectionReference: OctetLayout, Equatable {
  var connectionHandle = ConnectionHandle.zero

  init() {}

  init(decodingPrefixOf command: HostCommand) throws(LayoutFault) {
    self = try Self.decodePrefix(of: command.packet.span.extracting(HostCommand.parameters...)).value
  }

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}
