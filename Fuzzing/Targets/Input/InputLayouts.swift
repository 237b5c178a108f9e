import BLECore
import BLEHCI

extension FuzzInput {
  /// Returns the command whose opcode is the next two octets, or another command when there is none.
  mutating func command() -> any HCICommand.Type {
    let opcode = word()
    return CommandRegistry.type(for: CommandOpcode(rawValue: opcode))
      ?? CommandRegistry.all[Int(opcode) % CommandRegistry.all.count]
  }

  /// Returns the event whose codes are the next two octets, or another event when there is none.
  mutating func event() -> any HCIEvent.Type {
    let (code, subevent) = (octet(), octet())
    return EventRegistry.type(for: EventCode(rawValue: code), subevent: LESubevent(rawValue: subevent))
      ?? EventRegistry.all[(Int(code) + Int(subevent)) % EventRegistry.all.count]
  }
}
