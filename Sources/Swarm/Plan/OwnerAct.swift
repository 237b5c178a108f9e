import BLECore
import Simulation

/// An act on the accessory's side: a request of its owner, or an event of its controller or of the air.
package enum OwnerAct: Hashable, Sendable {
  /// Sets the value of a characteristic.
  case set(Int, [UInt8])
  case notify(Int)
  case indicate(Int)
  case disconnect
  case rotateIdentity
  /// Starts or stops an advertising set.
  case advertise(Int, Bool)
  case press(Int)
  /// Removes or adds a service.
  case service(Int, Bool)
  /// Withdraws or publishes a channel.
  case channel(Int, Bool)
  /// Falls asleep or wakes up.
  case sleep(Bool)
  /// Resets the accessory as the control API does, and forgets its bonds or keeps them.
  case reset(forgetsBonds: Bool)
  /// Requests security from a central.
  case askSecurity(Int)
  /// Requests other connection parameters from a central.
  case askParameters(Int)
  /// Opens enhanced bearers to a central.
  case openBearers(Int, count: Int)
  /// Damages a bond on purpose, with one of the alterations of the control API.
  case alterBond(Int, String)
  case removeBond(Int)
  /// Restores the last bond that was removed or altered.
  case importBond
  /// Sets the machine's clock forward, or back by a negative time.
  case clock(Duration)
  /// Suspends the machine for this long: the process receives no packets, and its time stands still.
  case suspend(Duration)
  /// Forgets all bonds on this side.
  case forgetBonds
  /// Kills the process and starts it again: only what is on the disk remains.
  case kill
  /// Kills the process in the next turn that changes a bond. The change is on the disk, but the turn sends nothing.
  case killWithin
  /// Takes a snapshot, for `restore`.
  case snapshot
  case restore
  case arm(String)
  case disarm
  /// Restarts the controller, with or without an announcement.
  case restartController(announced: Bool)
  /// Loses this share of all packets on the air.
  case lose(percent: Int)
  /// Loses all packets on the air for this long.
  case silence(Duration)
  /// Loses, doubles or delays one of the next packets on the line between host and controller.
  case line(Int, LossyLine.Direction, LossyLine.Fate)
  /// Makes the disk full, so that it refuses writes, or free again.
  case disk(isFull: Bool)

  /// The act in the syntax of plans.
  package var text: String {
    switch self {
    case .set(let number, let octets): "set \(number) \(octets.hexadecimal)"
    case .notify(let number): "notify \(number)"
    case .indicate(let number): "indicate \(number)"
    case .disconnect: "disconnect"
    case .rotateIdentity: "rotate-identity"
    case .advertise(let number, let isOn): "advertise \(number) \(isOn ? "on" : "off")"
    case .press(let number): "press \(number)"
    case .service(let number, let isOn): "service \(number) \(isOn ? "on" : "off")"
    case .channel(let number, let isOn): "channel \(number) \(isOn ? "on" : "off")"
    case .sleep(let isAsleep): "sleep \(isAsleep ? "on" : "off")"
    case .reset(let forgetsBonds): forgetsBonds ? "reset forget" : "reset"
    case .askSecurity(let number): "ask-security \(number)"
    case .askParameters(let number): "ask-parameters \(number)"
    case .openBearers(let number, let count): "open-bearers \(number) \(count)"
    case .alterBond(let number, let alteration): "alter-bond \(number) \(alteration)"
    case .removeBond(let number): "remove-bond \(number)"
    case .importBond: "import-bond"
    case .clock(let shift): "clock \(shift.inNanoseconds / 1_000_000)"
    case .suspend(let time): "suspend \(time.inNanoseconds / 1_000_000)"
    case .killWithin: "kill-within"
    case .forgetBonds: "forget-bonds"
    case .kill: "kill"
    case .snapshot: "snapshot"
    case .restore: "restore"
    case .arm(let fault): "arm \(fault)"
    case .disarm: "disarm"
    case .restartController(true): "restart-controller announced"
    case .restartController(false): "restart-controller"
    case .lose(let percent): "lose \(percent)"
    case .silence(let time): "silence \(time.inNanoseconds / 1_000_000)"
    case .line(let number, let direction, let fate):
      "line \(number) \(direction == .towardsHost ? "up" : "down") \(fate.text)"
    case .disk(let isFull): "disk \(isFull ? "full" : "free")"
    }
  }

  /// Parses an act; nil if the text is not one.
  package init?(text: String) {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let word = words.first else { return nil }
    let rest = words.count > 1 ? words[1] : ""
    let arguments = rest.split(separator: " ").map(String.init)
    let number = arguments.first.flatMap { Int($0) }
    switch (word, number) {
    case ("set", let number?):
      self = .set(number, arguments.count > 1 ? [UInt8](hexadecimal: arguments[1]) ?? [] : [])
    case ("notify", let number?): self = .notify(number)
    case ("indicate", let number?): self = .indicate(number)
    case ("disconnect", _): self = .disconnect
    case ("rotate-identity", _): self = .rotateIdentity
    case ("advertise", let number?): self = .advertise(number, arguments.last == "on")
    case ("press", let number?): self = .press(number)
    case ("service", let number?): self = .service(number, arguments.last == "on")
    case ("channel", let number?): self = .channel(number, arguments.last == "on")
    case ("sleep", _): self = .sleep(rest == "on")
    case ("reset", _): self = .reset(forgetsBonds: rest == "forget")
    case ("ask-security", let number?): self = .askSecurity(number)
    case ("ask-parameters", let number?): self = .askParameters(number)
    case ("open-bearers", let number?):
      self = .openBearers(number, count: arguments.last.flatMap { Int($0) } ?? 1)
    case ("alter-bond", let number?): self = .alterBond(number, arguments.last ?? "")
    case ("remove-bond", let number?): self = .removeBond(number)
    case ("import-bond", _): self = .importBond
    case ("clock", let shift?): self = .clock(.milliseconds(shift))
    case ("suspend", let time?): self = .suspend(.milliseconds(time))
    case ("kill-within", _): self = .killWithin
    case ("forget-bonds", _): self = .forgetBonds
    case ("kill", _): self = .kill
    case ("snapshot", _): self = .snapshot
    case ("restore", _): self = .restore
    case ("arm", _): self = .arm(rest)
    case ("disarm", _): self = .disarm
    case ("restart-controller", _): self = .restartController(announced: rest == "announced")
    case ("lose", let percent?): self = .lose(percent: percent)
    case ("silence", let time?): self = .silence(.milliseconds(time))
    case ("line", let number?):
      guard arguments.count > 2, let fate = LossyLine.Fate(text: arguments[2...].joined(separator: " ")) else {
        return nil
      }
      self = .line(number, arguments[1] == "up" ? .towardsHost : .towardsController, fate)
    case ("disk", _): self = .disk(isFull: rest == "full")
    default: return nil
    }
  }

  /// The first word of the text, which coverage counts.
  package var word: String { String(text.prefix { $0 != " " }) }
}

extension LossyLine.Fate {
  fileprivate var text: String {
    switch self {
    case .lost: "lost"
    case .doubled: "doubled"
    case .late(let time): "late \(time.inNanoseconds / 1_000_000)"
    }
  }

  fileprivate init?(text: String) {
    let words = text.split(separator: " ")
    switch words.first {
    case "lost": self = .lost
    case "doubled": self = .doubled
    case "late":
      guard words.count > 1, let time = Int(words[1]) else { return nil }
      self = .late(.milliseconds(time))
    default: return nil
    }
  }
}
