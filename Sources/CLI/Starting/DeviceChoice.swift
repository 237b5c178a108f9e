import ArgumentParser
import Glibc
import Simulation

/// A device that the user chooses from those that advertise.
enum DeviceChoice {
  /// Lists the devices that advertise, and lets the user choose one. Returns its address.
  static func made(with central: ScriptedCentral) throws -> String {
    Terminal.note("listening for 5 s")
    let devices = HeardDevices(try central.scan(for: .seconds(5))).devices
    for (number, device) in devices.enumerated() { Terminal.print("\(number + 1)  \(device.line)") }
    guard !devices.isEmpty else {
      Terminal.error("no device was heard: switch it on, and bring it close")
      throw ExitStatus.unavailable
    }
    guard isatty(STDIN_FILENO) == 1 else {
      Terminal.error("name one of these devices")
      throw ExitCode(64)
    }
    Terminal.print("Which one? [1-\(devices.count)]")
    guard let line = readLine(), let number = Int(line), (1...devices.count).contains(number) else {
      Terminal.error("this takes a number from 1 to \(devices.count)")
      throw ExitCode(64)
    }
    return "\(devices[number - 1].address)"
  }
}
