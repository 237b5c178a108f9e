import AccessoryProfile
import ArgumentParser
import BLECore
import BLEGAP
import BLEHCI
import Capture
import CentralHost
import Decoding
import Glibc
import Learning
import RealCentral
import Scenarios
import Simulation
import Transport
import UnderstudyTesting

/// Writes the profile of a real accessory.
struct LearnCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "learn",
    abstract: "Write the profile of a real accessory, from the air or from captures.",
    discussion: """
      With --controller, a central listens, connects, discovers and reads, subscribes to all values, and watches them for a while. \
      It writes only subscriptions and the values that --write lists to the device. With --capture, everything comes from captures \
      of phones, sniffers or this program. Values become constants, counters, ramps, waves, clocks, or a replay of the recording. \
      Control-C ends the watching, and writes what was learnt until then.

      Exit codes: 65 the packets do not show enough, or a file is invalid, 66 no such file, 69 the controller or the device cannot be \
      used, 73 a file exists.
      """)

  @Argument(
    help: "The device: its name, its address or a service that it advertises. Without it, choose one from a list.")
  var device: String?

  @Option(help: "The central's controller.", transform: { try ControllerAddress(parsing: $0) })
  var controller: ControllerAddress?

  @Option(help: ArgumentHelp("A capture instead of a controller; may be repeated.", valueName: "file"))
  var capture: [String] = []

  @OptionGroup var output: LearntFilesArguments

  @Option(name: .customLong("for"), help: "How long to watch the values.", transform: RunningTime.parse)
  var watching: Duration = .seconds(60)

  @Option(help: "How long to listen to the advertising before connecting.", transform: RunningTime.parse)
  var listen: Duration = .seconds(10)

  @OptionGroup var pairing: DevicePairingArguments

  @Option(
    help: ArgumentHelp(
      "A file of writes to try, one on each line: CHARACTERISTIC VALUE, such as `control-point hex:01`.",
      valueName: "file"))
  var write: String?

  @OptionGroup var decryption: DecryptionArguments

  func validate() throws {
    guard (controller == nil) != capture.isEmpty else {
      throw ValidationError("give either --controller or --capture")
    }
    guard capture.isEmpty || write == nil else { throw ValidationError("--write needs --controller") }
  }

  func run() throws {
    try output.check(records: keepsRecording)
    if let controller {
      try learnFromAir(controller)
    } else {
      try learnFromCaptures()
    }
  }

  /// Whether to write the packets beside the profile. A single capture needs no copy.
  private var keepsRecording: Bool { controller != nil || capture.count > 1 }

  // MARK: - The air

  private func learnFromAir(_ controller: ControllerAddress) throws {
    var reading = DeviceReading(controller: controller, device: device, pairing)
    reading.plan.watching = watching
    reading.plan.listening = listen
    reading.plan.writes = try plannedWrites()
    let (found, records) = try reading.read()
    try output.write(found, source: "the air", keeping: records)
  }

  private func plannedWrites() throws -> [DeviceReader.PlannedWrite] {
    guard let write else { return [] }
    switch FileReading.text(at: write) {
    case .failure(let failure):
      Terminal.error("\(write) \(failure.reason)")
      throw ExitStatus.noInput
    case .success(let text):
      do throws(PlannedWriteFault) { return try DeviceReader.PlannedWrite.list(text) } catch {
        Terminal.error("\(write):\(error.line): error: \(error.reason)")
        throw ExitStatus.invalidProfile
      }
    }
  }

  // MARK: - Captures

  private func learnFromCaptures() throws {
    var observer = DeviceObserver()
    var records: [CaptureRecord] = []
    for file in capture {
      observer.beginCapture()
      var decoder = PacketDecoder()
      try CaptureReading.forEachRecord(of: .file(file), &decoder, keys: decryption.keys()) { _, record, _ in
        observer.take(record)
        if capture.count > 1 { records.keep(record) }
      }
    }
    let found = observer.found
    let candidates =
      device.map { text in found.filter { $0.fits(DeviceFilter(text)) } } ?? found.filter { !$0.server.isUnknown }
    guard let first = candidates.first else {
      Terminal.error(
        device.map { "\($0) is not in the captures" }
          ?? "the captures show no discovery of services: they must begin before the phone connects for the first time")
      for other in found.prefix(20) { Terminal.note(TerminalText("  \(other.title)")) }
      throw ExitStatus.invalidCapture
    }
    // Without a name, there must be only one device. With a name, the same device may have had several addresses.
    guard device != nil || candidates.count == 1 else {
      Terminal.error("the captures show \(candidates.count) devices: name one of them")
      for other in candidates.prefix(20) { Terminal.note(TerminalText("  \(other.title)")) }
      throw ExitCode(64)
    }
    var merged = first
    for other in candidates.dropFirst() { merged.merge(other) }
    let source = capture.joined(separator: ", ")
    if keepsRecording {
      try output.write(merged, source: source, keeping: records)
    } else {
      try output.write(merged, source: source, recording: capture.first)
    }
  }
}
