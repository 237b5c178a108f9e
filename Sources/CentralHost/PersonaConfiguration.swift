import BLECore
import BLEGAP
import BLELink

extension CentralConfiguration {
  /// Makes the central behave like those of a maker.
  package mutating func act(as persona: CentralPersona) {
    mtu = persona.mtu
    dataLength = persona.dataLength
    preferredPHY = persona.phy
    parameterPolicy =
      switch persona.rules {
      case .any: .accept
      case .apple: .acceptMeeting(.apple)
      case .apple2013: .acceptMeeting(.apple2013)
      }
  }
}

extension CentralPersona {
  /// The parameters with which it connects.
  package var linkParameters: LinkParameters { LinkParameters(intervals: intervals, timeout: timeout) }
}
