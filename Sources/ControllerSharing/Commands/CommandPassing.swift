import BLECore
import BLEHCI

/// A command that the controller is executing.
struct CommandUnderWay: Sendable {
  /// The host that gets the answer; nil for none.
  var asker: SharedController.Seat?
  /// The command as sent to the controller.
  var command: HostCommand
  /// Whether this side issued it, rather than a host.
  var isInternal = false
  /// Whether it creates its advertising set.
  var makesSet = false

  /// The first parameter. In commands about an advertising set it is the controller's handle of the set.
  var advertisingHandle: UInt8? {
    command.packet.count > HostCommand.parameters ? command.packet[HostCommand.parameters] : nil
  }
}

/// A task of this side, in turn with the hosts' commands.
enum InternalTask: Sendable {
  /// Send this command to the controller, to remove the state of a host or a connection.
  case command(HostCommand)
  /// Tell a host that its reset is complete.
  case answerReset(SharedController.Seat)
}

extension SharedController {
  /// Whether a reset has been sent to the controller and not answered.
  var isResetting: Bool { queue.outstanding == .reset }

  /// Ends a turn: sends waiting data, and the next command if none is in progress.
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

  /// Returns the command in the form for the controller; nil if it is answered here.
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

  /// Puts the controller's handle into a command about a set. Returns false if the command was refused.
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

  /// The highest advertising handle (Core 5.4 Vol 4 Part E 7.8.53).
  private static var lastSetHandle: UInt8 { 0xEF }

  /// Returns LE Set Extended Advertising Enable with the controller's handles; nil if it is answered here. A command without handles
  /// disables all sets of its host.
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
    // This is the one command without an answer (Core 5.4 Vol 4 Part E 7.3.40).
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

/// The first parameter of commands about a connection.
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
