import BLECore
import Glibc
import Simulation

/// Runs seeds for another process. It reports the beginning and the end of each seed, the findings and the observations on lines of
/// standard output.
package enum SwarmWork {
  /// The processor time that one run may take, in seconds. After that, SIGPROF ends the process. Elapsed time would count other programs too.
  private static let mostSeconds = 300

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
    limitProcessorTime(to: mostSeconds)
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
    limitProcessorTime(to: 0)
  }

  /// Limits the processor time from now on; 0 ends the limit.
  private static func limitProcessorTime(to seconds: Int) {
    var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: seconds, tv_usec: 0))
    setitimer(CInt(ITIMER_PROF.rawValue), &timer, nil)
  }

  private static func tell(_ line: String) {
    print(line)
    fflush(nil)
  }
}
