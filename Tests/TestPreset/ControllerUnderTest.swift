import Foundation
import VirtualRadio

extension ControllerConfiguration {
  /// The controller on which accessories of the tests are, where a test does not ask for another: `full`, or the preset that the
  /// environment variable `UNDERSTUDY_TEST_PRESET` names, so that the same tests run on other controllers:
  ///
  ///     UNDERSTUDY_TEST_PRESET=zephyr-extended swift test --skip-build --filter ConformanceTests
  public static let underTest: ControllerConfiguration = {
    guard let name = ProcessInfo.processInfo.environment["UNDERSTUDY_TEST_PRESET"] else { return .full }
    guard let preset = named(name) else {
      fatalError("UNDERSTUDY_TEST_PRESET: there is no preset \(name); known: \(presets.map(\.name))")
    }
    return preset
  }()
}
