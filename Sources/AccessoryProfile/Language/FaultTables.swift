import Faults

extension Language {
  package static let faultTables = [fault, faultOccasion, faultAction, faultFlood, faultAdvertising]

  static let fault = KeyTable(
    name: "fault",
    keys: [
      .init(name: "id", type: .text, summary: "Its name (default: fault-1, fault-2 and so on)."),
      .init(name: "on", type: occasionType, summary: "The occasion on which it fires.", isRequired: true),
      .init(
        name: "do", type: .choice([.names(FaultWords.actions), .mapping("fault-action")]), summary: "What goes wrong.",
        isRequired: true),
      .init(
        name: "nth", type: .integer(1...1_000_000),
        summary: "The first occasion on which it fires; without 'every' and 'times', the only one."),
      .init(name: "every", type: .integer(1...1_000_000), summary: "From then on, only every so many occasions."),
      .init(
        name: "times", type: .integer(1...1_000_000),
        summary: "How often it fires at most (default: unlimited, or once with 'nth' alone)."),
      .init(
        name: "probability", type: .choice([.number, .text]),
        summary: "The probability on each occasion, from 0 to 1, or as 20%; from the run's seed."),
      .init(
        name: "after", type: .choice([.faultDelay, occasionType]),
        summary: "How long after it was armed, or after which other occasion, it starts counting occasions."),
      .init(
        name: "connection", type: .integer(0...0x0EFF), summary: "Only this connection (default: all)."),
      .init(name: "peer", type: .text, summary: "Only the central with this address (default: any)."),
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
        summary: "A client sends that PDU, or one of these."),
      .init(
        name: "notify", type: .text, summary: "A notification of that characteristic, or any, is about to be sent."),
      .init(
        name: "indicate", type: .text, summary: "An indication of that characteristic, or any, is about to be sent."),
      .init(name: "push", type: .text, summary: "A notification or an indication is about to be sent."),
      .init(name: "subscribed", type: .text, summary: "A client has subscribed to that characteristic, or any."),
      .init(
        name: "unsubscribed", type: .text,
        summary: "A client has ended its subscription to that characteristic, or any."),
      .init(
        name: "channel-request", type: .text, summary: "A central requests a channel to that publication, or any."),
      .init(name: "channel", type: .text, summary: "A channel to that publication, or any, is open."),
      .init(name: "sdu", type: .text, summary: "An SDU has arrived on a channel to that publication, or any."),
      .init(name: "at", type: .faultDelay, summary: "That long after it was armed, once."),
      .init(
        name: "every", type: .duration(.milliseconds(1)...(.seconds(8_640_000))),
        summary: "Periodically, from the time it was armed."),
    ])

  static let faultAction = KeyTable(
    name: "fault-action",
    keys: [
      .init(name: "error", type: errorType, summary: "The request is refused with that error."),
      .init(
        name: "handle", type: .integer(0...0xFFFF),
        summary: "With 'error': the attribute that the Error Response names, instead of the right one."),
      .init(name: "delay", type: .withinDay, summary: "The request is handled, or the value sent, that much later."),
      .init(name: "repeat", type: .integer(2...100), summary: "The response, or the value, is sent that many times."),
      .init(
        name: "truncate", type: .integer(1...512),
        summary: "Only the first octets of the PDU are sent, up to that many."),
      .init(name: "lengthen", type: .integer(2...600), summary: "The PDU is padded with zeros to that many octets."),
      .init(name: "value", type: .octets, summary: "The PDU has that value."),
      .init(name: "pdu", type: .octets, summary: "That PDU is sent instead."),
      .init(name: "mtu", type: .integer(0...0xFFFF), summary: "The server receive MTU in the response."),
      .init(
        name: "keep-sending", type: .integer(1...1000),
        summary: "The last notification is sent that many more times, although nobody is subscribed."),
      .init(
        name: "pause", type: .wait,
        summary: "With 'keep-sending' or 'flood': the time between two (default: 100 ms)."),
      .init(
        name: "disconnect", type: .choice([.names(FaultWords.reasons.map(\.word)), .integer(1...255)]),
        summary: "The link ends for that reason."),
      .init(
        name: "when", type: .names(FaultMoment.allCases.map(\.rawValue)),
        summary: "With 'disconnect': before the request is executed, instead of its response (during), or after it "
          + "(default)."),
      .init(name: "flood", type: .mapping("fault-flood"), summary: "It repeatedly requests something else."),
      .init(name: "result", type: .integer(1...0xFFFF), summary: "The channel is refused with that result code."),
      .init(
        name: "credits", type: .names(["withhold", "overflow"]),
        summary: "The channel's peer gets no more credits, or more than the maximum."),
      .init(
        name: "frame", type: .names(FaultFrame.allCases.map(\.rawValue)),
        summary: "A frame that violates the specification is sent."),
      .init(
        name: "services", type: .names(["change", "change-silently"]),
        summary: "A service is added or removed, with or without Service Changed."),
      .init(
        name: "service", type: .text,
        summary: "With 'services': the id of the service to remove; by default, an unknown service is added."),
      .init(
        name: "service-changed", type: .integer(1...10_000), summary: "Service Changed is indicated that many times."),
      .init(name: "keys", type: .names(["forget", "corrupt"]), summary: "The bond is deleted, or has a wrong key."),
      .init(name: "vanish", type: .upToDay, summary: "The accessory disappears for that long without disconnecting."),
      .init(name: "reboot", type: .upToDay, summary: "The accessory restarts, which takes that long."),
      .init(name: "clock-ahead", type: .clockShift, summary: "Its clock is set ahead."),
      .init(name: "clock-behind", type: .clockShift, summary: "Its clock is set back."),
      .init(
        name: "advertise", type: .choice([.names(FaultWords.advertising), .mapping("fault-advertising")]),
        summary: "It advertises wrong data."),
    ])

  static let faultFlood = KeyTable(
    name: "fault-flood",
    keys: [
      .init(
        name: "with", type: .names(FaultFlood.allCases.map(\.rawValue)), summary: "What it requests.", isRequired: true
      ),
      .init(name: "times", type: .integer(1...1000), summary: "How often (default: 20)."),
    ])

  static let faultAdvertising = KeyTable(
    name: "fault-advertising",
    keys: [
      .init(name: "data", type: .octets, summary: "The advertising data, 1 to 31 octets."),
      .init(name: "name", type: .text, summary: "The name in the advertising data."),
    ])
}
