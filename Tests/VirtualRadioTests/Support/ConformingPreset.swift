import VirtualRadio

extension ControllerConfiguration {
  /// The controller without its deviations from the Core Specification, which passes on each data PDU as it arrives. `DeviationTests` and
  /// `LargePacketTests` cover the deviations.
  var conforming: ControllerConfiguration {
    var copy = self
    copy.deviations = []
    copy.fatalCommands = []
    copy.commandBuffers = nil
    copy.correctsDriftLate = false
    copy.joinsData = false
    return copy
  }
}
