import ArgumentParser
import ControlAPI
import Glibc
import Transport
import Understudy

/// The source of packets: a file, a running accessory, or a line to a controller.
struct CaptureSourceArguments: ParsableArguments {
  @Argument(help: "The capture file; - is standard input.")
  var file: String?

  @Option(
    help: ArgumentHelp(
      """
      Show the live packets of an accessory that runs with --http. Give its name or its profile's name if you run it on \
      this machine; otherwise the address of its control API, followed by its name if several accessories run there.
      """, valueName: "name or http://host:port[/name]"),
    transform: { try AttachedAccessory(parsing: $0) })
  var attach: AttachedAccessory?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Tap the line between a host and a controller: pass everything on, and show it. Give two addresses as for --controller, \
      the host's first.
      """, valueName: "host> <controller"),
    transform: { try Self.tapped($0) })
  var tap: [ControllerAddress] = []

  func validate() throws {
    let count = (file == nil ? 0 : 1) + (attach == nil ? 0 : 1) + (tap.isEmpty ? 0 : 1)
    guard count == 1 else {
      throw ValidationError(
        count == 0 ? "give a capture file, --attach or --tap" : "a capture file, --attach and --tap exclude each other")
    }
    guard tap.isEmpty || tap.count == 2 else {
      throw ValidationError("--tap takes two addresses: the host's and the controller's")
    }
    if tap.count == 2, tap[0] == tap[1], tap[0] != .pty(link: nil) {
      throw ValidationError("--tap: host and controller cannot both be \(tap[0])")
    }
  }

  private static func tapped(_ text: String) throws -> ControllerAddress {
    let address = try ControllerAddress(parsing: text)
    switch address {
    case .virtual:
      throw ValidationError("virtual is not a line: let hosts join a radio, and tap between them and its port")
    case .auto: throw ValidationError("--tap needs the address of a port; `understudy controllers` lists them")
    default: return address
    }
  }

  /// Opens the source.
  func open() async throws -> CaptureSource {
    do {
      if let attach { return .live(try AttachedCapture.start(attach)) }
      if tap.count == 2 { return .live(try await TappedCapture.start(host: tap[0], controller: tap[1])) }
    } catch let failure as ControlClient.Failure {
      Terminal.error("\(failure)")
      throw ExitStatus.unavailable
    } catch let error as TransportError {
      Terminal.error("\(error)")
      throw ExitStatus.unavailable
    }
    return .file(file ?? "-")
  }
}
