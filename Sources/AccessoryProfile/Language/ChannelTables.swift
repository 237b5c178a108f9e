import BLEL2CAP

extension Language {
  static let channelTables = [channel, psmCharacteristic, sinkHandler, sinkOptions, sourceHandler, sourceOptions]

  /// Handlers that are one word.
  static let plainHandlers = ["echo", "sink", "source", "rules", "pty"]

  /// Handlers that name a place behind a colon.
  static let placedHandlers = "file:PATH, tcp:HOST:PORT, unix:PATH or pty:LINK"

  static let channel = KeyTable(
    name: "channel",
    keys: [
      .init(name: "id", type: .text, summary: "Its name in the control API.", isRequired: true),
      .init(
        name: "psm", type: .choice([.names(["auto", "new"]), .integer(1...255)]),
        summary: "auto (the lowest free one from 0x80 on) if not given, new (another one at every start), or a number."),
      .init(name: "mtu", type: .integer(23...65_535), summary: "The longest SDU it takes, 2048 if not given."),
      .init(
        name: "mps", type: .integer(23...65_533), summary: "The longest payload of one frame, 1000 if not given."),
      .init(
        name: "credits", type: .integer(1...65_535),
        summary:
          "How many frames a central may send before it must wait, at the start and later; enough for 64 KiB if not given."
      ),
      .init(
        name: "max-channels", type: .integer(1...64),
        summary: "How many channels may be open to it on one link, 32 if not given."),
      .init(
        name: "security", type: .names(["none", "encrypted", "authenticated", "secure-connections"]),
        summary: "What a central's link must be to open it; none if not given."),
      keySize,
      .init(
        name: "authorization", type: .names(ChannelAuthorization.words),
        summary: "Who decides whether a central may open it; nobody has to if not given."),
      .init(
        name: "psm-characteristic", type: .mapping("psm-characteristic"),
        summary: "The characteristic where apps find the PSM."),
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
      .init(name: "id", type: .text, summary: "Its name in the control API; the channel's with -psm if not given."),
      .init(name: "uuid", type: .uuid, summary: "Its UUID; the one that Apple publishes for it if not given."),
      .init(
        name: "security", type: .names(["none", "encrypted", "authenticated", "secure-connections"]),
        summary: "What a reader's link must be; none if not given."),
      .init(
        name: "indicate", type: .boolean, summary: "Whether subscribers learn of another PSM; false if not given."),
    ])

  static let sinkHandler = KeyTable(
    name: "sink-handler",
    keys: [.init(name: "sink", type: .mapping("sink-options"), summary: "Takes everything.", isRequired: true)])

  static let sinkOptions = KeyTable(
    name: "sink-options",
    keys: [
      .init(name: "rate", type: .integer(1...1_000_000_000), summary: "Octets per second it takes at the most."),
      .init(name: "hash", type: .boolean, summary: "Whether it computes the SHA-256; false if not given."),
    ])

  static let sourceHandler = KeyTable(
    name: "source-handler",
    keys: [.init(name: "source", type: .mapping("source-options"), summary: "Sends by itself.", isRequired: true)])

  static let sourceOptions = KeyTable(
    name: "source-options",
    keys: [
      .init(
        name: "pattern", type: .names(ChannelSource.Pattern.allCases.map(\.rawValue)),
        summary: "What the octets are; counter if not given."),
      .init(
        name: "sdu", type: .integer(1...65_535), summary: "Octets of one SDU; as many as the peer takes if not given."),
      .init(
        name: "length", type: .integer(1...1_000_000_000_000),
        summary: "Octets in all, then the channel is closed; for ever if not given."),
      .init(
        name: "rate", type: .integer(1...1_000_000_000),
        summary: "Octets per second; as fast as the peer takes them if not given."),
    ])
}
