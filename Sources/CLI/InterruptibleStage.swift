import ArgumentParser
import RealCentral
import Transport

extension LineStage {
  /// Returns a stage on controllers. Control-C and SIGTERM interrupt its hosts, which then disconnect before the program ends.
  static func interruptible(_ controllers: ControllerAddress...) throws -> LineStage {
    let stage: LineStage
    do throws(TransportError) { stage = try LineStage(controllers) } catch {
      Terminal.error("\(error)")
      throw ExitStatus.unavailable
    }
    let stop = StopSignal()
    Task.detached {
      await stop.wait()
      stage.interrupt()
    }
    return stage
  }
}
