import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import BLEHCI
import BLEL2CAP
import BLESMP
import PeripheralHost

/// A change of a question that is waiting for a decision.
public enum QuestionEvent: Sendable {
  /// The question was asked.
  case asked(PendingQuestion)
  /// The question has ended.
  case ended(PendingQuestion, QuestionEnd)
}

/// An open question, as observers see it.
public struct PendingQuestion: Sendable {
  /// What is to be decided, the client that asked, and the ticket.
  public var question: Question
  /// The characteristic that it concerns; nil for channels.
  public var characteristic: CharacteristicName?
  /// The value to be written, decoded by the characteristic's format.
  public var value: ProfileValue?
  /// When it is answered automatically, since 1970.
  public var deadline: Duration
}

extension QuestionEvent {
  /// The event's name and fields.
  var described: (name: String, fields: [String: ProfileValue]) {
    switch self {
    case .asked(let pending):
      var fields = pending.fields
      fields["deadline"] = .double(pending.deadline.inSeconds)
      return ("question", fields)
    case .ended(let pending, let end): return ("question-ended", pending.fields.merging(end.json) { $1 })
    }
  }
}

extension PendingQuestion {
  /// The question for JSON: `ticket`, `connection`, `kind`, `deadline` (seconds since 1970), and what the
  /// kind needs: `characteristic` and its `uuid`; `hex` and `value` of a write; the `operation` that needs
  /// authorization; the `psm` and number of `channels`; the six `digits` of a pairing.
  public var json: ProfileValue {
    var fields = fields
    fields["deadline"] = .double(deadline.inSeconds)
    if let characteristic {
      fields["characteristic"] = .string(characteristic.id)
      fields["uuid"] = .string(characteristic.uuid.description)
    }
    return .object(fields)
  }

  fileprivate var fields: [String: ProfileValue] {
    var fields: [String: ProfileValue] = ["ticket": .int(Int64(clamping: question.ticket.number))]
    switch question.kind {
    case .read: fields["kind"] = .string("read")
    case .write(_, let octets):
      fields["kind"] = .string("write")
      fields["hex"] = .string(octets.hexadecimal)
      fields["value"] = value
    case .authorization(let operation, _):
      fields["kind"] = .string("authorization")
      fields["operation"] = .string(operation == .read ? "read" : "write")
    case .channels(let request):
      fields["kind"] = .string("channels")
      fields["psm"] = request.psm.json
      fields["channels"] = .int(Int64(request.channels))
    case .pairing(let pairing):
      fields["kind"] = .string(pairing.word)
      fields["digits"] = pairing.digits.map { .string($0) }
    }
    return question.client.connection.fields(fields)
  }
}

extension QuestionEnd {
  /// How the question ended, and what the central got.
  fileprivate var json: [String: ProfileValue] {
    switch self {
    case .answered(let answer): answer.json.merging(["end": .string("answered")]) { $1 }
    case .expired(let answer): answer.json.merging(["end": .string("timed-out")]) { $1 }
    case .pairing(let answer, let isLate):
      ["end": .string(isLate ? "timed-out" : "answered"), "accepted": .bool(answer != .refuse)]
    case .over: ["end": .string("over")]
    case .clientLeft: ["end": .string("client-gone")]
    case .abandoned: ["end": .string("abandoned")]
    }
  }
}

extension LateAnswer {
  fileprivate var json: [String: ProfileValue] {
    switch self {
    case .value(let octets): ["answer": .string(octets.hexadecimal)]
    case .accepted: ["accepted": .bool(true)]
    case .error(let code): ["error": .string("\(code)")]
    }
  }
}
