import BLECore
import BLEGAP
import BLEGATT

/// Advertising data as they are loaded.
struct LoadedData {
  /// The position of the data in the file.
  var node: SyntaxNode
  /// The structures. Changing content is represented by as many zeros as its maximum length.
  var data = AdvertisingData()
  /// The changing content, by the index of its structure.
  var live: [Int: LiveDatum] = [:]

  mutating func append(_ part: LoadedStructure) {
    if let datum = part.live { live[data.structures.count] = datum }
    data.structures.append(part.structure)
  }

  /// The structures in the form that the runtime uses.
  var parts: [LiveAdvertisement.Part] {
    data.structures.enumerated().map { index, structure in
      if let datum = live[index] { return .live(datum) }
      let content = structure.content
      return .fixed([UInt8(truncatingIfNeeded: content.count + 1), structure.type.rawValue] + content)
    }
  }
}

/// The data after a company identifier or service UUID.
enum LoadedDatum {
  case octets([UInt8])
  case live(LiveDatum)
}

/// One structure and its changing content, if any.
struct LoadedStructure {
  var structure: AdvertisingStructure
  var live: LiveDatum?

  init(_ content: LoadedDatum, _ make: ([UInt8]) -> AdvertisingStructure) {
    switch content {
    case .octets(let octets): structure = make(octets)
    case .live(var datum):
      structure = make([UInt8](repeating: 0, count: datum.longest))
      datum.head = [structure.type.rawValue] + structure.content.dropLast(datum.longest)
      live = datum
    }
  }
}

extension ProfileLoader {
  /// The default of the minimum time between changes of live data.
  private static let usualPace = Duration.seconds(1)

  /// Reads the keys `data`, `format` and `max-length`: fixed octets, or data that follow from values.
  mutating func datum(_ keys: Keys) -> LoadedDatum? {
    guard let node = keys["data"] else { return nil }
    let isLive = keys["format"] != nil || node.pairs != nil
    if !isLive {
      if let key = keys.key("max-length") { error(key, "octets have a fixed length") }
      return octets(node).map { .octets($0.octets) }
    }
    let format = keys["format"].map { self.format($0) } ?? .octets
    guard let format else { return nil }
    if let reference = node.value(of: "value"), format.fields == nil { return copy(reference, node, keys) }
    guard let source = liveSource(node, format) else { return nil }
    return datum(source, format, keys, node, limit: format.longestSize)
  }

  /// Reads `{ value: ID }`: the octets of a characteristic.
  private mutating func copy(_ reference: SyntaxNode, _ node: SyntaxNode, _ keys: Keys) -> LoadedDatum? {
    guard self.keys(node, Language.advertisedValue) != nil, let index = self.reference(reference) else { return nil }
    let behavior = characteristics[index.position].behavior
    let expression = Expression(
      text: "octets(\(behavior.id))", root: .call(.octets, [.reference(.characteristic(index))]))
    return datum(.computed(expression), .octets, keys, node, limit: behavior.format.longestSize)
  }

  /// Returns the data of a source, with the maximum length that they can need.
  private mutating func datum(
    _ source: ValueSource, _ format: ValueFormat, _ keys: Keys, _ node: SyntaxNode, limit: Int?
  ) -> LoadedDatum? {
    if let octets = ValueEvaluator.constant(source, format) { return .octets(octets) }
    let given = integer(keys, "max-length").map { Int($0) }
    guard let longest = given ?? limit else {
      if keys["max-length"] == nil {
        error(node, "the maximum length is unknown: add 'max-length', or a 'format' of a fixed size")
      }
      return nil
    }
    if let given, let limit, limit < given, let place = keys["max-length"] {
      error(place, "its maximum is \(limit) octets")
    }
    return .live(LiveDatum(source: source, format: format, longest: longest))
  }

  /// Reads a value or a generator, with resolved names in its expressions.
  mutating func liveSource(_ node: SyntaxNode, _ format: ValueFormat) -> ValueSource? {
    valueExpressions = []
    guard let source = source(node, format) else { return nil }
    var nodes = valueExpressions[...]
    return resolve(source, &nodes)
  }

  /// Notes that the data of a set change, and the minimum time between changes.
  mutating func noteLive(
    _ data: LoadedData?, _ response: LoadedData?, of set: AdvertisingSetDefinition, _ keys: Keys
  ) {
    let pace = duration(keys, "refresh")
    guard data?.live.isEmpty == false || response?.live.isEmpty == false else {
      if let key = keys.key("refresh") { error(key, "no data in this set changes") }
      return
    }
    liveAdvertising.append(
      LiveAdvertisement(
        set: set.id, data: data?.parts ?? [], scanResponse: response?.parts ?? [], pace: pace ?? Self.usualPace))
  }
}

extension ValueFormat {
  /// The maximum length of a value in octets; nil if it is unlimited.
  var longestSize: Int? {
    switch self {
    case .uuid: return 16
    case .list(let member, .fixed(let count)): return member.longestSize.map { $0 * count }
    case .structure(let format):
      return format.members.reduce(0) { sum, member in
        guard let sum, let size = member.format.longestSize else { return nil }
        return sum + max(size, member.other?.format.longestSize ?? 0)
      }
    default: return fixedSize
    }
  }
}
