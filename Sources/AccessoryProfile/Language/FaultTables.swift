import Faults

extension Language {
  static let faultTables = [fault, faultOccasion, faultDeed, faultFlood, faultAdvertising]

  static let fault = KeyTable(
    name: "fault",
    keys: [
      .init(name: "id", type: .text, summary: "Its name; fault-1, fault-2 and so on if not given."),
      .init(name: "on", type: occasionType, summary: "What it waits for.", isRequired: true),
      .init(
        name: "do", type: .choice([.names(FaultWords.deeds), .mapping("fault-deed")]), summary: "What goes wrong.",
        isRequired: true),
      .init(
        name: "nth", type: .integer(1...1_000_000),
        summary: "The first occasion that counts; without 'every' and 'times', the only one."),
      .init(name: "every", type: .integer(1...1_000_000), summary: "Of those, every so many."),
      .init(
        name: "times", type: .integer(1...1_000_000),
        summary: "How often it happens at the most; always if not given, once with 'nth' alone."),
      .init(
        name: "probability", type: .choice([.number, .text]),
        summary: "How likely it is each time, from 0 to 1, or as 20%; drawn by the seed of the run."),
      .init(
        name: "after", type: .choice([.duration, occasionType]),
        summary: "How long after it was armed, or after what else, occasions begin to count."),
      .init(
        name: "connection", type: .integer(0...0x0EFF), summary: "The connection that it is about; all if not given."),
      .init(name: "peer", type: .text, summary: "The address of the central that it is about; any if not given."),
    ])

  private static var occasionType: ValueType {
    .choice([.names(FaultWords.occasions.map(\.word)), .mapping("fault-occasion")])
  }

  static let faultOccasion = KeyTable(
    name: "fault-occasion",
    keys: [
      .init(name: "read", type: .text, summary: "A client reads that characteristic, or any."),
      .init(name: "write", type: .text, summary: "A client writes that characteristic, or any."),
      .init(name: "access", type: .text, summary: "A client reads or writes that characteristic, or any."),
      .init(
        name: "subscribe", type: .text,
        summary: "A client writes the Client Characteristic Configuration of that characteristic, or any."),
      .init(
        name: "request",
        type: .choice([.names(FaultWords.requests.map(\.word)), .list(.names(FaultWords.requests.map(\.word)))]),
        summary: "A client sends such a PDU, or one of these."),
      .init(
        name: "notify", type: .text, summary: "A notification of that characteristic, or any, is about to be sent."),
      .init(
        name: "indicate", type: .text, summary: "An indication of that characteristic, or any, is about to be sent."),
      .init(name: "push", type: .text, summary: "A notification or an indication is about to be sent."),
      .init(name: "subscribed", type: .text, summary: "A client has subscribed to that characteristic, or any."),
      .init(name: "unsubscribed", type: .text, summary: "A client has ended its subscription to it."),
      .init(
        name: "channel-request", type: .text, summary: "A central wants to open a channel to that, or to anything."),
      .init(name: "channel", type: .text, summary: "A channel to that, or to anything, is open."),
      .init(name: "sdu", type: .text, summary: "An SDU has come on a channel to that, or to anything."),
      .init(name: "at", type: .duration, summary: "That long after it was armed, once."),
      .init(name: "every", type: .duration, summary: "Again and again after that long."),
    ])

  static let faultDeed = KeyTable(
    name: "fault-deed",
    keys: [
      .init(name: "error", type: errorType, summary: "The request is refused with that error."),
      .init(
        name: "handle", type: .integer(0...0xFFFF),
        summary: "With 'error': the attribute that the Error Response names, in place of the right one."),
      .init(name: "delay", type: .duration, summary: "The request is taken, or the value sent, that much later."),
      .init(name: "repeat", type: .integer(2...100), summary: "The answer, or the value, is sent so many times."),
      .init(name: "truncate", type: .integer(1...512), summary: "Only the first so many octets of the PDU are sent."),
      .init(name: "lengthen", type: .integer(2...600), summary: "The PDU is filled up with zeros to so many octets."),
      .init(name: "value", type: .octets, summary: "The PDU has that value."),
      .init(name: "pdu", type: .octets, summary: "That PDU is sent in its place."),
      .init(name: "mtu", type: .integer(0...0xFFFF), summary: "The server says that it takes so many octets."),
      .init(
        name: "keep-sending", type: .integer(1...1000),
        summary: "The last notification is sent so many times more, although nobody is subscribed."),
      .init(
        name: "pause", type: .duration,
        summary: "With 'keep-sending', or 'flood': the time between two; 100 ms if not given."),
      .init(
        name: "disconnect", type: .choice([.names(FaultWords.reasons.map(\.word)), .integer(1...255)]),
        summary: "The link ends for that reason."),
      .init(
        name: "when", type: .names(FaultMoment.allCases.map(\.rawValue)),
        summary: "With 'disconnect': before the request is taken, in place of its answer, or behind it (if not given)."),
      .init(name: "flood", type: .mapping("fault-flood"), summary: "Something else is asked for, again and again."),
      .init(name: "result", type: .integer(1...0xFFFF), summary: "The channel is refused with that result code."),
      .init(
        name: "credits", type: .names(["withhold", "overflow"]),
        summary: "The channel's peer gets no more credits, or more than there can be."),
      .init(
        name: "frame", type: .names(FaultFrame.allCases.map(\.rawValue)), summary: "A frame that is wrong is sent."),
      .init(
        name: "services", type: .names(["change", "change-silently"]),
        summary: "A service comes or goes, and clients are told by Service Changed, or not."),
      .init(
        name: "service", type: .text,
        summary: "With 'services': the one that goes, by its id; if not given, a strange one comes."),
      .init(
        name: "service-changed", type: .integer(1...10_000), summary: "Service Changed is indicated so many times."),
      .init(name: "keys", type: .names(["forget", "corrupt"]), summary: "The bond is forgotten, or has a wrong key."),
      .init(name: "vanish", type: .duration, summary: "The accessory is gone for that long without a word."),
      .init(name: "reboot", type: .duration, summary: "The accessory starts anew, which takes that long."),
      .init(name: "clock-ahead", type: .duration, summary: "Its clock is set forward."),
      .init(name: "clock-behind", type: .duration, summary: "Its clock is set back."),
      .init(
        name: "advertise", type: .choice([.names(FaultWords.advertising), .mapping("fault-advertising")]),
        summary: "It advertises otherwise than it should."),
    ])

  static let faultFlood = KeyTable(
    name: "fault-flood",
    keys: [
      .init(
        name: "with", type: .names(FaultFlood.allCases.map(\.rawValue)), summary: "What is asked for.", isRequired: true
      ),
      .init(name: "times", type: .integer(1...1000), summary: "How often; 20 if not given."),
    ])

  static let faultAdvertising = KeyTable(
    name: "fault-advertising",
    keys: [
      .init(name: "data", type: .octets, summary: "The advertising data, 1 to 31 octets."),
      .init(name: "name", type: .text, summary: "The name in them."),
    ])
}
