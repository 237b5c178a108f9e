import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import Simulation

/// Performs the commands of a person or a program with a central, one after another, each to its end.
package final class CentralShell {
  /// The shell's output.
  package enum Report: Sendable {
    /// Something happened to the central's host.
    case event(HostEvent)
    /// A line for people: the result of a command, or something that has arrived.
    case line(String)
  }

  /// The central, whose events the shell observes.
  let central: ScriptedCentral
  private let report: (Report) -> Void
  private var security = SecurityDefinition()
  private(set) var link: ConnectionHandle?
  private var channel: ChannelID?
  /// The number of events before the pairing that waits for an answer.
  private var pairingStart: Int?

  /// Creates a shell for a central that has been started.
  package init(_ central: ScriptedCentral, report: @escaping (Report) -> Void) {
    self.central = central
    self.report = report
    // Its own server has only what every host has, so accesses to it mean nothing to a user.
    central.stack.reportsAccess = false
    for event in central.events { report(.event(event)) }
    central.observer = { [weak self] events in for event in events { self?.take(event) } }
  }

  /// Performs a line. Returns false if the line ends the shell.
  ///
  /// - Throws: A `ShellError`, or the error with which the command failed.
  package func perform(_ line: String) throws -> Bool {
    guard let command = try ShellCommand(line) else { return true }
    return try perform(command)
  }

  private func perform(_ command: ShellCommand) throws -> Bool {
    switch command.verb {
    case .scan: try scan(for: try duration(command, "for") ?? .seconds(5))
    case .connect: try connect(command)
    case .inquire: try inquire(for: try duration(command, "for") ?? .seconds(10))
    case .page: try page(command.text("peer") ?? "")
    case .records: try listRecords()
    case .disconnect: try central.disconnect(try linked())
    case .mtu: say("the MTU is \(try exchangeMTU())")
    case .discover, .services: try list(discovering: command.verb == .discover)
    case .read: try read(command)
    case .write, .command: try write(command)
    case .subscribe, .unsubscribe: try subscribe(command)
    case .pair: try pair(isAnew: command.text("anew") != nil)
    case .answer: try answer(command)
    case .forget: for bond in central.stack.bonds { try central.perform(.removeBond(bond.peer)) }
    case .security: try setSecurity(command)
    case .parameters: try setParameters(command)
    case .phy: try setPHY(command)
    case .open: try open(command)
    case .send: try send(command)
    case .close: try close()
    case .wait: central.stage.run(for: try duration(command, "time") ?? .zero)
    case .help: for verb in ShellVerb.allCases { say("\(verb.usage): \(verb.about)") }
    case .quit: return false
    }
    return true
  }

  func say(_ line: String) { report(.line(line)) }

  /// The present link.
  func linked() throws(ShellError) -> ConnectionHandle {
    guard let link, central.links.contains(link) else {
      throw ShellError("there is no link: 'connect' to a device first")
    }
    return link
  }

  private func duration(_ command: ShellCommand, _ name: String) throws(ShellError) -> Duration? {
    guard let text = command.text(name) else { return nil }
    guard let duration = Durations.parse(text) else { throw ShellError("'\(text)' is not a time: write 5 s or 500 ms") }
    return duration
  }

  // MARK: Events

  private func take(_ event: HostEvent) {
    report(.event(event))
    switch event {
    case .connected(let link, _): self.link = link
    case .disconnected(let link, let reason):
      if self.link == link { (self.link, channel) = (nil, nil) }
      say("the link has ended: \(reason)")
    case .client(let link, .notification(let handle, let value)): show(value, handle, link, "notified")
    case .client(let link, .indication(let handle, let value)): show(value, handle, link, "indicated")
    case .security(let link, .asked(let question)): takeQuestion(question, of: link)
    case .sdu(_, _, let octets): say("received hex:\(octets.hexadecimal)")
    case .parametersRequested(_, _, let accepted):
      say("the device asked for other connection parameters, which were \(accepted ? "accepted" : "refused")")
    default: break
    }
  }

  private func takeQuestion(_ question: PairingQuestion, of link: ConnectionHandle) {
    if let answer = security.answers.answer(to: question) {
      // A displayed passkey is only shown.
      if case .display = question, answer == .accept { return }
      waiting.append((link, answer))
      return
    }
    switch question {
    case .passkey: say("the device shows a passkey: 'answer' with it")
    case .comparison(let digits): say("does the device show \(digits)? 'answer yes' or 'answer no'")
    case .display(let passkey): say("type \(passkey) on the device")
    case .consent: say("the device asks to pair: 'answer yes' or 'answer no'")
    }
  }

  /// The answers that wait until the host has processed its octets.
  private var waiting: [(ConnectionHandle, PairingAnswer)] = []

  private func giveWaitingAnswers() throws {
    while !waiting.isEmpty {
      let (link, answer) = waiting.removeFirst()
      try central.perform(.answerPairing(link, answer))
    }
  }

  // MARK: Links

  private func scan(for time: Duration) throws {
    let devices = HeardDevices(try central.scan(for: time)).devices
    for device in devices { say(device.line) }
    if devices.isEmpty { say("no device was heard") }
  }

  private func connect(_ command: ShellCommand) throws {
    var peer = command.text("peer") ?? ""
    var type = command.text("type")
    let words = peer.split(separator: " ").map(String.init)
    if words.count == 2, DeviceAddress(words[0]) != nil { (peer, type) = (words[0], words[1]) }
    let parameters = LinkParameters(interval: .milliseconds(30), timeout: .seconds(2))
    if let address = DeviceAddress(peer), let type {
      guard ["random", "public"].contains(type) else {
        throw ShellError("the address type must be 'random' or 'public'")
      }
      try central.connect(
        ConnectionRequest(to: address, type: type == "public" ? .publicDevice : .random, parameters: parameters))
    } else {
      let filter = DeviceFilter(peer)
      let found = try central.hear { filter.fits($0) }
      try central.connect(
        ConnectionRequest(to: found.address, type: found.addressType, parameters: parameters))
    }
    say("connected")
  }

  private func setParameters(_ command: ShellCommand) throws {
    guard let interval = try duration(command, "interval") else { throw ShellError("usage: \(command.verb.usage)") }
    let latency = command.text("latency").flatMap { Int($0) } ?? 0
    let timeout = try duration(command, "timeout") ?? .seconds(5)
    try central.update(try linked(), LinkParameters(interval: interval, latency: latency, timeout: timeout))
  }

  private func setPHY(_ command: ShellCommand) throws {
    let phys: [String: PHYSet] = ["1M": .le1M, "2M": .le2M, "coded": .leCoded]
    guard let phy = phys[command.text("phy") ?? ""] else { throw ShellError("the PHY must be 1M, 2M or coded") }
    try central.setPHY(try linked(), phy)
  }

  // MARK: Pairing

  private func setSecurity(_ command: ShellCommand) throws(ShellError) {
    do throws(ProfileValueError) { security = try SecurityDefinition.load(.object(command.arguments)) } catch {
      throw ShellError("\(error)")
    }
    let pairing = central.stack.usesClassic ? security.pairing.forBothTransports : security.pairing
    central.stack.setSecurity(pairing, requests: security.requests)
  }

  private func pair(isAnew: Bool) throws {
    let link = try linked()
    pairingStart = central.events.count
    try central.perform(isAnew ? .pairAnew(link) : .pair(link))
    try awaitPairing(on: link)
  }

  private func answer(_ command: ShellCommand) throws {
    let link = try linked()
    let answer: PairingAnswer
    switch command.text("value") ?? command.text("passkey") ?? command.text("accept") ?? "" {
    case "yes", "true": answer = .accept
    case "no", "false": answer = .refuse
    case let text:
      guard let passkey = UInt32(text), passkey < 1_000_000 else {
        throw ShellError("the answer must be a passkey of at most six digits, 'yes' or 'no'")
      }
      answer = .passkey(passkey)
    }
    try central.perform(.answerPairing(link, answer))
    if pairingStart != nil { try awaitPairing(on: link) }
  }

  /// Waits until the pairing ends, or asks a question that `security` does not answer.
  private func awaitPairing(on link: ConnectionHandle) throws {
    guard let start = pairingStart else { return }
    var next = central.events.count > start ? central.events.count - 1 : start
    var (outcome, paired): (String?, String?)
    var isAsked = false
    central.stage.run(
      until: {
        while outcome == nil, next < central.events.count {
          outcome = Self.outcome(central.events[next], on: link, after: paired)
          if case .security(link, .paired(_, let bonded)) = central.events[next] {
            paired = bonded ? "paired and bonded" : "paired, without a bond"
            // Over BR/EDR, encryption follows the pairing.
            if central.security(of: link).protection > .none { outcome = paired }
          }
          if case .security(link, .asked(let question)) = central.events[next],
            security.answers.answer(to: question) == nil
          {
            // Only a displayed passkey needs no answer.
            if case .display = question {} else { isAsked = true }
          }
          next += 1
        }
        return outcome != nil || isAsked || !waiting.isEmpty
      }, limit: central.limit)
    if !waiting.isEmpty {
      try giveWaitingAnswers()
      return try awaitPairing(on: link)
    }
    guard let outcome else {
      if !isAsked { throw ShellError("the pairing did not end within \(central.limit): disconnect, and pair again") }
      return
    }
    pairingStart = nil
    say(outcome)
  }

  /// Returns the outcome of a pairing, or of an encryption, that ends with an event. `paired` is that of the pairing that has come before.
  private static func outcome(
    _ event: HostEvent, on link: ConnectionHandle, after paired: String?
  ) -> String? {
    switch event {
    case .security(link, .failed(let reason, let byPeer)): "pairing failed\(byPeer ? " at the device" : ""): \(reason)"
    case .security(link, .timedOut): "the device did not answer the pairing"
    case .security(link, .securityChanged(let security)) where security.protection > .none:
      paired ?? "the link is encrypted"
    case .encryptionFailed(link, let status): "the link could not be encrypted: \(status)"
    case .disconnected(link, _): "the pairing ended with the link"
    default: nil
    }
  }

  // MARK: Channels

  private func open(_ command: ShellCommand) throws {
    let link = try linked()
    guard let psm = AttributeNaming.number(command.text("psm") ?? "") else {
      throw ShellError("the PSM must be a number, such as 0x0080")
    }
    let opened = try central.openChannel(SPSM(rawValue: psm), on: link)
    channel = opened.id
    say("the channel is open: SDUs of up to \(opened.sendMTU) octets")
  }

  private func send(_ command: ShellCommand) throws {
    guard let channel else { throw ShellError("there is no channel: 'open' one first") }
    let octets = try AttributeNaming.octets(command.arguments["value"], as: .octets)
    try central.sendSDU(octets, on: channel, of: try linked())
  }

  private func close() throws {
    guard let channel else { throw ShellError("there is no channel: 'open' one first") }
    try central.closeChannel(channel, of: try linked())
    self.channel = nil
  }
}
