import BLECore
import Glibc
import Simulation

/// Runs seeds for another process. It reports the beginning and the end of each seed, the findings and the observations on lines of
/// standard output.
package enum SwarmWork {
  /// The real time that one run may take, in seconds. After that, SIGALRM ends the process.
  private static let mostSeconds: CUnsignedInt = 300

  /// Runs seeds by calling `run` for each.
  package static func run(_ seeds: ClosedRange<UInt64>, _ run: (UInt64) throws -> SwarmRun) {
    for seed in seeds {
      tell("begin \(seed)")
      attempt { try run(seed) }
      tell("end \(seed)")
    }
  }

  /// Runs a plan.
  package static func run(_ plan: SwarmPlan, explores: Bool) {
    attempt { try SwarmRun(plan, explores: explores) }
  }

  private static func attempt(_ run: () throws -> SwarmRun) {
    alarm(mostSeconds)
    do {
      let run = try run()
      for finding in run.findings { tell("finding \(finding.line)") }
      for line in run.sightings.lines { tell("saw \(line)") }
    } catch SimulationFailure.controllerFailed(let reason) {
      // The profile needs something that the controller does not support.
      tell("left-out \(reason)")
    } catch {
      tell("finding \(Finding("start", "it could not start: \(error)").line)")
    }
    alarm(0)
  }

  private static func tell(_ line: String) {
    print(line)
    fflush(nil)
  }
}
