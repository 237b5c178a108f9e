import CLibYAML

/// A position in a YAML text. Lines and columns count from 1.
struct YAMLPlace {
  var line: Int
  var column: Int

  init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

  fileprivate init(_ mark: yaml_mark_t) { self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }
}

/// A parser event (YAML 1.1, 3.1.2, the serialization tree's events).
struct YAMLEvent {
  enum Kind {
    /// A scalar, and whether it is quoted or in a block.
    case scalar(String, isQuoted: Bool)
    case sequenceStart
    case mappingStart
    /// The end of the last open sequence or mapping.
    case end
    /// A reference to the node with that anchor.
    case alias(String)
    case documentStart
    case documentEnd
    case streamEnd
  }

  var kind: Kind
  /// The position of its start.
  var place: YAMLPlace
  /// The anchor that it defines.
  var anchor: String?
}

/// The reason why a text is not valid YAML.
struct YAMLFault: Error {
  /// The problem, in the parser's words.
  var problem: String
  /// The position. It is an octet, counted from 0, if the text contains something that is invalid in any YAML.
  var place: Place
  /// The enclosing construct, and its start.
  var context: (text: String, place: YAMLPlace)?

  enum Place {
    case mark(YAMLPlace)
    case octet(Int)
  }
}

/// Parses a YAML text event by event, using libyaml.
final class YAMLEventReader {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let octets: UnsafeMutableBufferPointer<UInt8>

  init(_ text: String) {
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    yaml_parser_initialize(parser)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    // The parser keeps a pointer to the text during its lifetime.
    octets = .allocate(capacity: text.utf8.count)
    _ = octets.initialize(from: text.utf8)
    yaml_parser_set_input_string(parser, octets.baseAddress, octets.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    octets.deallocate()
  }

  /// Returns the next event. Must not be called after the end of the stream.
  func next() throws(YAMLFault) -> YAMLEvent {
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw fault }
      defer { yaml_event_delete(&event) }
      if let event = Self.event(event) { return event }
    }
  }

  /// Converts an event; nil if it is not needed.
  private static func event(_ event: yaml_event_t) -> YAMLEvent? {
    let data = event.data
    let place = YAMLPlace(event.start_mark)
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = data.scalar
      let value = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      let isQuoted = scalar.style != YAML_PLAIN_SCALAR_STYLE && scalar.style != YAML_ANY_SCALAR_STYLE
      return YAMLEvent(kind: .scalar(value, isQuoted: isQuoted), place: place, anchor: text(scalar.anchor))
    case YAML_SEQUENCE_START_EVENT:
      return YAMLEvent(kind: .sequenceStart, place: place, anchor: text(data.sequence_start.anchor))
    case YAML_MAPPING_START_EVENT:
      return YAMLEvent(kind: .mappingStart, place: place, anchor: text(data.mapping_start.anchor))
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .end, place: place)
    case YAML_ALIAS_EVENT: return YAMLEvent(kind: .alias(text(data.alias.anchor) ?? ""), place: place)
    case YAML_DOCUMENT_START_EVENT: return YAMLEvent(kind: .documentStart, place: place)
    case YAML_DOCUMENT_END_EVENT: return YAMLEvent(kind: .documentEnd, place: place)
    case YAML_STREAM_END_EVENT: return YAMLEvent(kind: .streamEnd, place: place)
    default: return nil
    }
  }

  private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  /// The error at which the parser has stopped.
  private var fault: YAMLFault {
    let problem = parser.pointee.problem.map { String(cString: $0) } ?? "there is not enough memory"
    guard parser.pointee.error != YAML_READER_ERROR else {
      return YAMLFault(problem: problem, place: .octet(Int(parser.pointee.problem_offset)))
    }
    let context = parser.pointee.context.map {
      (text: String(cString: $0), place: YAMLPlace(parser.pointee.context_mark))
    }
    return YAMLFault(problem: problem, place: .mark(YAMLPlace(parser.pointee.problem_mark)), context: context)
  }
}
