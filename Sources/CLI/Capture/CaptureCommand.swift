import ArgumentParser

/// What can be done with a capture; without a further word it is shown.
struct CaptureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture",
    abstract: "Show, follow, compare and convert captures: btsnoop, btmon, pcapng, pcap, PacketLogger.",
    discussion: """
      understudy capture FILE                  a line for each packet
      understudy capture FILE --tree           all layers, fields and octets
      understudy capture FILE --filter WHICH   only some packets
      understudy capture FILE --follow 2A37    an attribute, a channel, a pairing
      understudy capture FILE --stats          counters, throughput, latencies
      understudy capture FILE --convert OUT    another format, as its ending says
      understudy capture FILE -i               the whole terminal, also live
      understudy capture --attach http://HOST:PORT    an accessory that runs with --http
      understudy capture --tap HOST CONTROLLER        the line between a host and a controller
      understudy capture timeline FILE         the connections over time
      understudy capture diff A B              what one has and the other has not

      --attach and --tap go in the place of FILE everywhere, except with diff.
      All options of the first seven: understudy capture show --help
      """,
    subcommands: [ShowCaptureCommand.self, TimelineCommand.self, CaptureDiffCommand.self],
    defaultSubcommand: ShowCaptureCommand.self)
}
