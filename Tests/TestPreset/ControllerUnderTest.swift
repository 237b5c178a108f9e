import Foundation
import VirtualRadio

extension ControllerConfiguration {
  /// The controller of the tests' accessories, unless a test requests another: `full`, or the preset in the environment variable
  /// `UNDERSTUDY_TEST_PRESET`, so that the same tests run on other controllers. `zephyr` is short for
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

  /// Whether it has extended advertising, and so several sets. Tests that need sets are skipped on controllers without it.
  package var hasAdvertisingSets: Bool { advertisingSetCount > 0 }

  /// The controller with parameter lengths checked. Without the check, a command that a line has truncated is executed with other
  /// parameters, which cannot be detected: H4 has no checksum.
  package var checkingLengths: ControllerConfiguration {
    var copy = self
    copy.deviations.remove(.ignoresParameterLength)
    return copy
  }
}
