import VirtualRadio

extension ControllerConfiguration {
  /// The controller as it would be if it kept to the Core Specification everywhere, and handed on each data PDU as it
  /// comes; `DeviationTests` and `LargePacketTests` are about the rest.
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
