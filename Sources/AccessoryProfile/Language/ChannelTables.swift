import BLEL2CAP

extension Language {
  static let channelTables = [channel, psmCharacteristic, sinkHandler, sinkOptions, sourceHandler, sourceOptions]

  /// The handlers that consist of a single word.
  static let plainHandlers = ["echo", "sink", "source", "rules", "pty"]

  /// The handlers that have an address after a colon.
  static let placedHandlers = "file:PATH, tcp:HOST:PORT, unix:PATH or pty:LINK"

  static let channel = KeyTable(
    name: "channel",
    keys: [
      .init(name: "id", type: .text, summary: "Its name in the control API.", isRequired: true),
      .init(
        name: "psm", type: .choice([.names(["auto", "new"]), .integer(1...255)]),
        summary: "auto (the lowest free PSM from 0x80, the default), new (a different one at every start), or a "
          + "number."),
      .init(name: "mtu", type: .integer(23...65_535), summary: "The longest SDU that it receives (default: 2048)."),
      .init(
        name: "mps", type: .integer(23...65_533), summary: "The longest payload of one frame (default: 1000)."),
      .init(
        name: "credits", type: .integer(1...65_535),
        summary:
          "How many frames a central may send before it must wait for credits, initially and later (default: "
          + "enough for 64 KiB)."
      ),
      .init(
        name: "max-channels", type: .integer(1...64),
        summary: "How many channels to it may be open on one link (default: 32)."),
      .init(
        name: "security", type: .names(["none", "encrypted", "authenticated", "secure-connections"]),
        summary: "The security that the central's link needs to open it (default: none)."),
      keySize,
      .init(
        name: "authorization", type: .names(ChannelAuthorization.words),
        summary: "Who decides whether a central may open it (default: no authorization is needed)."),
      transports,
      .init(
        name: "psm-characteristic", type: .mapping("psm-characteristic"),
        summary: "The characteristic that gives apps the PSM."),
      .init(
        name: "handler",
        type: .choice([.names(plainHandlers), .mapping("sink-handler"), .mapping("source-handler"), .text]),
        summary: "echo, sink, source, rules, pty, \(placedHandlers).", isRequired: true),
    ])

  static let psmCharacteristic = KeyTable(
    name: "psm-characteristic",
    keys: [
      .init(
        name: "service", type: .text, summary: "A service of this profile by its id or UUID, or the UUID of a new one.",
        isRequired: true),
      .init(name: "id", type: .text, summary: "Its name in the control API (default: the channel's with -psm)."),
      .init(name: "uuid", type: .uuid, summary: "Its UUID (default: the one that Apple defines for this)."),
      .init(
        name: "security", type: .names(["none", "encrypted", "authenticated", "secure-connections"]),
        summary: "The security that a reader's link needs (default: none)."),
      .init(
        name: "indicate", type: .boolean,
        summary: "Whether subscribers get an indication of a new PSM (default: false)."),
    ])

  static let sinkHandler = KeyTable(
    name: "sink-handler",
    keys: [.init(name: "sink", type: .mapping("sink-options"), summary: "Accepts everything.", isRequired: true)])

  static let sinkOptions = KeyTable(
    name: "sink-options",
    keys: [
      .init(name: "rate", type: .integer(1...1_000_000_000), summary: "The maximum octets per second that it accepts."),
      .init(name: "hash", type: .boolean, summary: "Whether it computes the SHA-256 (default: false)."),
    ])

  static let sourceHandler = KeyTable(
    name: "source-handler",
    keys: [.init(name: "source", type: .mapping("source-options"), summary: "Sends data by itself.", isRequired: true)])

  static let sourceOptions = KeyTable(
    name: "source-options",
    keys: [
      .init(
        name: "pattern", type: .names(ChannelSource.Pattern.allCases.map(\.rawValue)),
        summary: "The content (default: counter)."),
      .init(
        name: "sdu", type: .integer(1...65_535), summary: "Octets in one SDU (default: as many as the peer accepts)."),
      .init(
        name: "length", type: .integer(1...1_000_000_000_000),
        summary: "Octets in all, after which the channel is closed (default: unlimited)."),
      .init(
        name: "rate", type: .integer(1...1_000_000_000),
        summary: "Octets per second (default: as fast as the peer accepts them)."),
    ])
}
