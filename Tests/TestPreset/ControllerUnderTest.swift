import Foundation
import VirtualRadio

extension ControllerConfiguration {
  /// The controller on which accessories of the tests are, where a test does not ask for another: `full`, or the preset that the
  /// environment variable `UNDERSTUDY_TEST_PRESET` names, so that the same tests run on other controllers. `zephyr` is short for
  /// `zephyr-extended`.
  ///
  ///     UNDERSTUDY_TEST_PRESET=zephyr swift test --skip-build --filter ConformanceTests
  package static let underTest: ControllerConfiguration = {
    guard let name = ProcessInfo.processInfo.environment["UNDERSTUDY_TEST_PRESET"], !name.isEmpty else { return .full }
    guard let preset = named(name == "zephyr" ? "zephyr-extended" : name) else {
      fatalError("UNDERSTUDY_TEST_PRESET: there is no preset \(name); known: \(presets.map(\.name))")
    }
    return preset
  }()

  /// Whether it has extended advertising, and so several sets. Tests that need them are not run on controllers that are as 4.0.
  package var hasAdvertisingSets: Bool { advertisingSetCount > 0 }

  /// The controller, but with the lengths of parameters checked. Where they are not, a command that a line has cut short is carried
  /// out with other parameters, which nobody can notice: H4 has no checksum.
  package var checkingLengths: ControllerConfiguration {
    var copy = self
    copy.deviations.remove(.ignoresParameterLength)
    return copy
  }
}
