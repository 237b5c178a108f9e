import BLECore

/// An act of a central of the swarm. Numbers identify characteristics and channels. They count modulo the
/// number that exist at that time, so that a plan stays valid when its profile shrinks.
package enum CentralAct: Hashable, Sendable {
  /// Connects to the accessory as soon as the central receives its advertising.
  case connect
  /// Connects over BR/EDR, and opens the channel of ATT, if its controller has BR/EDR.
  case page
  case disconnect
  /// Leaves the air for this long, without disconnecting.
  case vanish(Duration)
  /// Comes back with its bonds without having disconnected, before its old link has timed out.
  case comeBack
  case exchangeMTU
  case discover
  case read(Int)
  case write(Int, [UInt8])
  case writeCommand(Int, [UInt8])
  case writeSigned(Int, [UInt8])
  /// Sends a Signed Write Command with a counter that the accessory has already received, but another value.
  case replaySigned(Int, [UInt8])
  case subscribe(Int, toIndications: Bool)
  case unsubscribe(Int)
  case readConfiguration(Int)
  /// Writes over the bearer with the first number.
  case writeOver(Int, Int, [UInt8])
  /// Encrypts with the bond's key, or pairs if there is no bond.
  case pair
  case pairAnew
  /// Forgets its bonds, as when the user of a phone forgets the accessory.
  case forgetBonds
  case open(Int)
  case send(Int, count: Int)
  case close(Int)
  case openBearers(Int)
  /// Asks a Record Access Control Point for the number of records and then for all records, and counts the records that arrive.
  case records
  /// Sends a PDU by hand over the bearer with this number.
  case rawOver(Int, [UInt8])
  /// Sends a payload on the ATT, signalling or Security Manager channel, whether or not the protocol permits it.
  case raw(channel: UInt16, [UInt8])

  /// The act in the syntax of plans: a word and its arguments.
  package var text: String {
    switch self {
    case .connect: "connect"
    case .page: "page"
    case .disconnect: "disconnect"
    case .vanish(let time): "vanish \(time.inNanoseconds / 1_000_000)"
    case .comeBack: "come-back"
    case .exchangeMTU: "exchange-mtu"
    case .discover: "discover"
    case .read(let number): "read \(number)"
    case .write(let number, let octets): "write \(number) \(octets.hexadecimal)"
    case .writeCommand(let number, let octets): "write-command \(number) \(octets.hexadecimal)"
    case .writeSigned(let number, let octets): "write-signed \(number) \(octets.hexadecimal)"
    case .replaySigned(let number, let octets): "replay-signed \(number) \(octets.hexadecimal)"
    case .subscribe(let number, let toIndications):
      "\(toIndications ? "take-indications" : "take-notifications") \(number)"
    case .unsubscribe(let number): "unsubscribe \(number)"
    case .readConfiguration(let number): "read-configuration \(number)"
    case .writeOver(let bearer, let number, let octets): "write-over \(bearer) \(number) \(octets.hexadecimal)"
    case .pair: "pair"
    case .pairAnew: "pair-anew"
    case .forgetBonds: "forget-bonds"
    case .open(let number): "open \(number)"
    case .send(let number, let count): "send \(number) \(count)"
    case .close(let number): "close \(number)"
    case .openBearers(let count): "open-bearers \(count)"
    case .records: "records"
    case .rawOver(let bearer, let octets): "raw-over \(bearer) \(octets.hexadecimal)"
    case .raw(let channel, let octets): "raw \(channel) \(octets.hexadecimal)"
    }
  }

  /// Parses an act; nil if the text is not one.
  package init?(text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard let word = words.first else { return nil }
    let numbers = words.dropFirst().map { Int($0) }
    let number = numbers.first ?? nil
    let octets = words.count > 2 ? [UInt8](hexadecimal: words[2]) ?? [] : []
    switch (word, number) {
    case ("connect", _): self = .connect
    case ("page", _): self = .page
    case ("disconnect", _): self = .disconnect
    case ("vanish", let time?): self = .vanish(.milliseconds(time))
    case ("come-back", _): self = .comeBack
    case ("exchange-mtu", _): self = .exchangeMTU
    case ("discover", _): self = .discover
    case ("read", let number?): self = .read(number)
    case ("write", let number?): self = .write(number, octets)
    case ("write-command", let number?): self = .writeCommand(number, octets)
    case ("write-signed", let number?): self = .writeSigned(number, octets)
    case ("replay-signed", let number?): self = .replaySigned(number, octets)
    case ("take-indications", let number?): self = .subscribe(number, toIndications: true)
    case ("take-notifications", let number?): self = .subscribe(number, toIndications: false)
    case ("unsubscribe", let number?): self = .unsubscribe(number)
    case ("read-configuration", let number?): self = .readConfiguration(number)
    case ("write-over", let bearer?):
      guard let number = numbers.dropFirst().first.flatMap({ $0 }) else { return nil }
      self = .writeOver(bearer, number, words.count > 3 ? [UInt8](hexadecimal: words[3]) ?? [] : [])
    case ("pair", _): self = .pair
    case ("pair-anew", _): self = .pairAnew
    case ("forget-bonds", _): self = .forgetBonds
    case ("open", let number?): self = .open(number)
    case ("send", let number?): self = .send(number, count: numbers.dropFirst().first.flatMap { $0 } ?? 1)
    case ("close", let number?): self = .close(number)
    case ("open-bearers", let count?): self = .openBearers(count)
    case ("records", _): self = .records
    case ("raw-over", let bearer?): self = .rawOver(bearer, octets)
    case ("raw", let channel?): self = .raw(channel: UInt16(clamping: channel), octets)
    default: return nil
    }
  }

  /// The first word of the text, which coverage counts.
  package var word: String { String(text.prefix { $0 != " " }) }
}
