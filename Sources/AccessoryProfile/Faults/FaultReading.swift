import BLEGATT
import BLEL2CAP
import Faults

extension Profile {
  /// Parses a fault as in the list `faults` of a profile: `on: { read: level }, do: { error: 0x80 }`. The enclosing braces are optional.
  /// Without an id, the fault's id is `fault-` and the number.
  package func loadFault(_ text: String, number: Int) throws(ProfileValueError) -> Fault {
    let source = SourceFile(name: "", text: "")
    let trimmed = text.trimmed
    let (root, mistakes) = YAMLReader.read(trimmed.hasPrefix("{") ? String(trimmed) : "{ \(trimmed) }", source: source)
    var loader = ProfileLoader(source: source, diagnostics: mistakes)
    let fault = root.flatMap { loader.fault($0, number: number, faultNames) }
    if let error = loader.fieldError { throw error }
    guard let fault else {
      throw ProfileValueError("expected a fault such as on: { read: level }, do: { error: 0x80 }")
    }
    return fault
  }

  /// The known PSMs of the channels, by channel id.
  public var psms: [String: SPSM] {
    var psms: [String: SPSM] = [:]
    for channel in channels { if case .fixed(let psm) = channel.psm { psms[channel.id] = SPSM(rawValue: psm) } }
    return psms
  }

  var faultNames: FaultNames {
    FaultNames(characteristics: behaviors.map(\.id), channels: channels.map(\.id), services: services.map(\.id))
  }
}

extension ProfileRuntime {
  /// Loads a fault from JSON, with the keys and checks of a profile. It may refer to everything that exists now, and to `channels`.
  package func loadFault(
    _ json: ProfileValue, number: Int, channels: [String]
  ) throws(ProfileValueError) -> Fault {
    var loader = ProfileLoader(source: SourceFile(name: "", text: ""), diagnostics: [])
    let names = FaultNames(
      characteristics: behaviors.filter(\.isPresent).map(\.id), channels: channels, services: services.keys.sorted())
    let fault = loader.fault(SyntaxNode(json), number: number, names)
    if let error = loader.fieldError { throw error }
    guard let fault else { throw ProfileValueError("expected a fault with 'on' and 'do'") }
    return fault
  }
}
