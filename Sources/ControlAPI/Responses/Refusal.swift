import AccessoryProfile
import BLEGATT
import HTTPTypes
import Hummingbird
import BLELink
import PeripheralHost
import Understudy

/// A request that is not granted: the status, and what and why.
struct Refusal: Error, Sendable {
  var status: HTTPResponse.Status
  var message: String
  /// The methods that the resource does have, where that was the mistake.
  var methods: [String] = []

  init(_ status: HTTPResponse.Status, _ message: String, methods: [String] = []) {
    self.status = status
    self.message = message
    self.methods = methods
  }

  /// What the accessory refused.
  init(_ error: ControlError) {
    let status: HTTPResponse.Status =
      switch error {
      case .unknownCharacteristic, .unknownNotification, .unknownButton, .unknownRemote, .refused(.unknownConnection),
        .refused(.unknownSet), .refused(.unknownTicket), .refused(.unknownChannel), .refused(.unknownPSM),
        .refused(.unknownBond), .unknownPublication, .unknownService, .question(.unknown):
        .notFound
      case .unsuitableValue, .question(.unsuitable), .refused(.sduTooLong), .remote(.tooLong),
        .remote(.tooFewAttributes):
        .badRequest
      case .remote(.timedOut): .gatewayTimeout
      case .remote(.refused), .remote(.violation), .remote(.mismatch): .badGateway
      case .remote(.closed), .remote(.noConfiguration), .remote(.noSigningKey): .conflict
      case .refused(.notReady), .refused(.alreadyConnecting), .refused(.noSubscriber), .refused(.impossibleEdit),
        .refused(.nobodyToCall),
        .refused(.noFreeChannel), .refused(.channelFull), .refused(.notEncrypted),
        .refused(.psmTaken), .refused(.noPairingQuestion), .refused(.notPairable), .publicationTaken, .noFreePSM,
        .idTaken, .unchangeableService, .question(.ended):
        .conflict
      }
    self.init(status, "\(error)")
  }

  /// The refusal as it goes out.
  var response: Response {
    var fields: [String: ProfileValue] = ["error": .string(message)]
    if !methods.isEmpty { fields["methods"] = .array(methods.map { .string($0) }) }
    var response = Response.json(.object(fields), status: status)
    if !methods.isEmpty { response.headers[.allow] = methods.joined(separator: ", ") }
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }
}

extension Response {
  /// JSON on one line.
  static func json(_ value: ProfileValue, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: value.jsonText + "\n")))
  }
}
