import AccessoryProfile
import BLEGATT
import BLELink
import HTTPTypes
import Hummingbird
import PeripheralHost
import Understudy

/// A refused request: the kind of refusal, and the reason.
struct Refusal: Error, Sendable {
  var code: RefusalCode
  /// What is refused and why, as a sentence.
  var message: String
  /// Additional fields of the answer.
  var details: [String: ProfileValue] = [:]
  /// The methods that the path does have, if the method was wrong.
  var methods: [String] = []

  init(_ code: RefusalCode, _ message: String, methods: [String] = []) {
    self.code = code
    self.message = message
    self.methods = methods
  }

  /// Creates the refusal for an error of the accessory.
  init(_ error: ControlError) { self.init(RefusalCode(error), "\(error)") }

  /// The refusal as a response.
  var response: Response {
    var fields = details
    fields["error"] = .string(message)
    fields["code"] = .string(code.rawValue)
    fields["hint"] = .string(code.hint)
    if !methods.isEmpty { fields["methods"] = .array(methods.map { .string($0) }) }
    var response = Response.json(.object(fields), status: code.status)
    if !methods.isEmpty { response.headers[.allow] = methods.joined(separator: ", ") }
    if code.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }

  /// The shape of such a response.
  static let shape = Shape.open(
    .needed("error", .text(atLeast: 1), "what is refused, and why"),
    .needed("code", .words(RefusalCode.allCases.map(\.rawValue)), "a stable code for programs"),
    .needed("hint", .text(atLeast: 1), "what to do"))
}

extension RefusalCode {
  /// Creates the code for an error of the accessory.
  init(_ error: ControlError) {
    self =
      switch error {
      case .unknownCharacteristic: .unknownCharacteristic
      case .unknownNotification: .unknownNotification
      case .unknownButton: .unknownButton
      case .unknownRemote: .unknownRemote
      case .unknownPublication: .unknownPublication
      case .unknownService: .unknownService
      case .unknownFault: .unknownFault
      case .unknownSnapshot: .unknownSnapshot
      case .tooManySnapshots: .impossible
      case .refused(let refusal): RefusalCode(refusal)
      case .question(.unknown): .unknownQuestion
      case .question(.ended): .questionEnded
      case .unsuitableValue, .question(.unsuitable): .unsuitableValue
      case .remote(let failure): RefusalCode(failure)
      case .notKept: .notKept
      case .publicationTaken, .idTaken: .alreadyThere
      case .noFreePSM, .unchangeableService: .impossible
      }
  }

  private init(_ refusal: HostRequestError) {
    self =
      switch refusal {
      case .unknownConnection: .unknownConnection
      case .unknownSet: .unknownSet
      case .unknownTicket: .unknownQuestion
      case .unknownChannel: .unknownChannel
      case .unknownPSM: .unknownPublication
      case .unknownBond: .unknownBond
      case .sduTooLong: .unsuitableValue
      case .notReady: .notReady
      case .noSubscriber: .noSubscriber
      case .psmTaken: .alreadyThere
      case .alreadyConnecting, .noClassic, .notClassic, .alreadySearching, .impossibleEdit, .nobodyToCall,
        .noFreeChannel, .channelFull, .notEncrypted,
        .noPairingQuestion, .notPairable, .noKeypresses:
        .impossible
      }
  }

  private init(_ failure: GATTFailure) {
    self =
      switch failure {
      case .tooLong, .tooFewAttributes: .unsuitableValue
      case .timedOut: .remoteSilent
      case .refused, .violation, .mismatch: .remoteFailed
      case .closed, .noConfiguration, .noSigningKey: .impossible
      }
  }
}

extension Response {
  /// Creates a response with JSON on one line.
  static func json(_ value: ProfileValue, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: value.jsonText + "\n")))
  }
}
