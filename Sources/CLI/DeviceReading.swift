import ArgumentParser
import BLECore
import BLEGAP
import BLEHCI
import Capture
import CentralHost
import Learning
import RealCentral
import Simulation
import Transport
import UnderstudyTesting

/// Options for a central that pairs with the device that it reads.
struct DevicePairingArguments: ParsableArguments {
  @Flag(help: "Pair if the device demands pairing.")
  var pair = false

  @Option(help: "The device's passkey, which it displays or which is fixed.")
  var passkey: UInt32?
}

/// A central that reads a device, on a controller.
struct DeviceReading {
  let controller: ControllerAddress
  /// The device's name, its address or a service that it advertises; nil to let the user choose.
  var device: String?
  /// The passkey to enter if the device demands one.
  var passkey: UInt32?
  /// What to do with the device; its filter is `device`.
  var plan = DeviceReader.Plan(DeviceFilter(""))

  init(controller: ControllerAddress, device: String?, passkey: UInt32?) {
    (self.controller, self.device, self.passkey) = (controller, device, passkey)
  }

  init(controller: ControllerAddress, device: String?, _ pairing: DevicePairingArguments) {
    self.init(controller: controller, device: device, passkey: pairing.passkey)
    plan.pairs = pairing.pair
  }

  /// Reads the device. Returns the observations of it, and all packets.
  ///
  /// - Throws: `ExitStatus.unavailable`, after a message, if the controller or the device cannot be used.
  func read() throws -> (device: ObservedDevice, records: [CaptureRecord]) {
    let stage = try LineStage.interruptible(controller)
    var records: [CaptureRecord] = []
    var plan = plan
    do {
      let configuration = plan.pairs ? TestCentral.configuration(.randomStatic(from: 0xCE1E)) : CentralConfiguration()
      try stage.perform(configuration) { central in
        central.user = .accepts(passkey: passkey)
        let tape = PacketTape(of: central, epoch: SystemClock.epochOfZero)
        defer { records = tape.take() }
        plan.filter = DeviceFilter(try device ?? DeviceChoice.made(with: central))
        try DeviceReader(central, plan) { Terminal.note(TerminalText($0)) }.read()
      }
    } catch let code as ExitCode { throw code } catch {
      Terminal.error("\(controller): \(TerminalText(String(describing: error)))")
      throw ExitStatus.unavailable
    }
    // The device that the central connected to comes first.
    guard let found = DeviceObserver(records).found.first(where: { !$0.links.isEmpty || $0.fits(plan.filter) }) else {
      Terminal.error("no packets of the device were received")
      throw ExitStatus.unavailable
    }
    return (found, records)
  }
}
