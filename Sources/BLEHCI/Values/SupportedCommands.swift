// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The 64 octets with the commands that a controller supports (Core 5.4 Vol 4 Part E 6.27).
public struct SupportedCommands: OctetLayout, Hashable {
  /// The mask as on the wire.
  public var octets: [UInt8] = Array(repeating: 0, count: 64)

  /// Creates a mask without commands.
  public init() {}

  /// Creates a mask of these commands. Ignores those without a bit, such as vendor commands.
  public init(_ opcodes: some Sequence<CommandOpcode>) {
    for opcode in opcodes { insert(opcode) }
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Supported_Commands", &octets, count: 64)
  }

  /// Whether this bit is set; `bit` is counted from bit 0 of octet 0.
  public subscript(bit: Int) -> Bool {
    get { octets.indices.contains(bit / 8) && bit >= 0 && octets[bit / 8] & (1 << (bit % 8)) != 0 }
    set {
      guard bit >= 0, octets.indices.contains(bit / 8) else { return }
      if newValue { octets[bit / 8] |= 1 << (bit % 8) } else { octets[bit / 8] &= ~(1 << (bit % 8)) }
    }
  }

  /// Returns whether the controller supports this command. Read Local Supported Commands has no bit, but every controller that returned a
  /// mask supports it. Other commands without a bit, such as vendor commands, count as unsupported.
  public func contains(_ opcode: CommandOpcode) -> Bool {
    if opcode == .readLocalSupportedCommands { return true }
    return opcode.supportBit.map { self[$0] } ?? false
  }

  /// Adds a command; false if it has no bit.
  @discardableResult
  public mutating func insert(_ opcode: CommandOpcode) -> Bool {
    guard let bit = opcode.supportBit else { return false }
    self[bit] = true
    return true
  }

  /// Removes a command.
  public mutating func remove(_ opcode: CommandOpcode) {
    if let bit = opcode.supportBit { self[bit] = false }
  }

  /// The commands in the mask that have a layout.
  public var known: [CommandOpcode] { KnownCommand.all.map(\.opcode).filter(contains) }
}
