import CLibYAML

/// A place in a YAML text; lines and columns count from 1.
struct YAMLPlace {
  var line: Int
  var column: Int

  init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

  fileprivate init(_ mark: yaml_mark_t) { self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }
}

/// A part of a YAML text, as the parser comes to it (YAML 1.1, 3.1.2, the serialization tree's events).
struct YAMLEvent {
  enum Kind {
    /// A scalar, and whether it stands in quotes or in a block.
    case scalar(String, isQuoted: Bool)
    case sequenceStart
    case mappingStart
    /// The end of the sequence or mapping that began last.
    case end
    /// The node that has that anchor stands here once more.
    case alias(String)
    case documentStart
    case documentEnd
    case streamEnd
  }

  var kind: Kind
  /// Where it begins.
  var place: YAMLPlace
  /// The anchor that it defines.
  var anchor: String?
}

/// What keeps a text from being YAML.
struct YAMLFault: Error {
  /// What is wrong, in the parser's words.
  var problem: String
  /// Where; an octet counted from 0 when the text has something in it that no YAML has.
  var place: Place
  /// What the parser was in the middle of, and where that begins.
  var context: (text: String, place: YAMLPlace)?

  enum Place {
    case mark(YAMLPlace)
    case octet(Int)
  }
}

/// Reads a YAML text part by part, by libyaml.
final class YAMLEventReader {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let octets: UnsafeMutableBufferPointer<UInt8>

  init(_ text: String) {
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    yaml_parser_initialize(parser)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    // The parser keeps a pointer to the text for as long as it lives.
    octets = .allocate(capacity: text.utf8.count)
    _ = octets.initialize(from: text.utf8)
    yaml_parser_set_input_string(parser, octets.baseAddress, octets.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    octets.deallocate()
  }

  /// The next part; behind the end of the stream there is none to ask for.
  func next() throws(YAMLFault) -> YAMLEvent {
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw fault }
      defer { yaml_event_delete(&event) }
      if let event = Self.event(event) { return event }
    }
  }

  /// An event in our words; nil for one that nobody needs.
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

  /// What the parser has stopped at.
  private var fault: YAMLFault {
    let problem = parser.pointee.problem.map { String(cString: $0) } ?? "there is not enough memory for it"
    guard parser.pointee.error != YAML_READER_ERROR else {
      return YAMLFault(problem: problem, place: .octet(Int(parser.pointee.problem_offset)))
    }
    let context = parser.pointee.context.map {
      (text: String(cString: $0), place: YAMLPlace(parser.pointee.context_mark))
    }
    return YAMLFault(problem: problem, place: .mark(YAMLPlace(parser.pointee.problem_mark)), context: context)
  }
}
