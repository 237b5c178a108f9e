import ArgumentParser

/// The commands for captures. Without a subcommand, the capture is shown.
struct CaptureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture",
    abstract: "Show, follow, compare and convert captures: btsnoop, btmon, pcapng, pcap, PacketLogger.",
    discussion: """
      understudy capture FILE                  one line for each packet
      understudy capture FILE --tree           all layers, fields and octets
      understudy capture FILE --filter WHICH   only some packets
      understudy capture FILE --follow 2A37    an attribute, a channel, a pairing
      understudy capture FILE --stats          counters, throughput, latencies
      understudy capture FILE --convert OUT    another format, by extension
      understudy capture FILE -i               full-screen, also live
      understudy capture --attach NAME         an accessory that runs with --http
      understudy capture --tap HOST CONTROLLER   the line between a host and a controller
      understudy capture timeline FILE         the connections over time
      understudy capture diff A B              the differences
      understudy capture report FILE --output OUT   one HTML page: packets, values, faults

      --attach and --tap replace FILE in all of these, except in diff.
      For all options of the first seven: understudy capture show --help
      """,
    subcommands: [
      ShowCaptureCommand.self, TimelineCommand.self, CaptureDiffCommand.self, CaptureReportCommand.self,
    ],
    defaultSubcommand: ShowCaptureCommand.self)
}
