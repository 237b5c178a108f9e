import BLECore
import BLEHCI

extension FuzzInput {
  /// The command with the next two octets as its opcode, or another where there is none.
  mutating func command() -> any HCICommand.Type {
    let opcode = word()
    return CommandRegistry.type(for: CommandOpcode(rawValue: opcode))
      ?? CommandRegistry.all[Int(opcode) % CommandRegistry.all.count]
  }

  /// The event with the next two octets as its codes, or another where there is none.
  mutating func event() -> any HCIEvent.Type {
    let (code, subevent) = (octet(), octet())
    return EventRegistry.type(for: EventCode(rawValue: code), subevent: LESubevent(rawValue: subevent))
      ?? EventRegistry.all[(Int(code) + Int(subevent)) % EventRegistry.all.count]
  }
}
