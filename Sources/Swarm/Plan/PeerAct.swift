import BLECore
import Simulation

/// An act of a peer over BR/EDR. Numbers identify attributes and records, as those of `CentralAct` do.
package enum PeerAct: Hashable, Sendable {
  /// What a peer asks the Service Discovery Server.
  package enum Query: String, Hashable, Sendable, CaseIterable {
    /// The handles of records.
    case search
    /// One record.
    case attributes
    /// The records that can be browsed.
    case browse
  }

  /// Looks for discoverable devices.
  case inquire
  case askName
  /// Pages the accessory.
  case connect
  case disconnect
  /// Leaves the air for this long, without disconnecting.
  case vanish(Duration)
  /// Has the link authenticated, with the key of the bond or by pairing, and then encrypted.
  case authenticate
  case encrypt(Bool)
  /// Chooses how its user answers from now on.
  case answer(PeerAnswer)
  /// Pairs from now on as a peer of this kind does.
  case become(PeerKind)
  /// Forgets the link key.
  case forgetKey
  /// Opens a channel to a PSM, and accepts SDUs of at most `mtu` octets.
  case open(Int, mtu: Int)
  /// Closes its channel to a PSM.
  case close(Int)
  /// Asks in parts of at most `octets`.
  case query(Query, Int, octets: Int)
  case exchangeMTU
  case discover
  case read(Int)
  case write(Int, [UInt8])
  case writeCommand(Int, [UInt8])
  case subscribe(Int, toIndications: Bool)
  case unsubscribe(Int)
  /// Asks for the keys of LE, which are derived from the link key.
  case derive
  /// Sends an SDU on its channel to a PSM, whether or not the protocol permits it.
  case sdu(Int, [UInt8])
  /// Sends a payload on a channel of the accessory.
  case raw(channel: UInt16, [UInt8])
  /// Sends octets as an L2CAP PDU, with whatever header they have.
  case pdu([UInt8])

  /// The act in the syntax of plans: a word and its arguments.
  package var text: String {
    switch self {
    case .inquire: "inquire"
    case .askName: "ask-name"
    case .connect: "connect"
    case .disconnect: "disconnect"
    case .vanish(let time): "vanish \(time.inNanoseconds / 1_000_000)"
    case .authenticate: "authenticate"
    case .encrypt(let isOn): "encrypt \(isOn ? 1 : 0)"
    case .answer(let answer): "answer \(answer.rawValue)"
    case .become(let kind): "become \(kind.rawValue)"
    case .forgetKey: "forget-key"
    case .open(let psm, let mtu): "open \(psm) \(mtu)"
    case .close(let psm): "close \(psm)"
    case .query(let query, let number, let octets): "\(query.rawValue) \(number) \(octets)"
    case .exchangeMTU: "exchange-mtu"
    case .discover: "discover"
    case .read(let number): "read \(number)"
    case .write(let number, let octets): "write \(number) \(octets.hexadecimal)"
    case .writeCommand(let number, let octets): "write-command \(number) \(octets.hexadecimal)"
    case .subscribe(let number, let toIndications):
      "\(toIndications ? "take-indications" : "take-notifications") \(number)"
    case .unsubscribe(let number): "unsubscribe \(number)"
    case .derive: "derive"
    case .sdu(let psm, let octets): "sdu \(psm) \(octets.hexadecimal)"
    case .raw(let channel, let octets): "raw \(channel) \(octets.hexadecimal)"
    case .pdu(let octets): "pdu 0 \(octets.hexadecimal)"
    }
  }

  /// Parses an act; nil if the text is not one.
  package init?(text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard let word = words.first else { return nil }
    let number = words.count > 1 ? Int(words[1]) : nil
    let other = words.count > 2 ? Int(words[2]) : nil
    let octets = words.count > 2 ? [UInt8](hexadecimal: words[2]) ?? [] : []
    if let plain = Self.plain[word] {
      self = plain
      return
    }
    if word == "answer", let answer = words.last.flatMap({ PeerAnswer(rawValue: $0) }) {
      self = .answer(answer)
      return
    }
    if word == "become", let kind = words.last.flatMap({ PeerKind(rawValue: $0) }) {
      self = .become(kind)
      return
    }
    guard let number else { return nil }
    if let query = Query(rawValue: word) {
      self = .query(query, number, octets: other ?? 672)
      return
    }
    switch word {
    case "vanish": self = .vanish(.milliseconds(number))
    case "encrypt": self = .encrypt(number != 0)
    case "open": self = .open(number, mtu: other ?? 672)
    case "close": self = .close(number)
    case "read": self = .read(number)
    case "write": self = .write(number, octets)
    case "write-command": self = .writeCommand(number, octets)
    case "take-indications": self = .subscribe(number, toIndications: true)
    case "take-notifications": self = .subscribe(number, toIndications: false)
    case "unsubscribe": self = .unsubscribe(number)
    case "sdu": self = .sdu(number, octets)
    case "raw": self = .raw(channel: UInt16(clamping: number), octets)
    case "pdu": self = .pdu(octets)
    default: return nil
    }
  }

  /// The acts without arguments, by their words.
  private static let plain: [String: PeerAct] = Dictionary(
    uniqueKeysWithValues: [
      PeerAct.inquire, .askName, .connect, .disconnect, .authenticate, .forgetKey, .exchangeMTU, .discover, .derive,
    ].map { ($0.text, $0) })

  /// The first word of the text, which coverage counts.
  package var word: String { String(text.prefix { $0 != " " }) }
}

/// How the user of a peer answers the questions of a pairing.
package enum PeerAnswer: String, Hashable, Sendable, CaseIterable {
  case accept, refuse, late, silence

  var conduct: ClassicPeer.Conduct.Answer {
    switch self {
    case .accept: .accept
    case .refuse: .refuse
    case .late: .late(.seconds(12))
    case .silence: .silence
    }
  }
}

/// The kinds of peers over BR/EDR.
package enum PeerKind: String, Hashable, Sendable, CaseIterable {
  /// Compares numbers, and wants protection against a man in the middle.
  case phone
  /// Its user types the digits that the accessory shows.
  case keyboard
  /// Shows digits, and has no keys.
  case display
  /// Has no display and no keys, so it pairs by Just Works.
  case headset
  /// Does not know Secure Connections.
  case old
  /// Sends anything, valid or not, in any state.
  case hostile
}
