import BLECore

/// Core 5.4 Vol 4 Part E 7.7.14 HCI_Command_Complete. A command is complete, with these return parameters.
package struct HCICommandComplete: HCIEvent {
  package static let code = EventCode.commandComplete

  /// The number of commands that the host may send now.
  package var commandPackets: UInt8 = 1
  /// The command; `.none` if the event only grants commands.
  package var opcode = CommandOpcode.none
  /// The return parameters, in the layout of the command's `ReturnParameters`.
  package var returnParameters: [UInt8] = []

  package init() {}

  /// Creates the answer to a command of this type.
  package init<Command: HCISyncCommand>(
    _ command: Command.Type, _ returned: Command.ReturnParameters, commandPackets: UInt8 = 1
  ) {
    self.commandPackets = commandPackets
    opcode = Command.opcode
    returnParameters = returned.encoded
  }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Num_HCI_Command_Packets", &commandPackets)
    try fields.code("Command_Opcode", &opcode)
    try fields.remainder("Return_Parameters", &returnParameters)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.15 HCI_Command_Status. A command has started, was refused, or is unknown.
package struct HCICommandStatus: HCIEvent {
  package static let code = EventCode.commandStatus

  /// Success if the command has started.
  package var status = ErrorCode.success
  /// The number of commands that the host may send now.
  package var commandPackets: UInt8 = 1
  /// The command; `.none` if the event only grants commands.
  package var opcode = CommandOpcode.none

  package init() {}

  /// Creates the answer to this command.
  package init(_ opcode: CommandOpcode, _ status: ErrorCode, commandPackets: UInt8 = 1) {
    self.status = status
    self.commandPackets = commandPackets
    self.opcode = opcode
  }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.integer("Num_HCI_Command_Packets", &commandPackets)
    try fields.code("Command_Opcode", &opcode)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.19 HCI_Number_Of_Completed_Packets. Buffers of the controller are free again.
///
/// Handles and counts alternate, entry by entry, as controllers send them.
package struct HCINumberOfCompletedPackets: HCIEvent {
  package static let code = EventCode.numberOfCompletedPackets

  /// The connections, preceded by a one-octet count.
  package var completed: [CompletedPackets] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.countedList("Num_Handles", &completed)
  }

  /// Calls `body` for every connection in the event's parameters, without creating a list, because every host event loop does this once per
  /// batch of packets. Returns false, and calls nothing, if the length of the parameters does not match their count.
  @inlinable
  package static func forEach(in parameters: Span<UInt8>, _ body: (ConnectionHandle, Int) -> Void) -> Bool {
    guard parameters.count > 0, parameters.count == 1 + 4 * Int(parameters[0]) else { return false }
    var offset = 1
    while offset < parameters.count {
      let handle = UInt16(parameters[offset]) | UInt16(parameters[offset + 1]) << 8
      let count = UInt16(parameters[offset + 2]) | UInt16(parameters[offset + 3]) << 8
      body(ConnectionHandle(rawValue: handle), Int(count))
      offset += 4
    }
    return true
  }
}
