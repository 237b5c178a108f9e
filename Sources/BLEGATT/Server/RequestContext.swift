import BLEATT
import BLECore

/// What the methods of one request or command share.
struct RequestContext {
  /// The request or command.
  let opcode: ATTOpcode
  /// When it is answered.
  let now: Instant
  /// The longest answer, in octets.
  let limit: Int
  /// The bearer that it came over.
  var bearer = BearerID.fixed
  /// What the application has answered already: by tickets, and at once to a request that asks it several things.
  var answers: [GivenAnswer] = []
  /// Which of the writes of a request is done, from 0.
  var step = 0
  /// Whether it is a Signed Write Command whose signature is right.
  var isSigned = false
  /// Whether the Database Hash was read.
  var hasReadHash = false

  init(opcode: ATTOpcode, now: Instant, limit: Int) {
    self.opcode = opcode
    self.now = now
    self.limit = limit
  }

  /// Whether the application's answers are kept, because one that comes later would otherwise make it answer all again.
  var keepsAnswers: Bool {
    switch opcode {
    case .readRequest, .readBlobRequest, .writeRequest, .writeCommand, .signedWriteCommand, .prepareWriteRequest: false
    default: true
    }
  }

  /// The answer to a question, where there is one.
  func given(_ question: ApplicationQuestion) -> GivenAnswer? {
    answers.isEmpty ? nil : answers.first { $0.question == question }
  }

  /// Keeps an answer for the case that another one comes later.
  mutating func keep(_ question: ApplicationQuestion, _ answer: LateAnswer, _ actions: [ApplicationAction] = []) {
    if keepsAnswers { answers.append(GivenAnswer(question: question, answer: answer, actions: actions)) }
  }
}

/// What an application is asked.
enum ApplicationQuestion: Hashable, Sendable {
  case read(CharacteristicIndex)
  /// What the write builds on that is the request's `step`, and whether it takes the value.
  case base(CharacteristicIndex, step: Int)
  case write(CharacteristicIndex, step: Int)
  case authorization(AttributeOperation, CharacteristicIndex)
}

/// An application's answer, which holds for a whole request.
struct GivenAnswer: Sendable {
  var question: ApplicationQuestion
  var answer: LateAnswer
  var actions: [ApplicationAction] = []
}

/// A request or command that cannot go on before the application has answered.
struct OpenQuestion: Sendable {
  var ticket: AnswerTicket
  var question: ApplicationQuestion
  /// The whole PDU.
  var pdu: [UInt8]
  /// The answers so far.
  var answers: [GivenAnswer]
  /// Whether it is a Signed Write Command whose signature is right.
  var isSigned = false
}

/// Why a request or command goes no further.
enum Interruption: Error {
  /// It is answered with an Error Response.
  case refusal(ATTRefusal)
  /// The application answers later.
  case awaiting(AnswerTicket, ApplicationQuestion, handle: UInt16)

  /// A refusal for that reason, with the attribute to blame.
  static func refused(_ error: ATTErrorCode, at handle: UInt16) -> Interruption {
    .refusal(ATTRefusal(error: error, handle: handle))
  }
}

/// A request that is answered with an Error Response.
struct ATTRefusal: Error {
  let error: ATTErrorCode
  let handle: UInt16
}
