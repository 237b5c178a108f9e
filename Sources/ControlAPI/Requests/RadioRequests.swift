import AccessoryProfile
import HTTPTypes
import Understudy
import VirtualRadio

/// What requests say about the virtual radio.
enum RadioRequests {
  /// The controller of a path segment, which may join later.
  static func name(_ segment: String) throws(Refusal) -> String {
    guard RadioHub.isName(segment) else {
      throw Refusal(.notFound, "no controller is ever called \(segment) (known: \(RadioHub.names))")
    }
    return segment
  }

  /// What is to happen on a path: `{"loss": 0.2, "ber": 1e-5, "rssi": -80, "reachable": false}`, where `loss` may also be
  /// a pattern such as `"LL..."`. What is not said is as it is on a good path.
  static func path(_ body: ProfileValue?) throws(Refusal) -> PathImpairment {
    var impairment = PathImpairment()
    for (field, value) in try fields(body, known: PathImpairment.fieldNames) {
      do throws(ImpairmentFieldError) {
        try impairment.set(field, to: text(value))
      } catch {
        throw Refusal(.badRequest, "\(error)")
      }
    }
    return impairment
  }

  /// What is to be wrong with a controller: `{"latency_ms": 5, "hung": true, "buffers": 2}`.
  static func controller(_ body: ProfileValue?) throws(Refusal) -> ControllerImpairment {
    var impairment = ControllerImpairment()
    for (field, value) in try fields(body, known: ["latency_ms", "hung", "buffers"]) where value != .null {
      do throws(ImpairmentFieldError) {
        if field == "latency_ms" {
          guard let milliseconds = value.number, (0...60_000).contains(milliseconds) else {
            throw ImpairmentFieldError(field: field, reason: "wants a number from 0 to 60000")
          }
          impairment.latency = .microseconds(Int64((milliseconds * 1000).rounded()))
        } else {
          try impairment.set(field, to: text(value))
        }
      } catch {
        throw Refusal(.badRequest, "\(error)")
      }
    }
    return impairment
  }

  /// How a restart is announced: `{"notice": "silent"}`, `"nop"`, `"hardware-error"` with a `code`, or `"assertion"` with a
  /// `file` and a `line`.
  static func notice(_ body: ProfileValue?) throws(Refusal) -> RestartNotice {
    let fields = try JSONBody.fields(body, known: ["notice", "code", "file", "line"])
    switch fields["notice"] {
    case nil, .string("silent"): return .silently
    case .string("nop"): return .nop
    case .string("hardware-error"):
      guard case .int(let number) = fields["code"] ?? .int(0), let code = UInt8(exactly: number) else {
        throw Refusal(.badRequest, "code wants a number from 0 to 255")
      }
      return .hardwareError(code)
    case .string("assertion"):
      guard case .string(let file) = fields["file"] ?? .string("virtual.c") else {
        throw Refusal(.badRequest, "file wants a text")
      }
      guard case .int(let number) = fields["line"] ?? .int(1), let line = UInt32(exactly: number) else {
        throw Refusal(.badRequest, "line wants a whole number")
      }
      return .zephyrAssertion(file: file, line: line)
    default:
      throw Refusal(.badRequest, "notice is unknown (known: silent, nop, hardware-error, assertion)")
    }
  }

  /// The fields of a body that must be there, by their names.
  private static func fields(
    _ body: ProfileValue?, known: [String]
  ) throws(Refusal) -> [(field: String, value: ProfileValue)] {
    guard body != nil else {
      throw Refusal(.badRequest, "an object is wanted (known: \(known.joined(separator: ", ")))")
    }
    return try JSONBody.fields(body, known: known).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// A value as the command line would have it.
  private static func text(_ value: ProfileValue) -> String {
    if case .string(let text) = value { text } else { value.jsonText }
  }
}
