import BLECore
import BLEHCI

/// A controller's answer to a command.
enum CommandAnswer {
  case complete(HCICommandComplete)
  case status(ErrorCode)
  /// Only for the one command that has no answer.
  case silence
}

/// The status with which a command is refused.
struct Refusal: Error {
  var status: ErrorCode

  init(_ status: ErrorCode) { self.status = status }
}

/// The implementation of one command.
struct CommandEntry: Sendable {
  let opcode: CommandOpcode
  let run: @Sendable (VirtualController, Span<UInt8>) -> CommandAnswer
}

/// All commands that virtual controllers implement. Each controller's configuration selects its own.
enum CommandTable {
  static let entries: [CommandOpcode: CommandEntry] = Dictionary(
    (basebandCommands + informationalCommands + controllerCommands + legacyAdvertisingCommands
      + extendedAdvertisingSetCommands + extendedAdvertisingDataCommands + scanningCommands + initiatingCommands
      + filterAcceptListCommands + linkCommands + linkParameterCommands + dataLengthCommands + phyCommands
      + resolvingListCommands + addressResolutionCommands + encryptionCommands + payloadTimeoutCommands
      + keyAgreementCommands
      + zephyrVendorCommands + classicCommands)
      .map { ($0.opcode, $0) }, uniquingKeysWith: { first, _ in first })

  /// The commands that only controllers with BR/EDR have.
  private static let classicCommands: [CommandEntry] =
    finding + scanSettings + identitySettings + classicConnecting + remoteInformation + linkPolicy + classicLinkStates
    + classicHostSettings + classicInformation + linkKeys + simplePairingReplies + securityChanges + securitySettings

  static let classicCommandOpcodes = Set(classicCommands.map(\.opcode))

  /// The commands of LE controllers but the vendor commands.
  static let standardCommands = Set(entries.keys.filter { !$0.isVendor }).subtracting(classicCommandOpcodes)

  /// The commands of Zephyr's controllers.
  static let zephyrCommands = Set(entries.keys.filter(\.isVendor))

  /// The commands that require extended advertising.
  static let extendedAdvertisingCommands: Set<CommandOpcode> = [
    .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
    .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
    .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
    .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
  ]

  /// The commands that require link-layer privacy.
  static let privacyCommandOpcodes = Set((resolvingListCommands + addressResolutionCommands).map(\.opcode))

  // MARK: Making entries

  /// Makes a command that is answered with Command Complete and return parameters of its own. If it is refused, zeros follow the status.
  /// With `handleFirst`, the first return parameter is the command's connection handle, and is kept; with `addressFirst`, its address.
  static func complete<Command: HCISyncCommand>(
    _ type: Command.Type, handleFirst: Bool = false, addressFirst: Bool = false,
    _ body: @escaping @Sendable (VirtualController, Command) throws(Refusal) -> Command.ReturnParameters
  ) -> CommandEntry {
    CommandEntry(opcode: Command.opcode) { controller, parameters in
      var returned: Command.ReturnParameters
      do throws(Refusal) {
        returned = try body(controller, try decode(Command.self, parameters, for: controller))
      } catch {
        returned = Command.ReturnParameters(status: error.status)
      }
      var event = HCICommandComplete(Command.self, returned)
      let kept = handleFirst ? 2 : addressFirst ? 6 : 0
      if returned.status != .success, parameters.count >= kept, event.returnParameters.count > kept {
        for index in 0..<kept { event.returnParameters[index + 1] = parameters[index] }
      }
      return .complete(event)
    }
  }

  /// Makes a command that is answered with Command Complete and only a status.
  static func plain<Command: HCISyncCommand>(
    _ type: Command.Type, _ body: @escaping @Sendable (VirtualController, Command) throws(Refusal) -> Void
  ) -> CommandEntry where Command.ReturnParameters == StatusReturn {
    complete(type) { controller, command throws(Refusal) in
      try body(controller, command)
      return StatusReturn()
    }
  }

  /// Makes a command on a connection that is answered with Command Complete, a status and the connection handle.
  static func onConnection<Command: HCISyncCommand>(
    _ type: Command.Type, _ handle: @escaping @Sendable (Command) -> ConnectionHandle,
    _ body: @escaping @Sendable (VirtualController, Command, Link, LinkEnd) throws(Refusal) -> Void
  ) -> CommandEntry where Command.ReturnParameters == ConnectionReturn {
    complete(type, handleFirst: true) { controller, command throws(Refusal) in
      let (link, end) = try controller.existing(handle(command))
      try body(controller, command, link, end)
      return ConnectionReturn { $0.connectionHandle = handle(command) }
    }
  }

  /// Makes a command that is answered with Command Status. Its results are reported later.
  static func begun<Command: HCIAsyncCommand>(
    _ type: Command.Type, _ body: @escaping @Sendable (VirtualController, Command) throws(Refusal) -> Void
  ) -> CommandEntry {
    CommandEntry(opcode: Command.opcode) { controller, parameters in
      do throws(Refusal) {
        try body(controller, try decode(Command.self, parameters, for: controller))
        return .status(.success)
      } catch {
        return .status(error.status)
      }
    }
  }

  static func decode<Command: HCICommand>(
    _ type: Command.Type, _ parameters: Span<UInt8>, for controller: VirtualController
  ) throws(Refusal) -> Command {
    do throws(LayoutFault) {
      return try Command(decoding: parameters)
    } catch {
      controller.note(.wrongParameterLength(Command.opcode))
      if controller.configuration.has(.assertsParameterLength) { controller.failAssertion() }
      guard controller.configuration.has(.ignoresParameterLength),
        let command = decodeIgnoringLength(Command.self, parameters)
      else { throw Refusal(.invalidHCICommandParameters) }
      return command
    }
  }
}

extension CommandTable {
  /// Decodes the command, filling in zeros for missing octets and ignoring excess ones; nil if no length can be decoded.
  private static func decodeIgnoringLength<Command: HCICommand>(
    _ type: Command.Type, _ parameters: Span<UInt8>
  ) -> Command? {
    let given = parameters.withUnsafeBytes { Array($0) }
    for count in stride(from: given.count - 1, through: 0, by: -1) {
      if let command = try? Command(decoding: Array(given[..<count])) { return command }
    }
    for count in given.count + 1...max(given.count + 1, 255) {
      let padded = given + Array(repeating: 0, count: count - given.count)
      if let command = try? Command(decoding: padded) { return command }
    }
    return nil
  }
}

extension VirtualController {
  func existing(_ handle: ConnectionHandle) throws(Refusal) -> (link: Link, end: LinkEnd) {
    guard let found = connection(handle) else { throw Refusal(.unknownConnectionIdentifier) }
    return found
  }

  /// Checks that the host uses one family of advertising and scanning commands: after it has used one since the reset, the other is refused
  /// (Core 5.4 Vol 4 Part E 3.1.1).
  func latch(_ family: ControllerState.CommandFamily) throws(Refusal) {
    guard state.family == .undecided || state.family == family else { throw Refusal(.commandDisallowed) }
    state.family = family
  }

  func require(_ condition: Bool, _ status: ErrorCode = .invalidHCICommandParameters) throws(Refusal) {
    guard condition else { throw Refusal(status) }
  }
}
