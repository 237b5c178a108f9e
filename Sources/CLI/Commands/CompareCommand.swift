import AccessoryProfile
import ArgumentParser
import BLECore
import BLEGAP
import CentralHost
import Learning
import RealCentral
import Simulation
import Transport
import UnderstudyTesting
import VirtualRadio

/// Compares what centrals see of a profile on different controllers, and of real devices.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare a profile on different controllers, or with the real accessory.",
    discussion: """
      A central reads the profile on the virtual radio, and then at each place that --with names: the same profile on another \
      virtual controller, or a device that a controller can reach. The output lists the differences, and why they matter. Values that \
      change by themselves, or from run to run, are not compared.

      Exit codes: 0 no difference matters, 1 a difference matters, 65 invalid profile, 69 a controller or a device cannot be used.
      """)

  /// A place to compare with the profile on the virtual radio.
  enum Place: Hashable {
    case preset(String)
    case controller(ControllerAddress)
  }

  @Argument(help: "A profile file, the name of a shipped profile, or - for standard input.")
  var profile: String

  @Option(
    help: ArgumentHelp(
      "virtual:PRESET, or the controller of a central that can reach the device; may be repeated.", valueName: "place"),
    transform: { try Self.place($0) })
  var with: [Place]

  @Option(help: "The device: its name, its address or a service that it advertises (default: the profile's name).")
  var device: String?

  @Option(name: .customLong("for"), help: "How long to watch the values.", transform: RunningTime.parse)
  var watching: Duration = .seconds(30)

  @Flag(help: "Print each difference as a line of JSON.")
  var json = false

  private static func place(_ text: String) throws -> Place {
    guard text.hasPrefix("virtual:") else { return .controller(try ControllerAddress(parsing: text)) }
    let name = String(text.dropFirst(8))
    _ = try JoiningPlace.preset(name)
    return .preset(name)
  }

  func run() throws {
    let loaded = try ProfileArguments.load(profile)
    let references: [ObservedDevice]
    do { references = try ObservedDevice.references(of: loaded, watching: watching) } catch {
      Terminal.error(TerminalText("\(loaded.name): \(String(describing: error))"))
      throw ExitStatus.unavailable
    }
    var matters = false
    for place in with {
      let differences = try differences(at: place, of: loaded, from: references)
      matters = matters || differences.contains { $0.consequence != nil }
      report(differences, at: place)
    }
    if matters { throw ExitCode(1) }
  }

  private func differences(
    at place: Place, of loaded: Profile, from references: [ObservedDevice]
  ) throws -> [DeviceDifference] {
    switch place {
    case .preset(let name):
      do {
        let controller = ControllerConfiguration.named(name) ?? .full
        return try ObservedDevice.reading(loaded, on: controller, watching: watching).differences(from: references)
      } catch {
        return [
          DeviceDifference(
            what: "the profile", reference: "used", other: "not used: \(error)",
            consequence: "no central can use it there")
        ]
      }
    case .controller(let address):
      return try deviceSeen(by: address, loaded).differences(from: references)
    }
  }

  /// Returns what a central on a controller sees of the device.
  private func deviceSeen(by address: ControllerAddress, _ loaded: Profile) throws -> ObservedDevice {
    var reading = DeviceReading(
      controller: address, device: device ?? loaded.name, passkey: loaded.security.pairing.fixedPasskey)
    reading.plan.watching = watching
    reading.plan.pairs = true
    return try reading.read().device
  }

  private func report(_ differences: [DeviceDifference], at place: Place) {
    let name =
      switch place {
      case .preset(let name): "virtual:\(name)"
      case .controller(let address): "\(address)"
      }
    guard !json else {
      for difference in differences {
        Terminal.print(
          json: [
            "place": .string(name), "what": .string(difference.what), "reference": .string(difference.reference),
            "other": .string(difference.other), "consequence": difference.consequence.map { .string($0) } ?? .null,
          ])
      }
      return
    }
    Terminal.print(TerminalText("\(name): \(differences.isEmpty ? "nothing differs" : "differs")"))
    for difference in differences { Terminal.print(TerminalText("  \(difference.text)")) }
  }
}
