import BLEATT
import BLECore

/// The shared state of processing one request or command.
struct RequestContext {
  /// The request or command.
  let opcode: ATTOpcode
  /// The time of the answer.
  let now: Instant
  /// The maximum length of the answer, in octets.
  let limit: Int
  /// The transport of the client's link.
  let transport: LinkTransport
  /// The bearer on which it arrived.
  var bearer = BearerID.fixed
  /// The application's answers so far: by tickets, and immediate ones to a request with several questions.
  var answers: [GivenAnswer] = []
  /// The number of the current write of a request, from 0.
  var step = 0
  /// Whether it is a Signed Write Command with a valid signature.
  var isSigned = false
  /// Whether the Database Hash was read.
  var hasReadHash = false

  init(opcode: ATTOpcode, now: Instant, limit: Int, transport: LinkTransport) {
    self.opcode = opcode
    self.now = now
    self.limit = limit
    self.transport = transport
  }

  /// Whether the application's answers are kept, because otherwise a later one would require all of them again.
  var keepsAnswers: Bool {
    switch opcode {
    case .readRequest, .readBlobRequest, .writeRequest, .writeCommand, .signedWriteCommand, .prepareWriteRequest: false
    default: true
    }
  }

  /// Returns the answer to a question, if any.
  func given(_ question: ApplicationQuestion) -> GivenAnswer? {
    answers.isEmpty ? nil : answers.first { $0.question == question }
  }

  /// Keeps an answer in case another one follows later.
  mutating func keep(_ question: ApplicationQuestion, _ answer: LateAnswer, _ actions: [ApplicationAction] = []) {
    if keepsAnswers { answers.append(GivenAnswer(question: question, answer: answer, actions: actions)) }
  }
}

/// A question to an application.
enum ApplicationQuestion: Hashable, Sendable {
  case read(CharacteristicIndex)
  /// The current value, on which write number `step` of the request is based.
  case base(CharacteristicIndex, step: Int)
  case write(CharacteristicIndex, step: Int)
  case authorization(AttributeOperation, CharacteristicIndex)
}

/// An application's answer, which is valid for a whole request.
struct GivenAnswer: Sendable {
  var question: ApplicationQuestion
  var answer: LateAnswer
  var actions: [ApplicationAction] = []
}

/// A request or command that waits for the application's answer.
struct OpenQuestion: Sendable {
  var ticket: AnswerTicket
  var question: ApplicationQuestion
  /// The whole PDU.
  var pdu: [UInt8]
  /// The answers so far.
  var answers: [GivenAnswer]
  /// Whether it is a Signed Write Command with a valid signature.
  var isSigned = false
}

/// The reason why processing stops.
enum Interruption: Error {
  /// An Error Response.
  case refusal(ATTRefusal)
  /// The application answers later.
  case awaiting(AnswerTicket, ApplicationQuestion, handle: UInt16)

  /// Returns a refusal with this reason and attribute.
  static func refused(_ error: ATTErrorCode, at handle: UInt16) -> Interruption {
    .refusal(ATTRefusal(error: error, handle: handle))
  }
}

/// A request that is answered with an Error Response.
struct ATTRefusal: Error {
  let error: ATTErrorCode
  let handle: UInt16
}
