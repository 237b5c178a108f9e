import HTTPTypes

/// The stable codes of refusals, with their status and what to do.
enum RefusalCode: String, CaseIterable, Sendable {
  // The request is invalid.
  case badRequest = "bad-request"
  case badJSON = "bad-json"
  case unsuitableValue = "unsuitable-value"
  case severalAccessories = "several-accessories"
  case bodyTooLarge = "body-too-large"
  // The client is not permitted.
  case tokenNeeded = "token-needed"
  case tokenWrong = "token-wrong"
  case foreignHost = "foreign-host"
  case foreignPage = "foreign-page"
  case bridgeForbidden = "bridge-forbidden"
  // Something does not exist.
  case unknownPath = "unknown-path"
  case unknownMethod = "unknown-method"
  case noAccessory = "no-accessory"
  case unknownAccessory = "unknown-accessory"
  case noRadio = "no-radio"
  case unknownController = "unknown-controller"
  case unknownCharacteristic = "unknown-characteristic"
  case unknownConnection = "unknown-connection"
  case unknownChannel = "unknown-channel"
  case unknownPublication = "unknown-publication"
  case unknownService = "unknown-service"
  case unknownSet = "unknown-set"
  case unknownBond = "unknown-bond"
  case unknownButton = "unknown-button"
  case unknownQuestion = "unknown-question"
  case unknownNotification = "unknown-notification"
  case unknownFault = "unknown-fault"
  case unknownSnapshot = "unknown-snapshot"
  case unknownRemote = "unknown-remote"
  // Impossible in the current state.
  case notReady = "not-ready"
  case noSubscriber = "no-subscriber"
  case alreadyThere = "already-there"
  case questionEnded = "question-ended"
  case impossible = "impossible"
  case realTime = "real-time"
  case noRing = "no-ring"
  // Unmet expectations.
  case notHappened = "not-happened"
  case happened
  // Failures of the central or the program.
  case remoteFailed = "remote-failed"
  case remoteSilent = "remote-silent"
  case notKept = "not-kept"
  case tooManyStreams = "too-many-streams"
  case ending

  var status: HTTPResponse.Status {
    switch self {
    case .badRequest, .badJSON, .unsuitableValue, .severalAccessories: .badRequest
    case .tokenNeeded, .tokenWrong: .unauthorized
    case .foreignHost, .foreignPage, .bridgeForbidden: .forbidden
    case .unknownPath, .noAccessory, .unknownAccessory, .noRadio, .unknownController, .unknownCharacteristic,
      .unknownConnection, .unknownChannel, .unknownPublication, .unknownService, .unknownSet, .unknownBond,
      .unknownButton, .unknownQuestion, .unknownNotification, .unknownFault, .unknownSnapshot, .unknownRemote:
      .notFound
    case .unknownMethod: .methodNotAllowed
    case .notHappened: .requestTimeout
    case .notReady, .noSubscriber, .alreadyThere, .questionEnded, .impossible, .realTime, .noRing, .happened: .conflict
    case .bodyTooLarge: .contentTooLarge
    case .notKept: .internalServerError
    case .remoteFailed: .badGateway
    case .tooManyStreams, .ending: .serviceUnavailable
    case .remoteSilent: .gatewayTimeout
    }
  }

  /// What to do about the refusal.
  var hint: String {
    switch self {
    case .badRequest: "GET /v1/openapi.json describes every request"
    case .badJSON: "send JSON (RFC 8259) in UTF-8, such as {\"value\": 7}"
    case .unsuitableValue:
      "GET /v1/openapi.json describes every request, and the `form` in GET /v1/characteristics the values of each characteristic"
    case .severalAccessories: "use the path below /v1/accessories/NAME"
    case .bodyTooLarge: "send a smaller body"
    case .tokenNeeded: "send the header Authorization: Bearer TOKEN"
    case .tokenWrong: "use the token that the program was started with, or the one in its token file"
    case .foreignHost: "use the host 127.0.0.1, [::1] or localhost"
    case .foreignPage: "use the page that the program serves, or a program that is not a browser"
    case .bridgeForbidden: "start the program with --allow-bridge PLACE"
    case .unknownPath, .unknownMethod: "GET /v1/openapi.json lists all paths with their methods"
    case .noAccessory: "use the paths below /v1/radio, or start an accessory with `understudy run`"
    case .unknownAccessory: "GET /v1/accessories lists them"
    case .noRadio: "start the program with the controller `virtual`"
    case .unknownController: "GET /v1/radio lists them"
    case .unknownCharacteristic: "GET /v1/characteristics lists them"
    case .unknownConnection: "GET /v1/accessory lists them, and the event `connected` reports new ones"
    case .unknownChannel: "GET /v1/channels lists them"
    case .unknownPublication: "GET /v1/published lists them"
    case .unknownService: "GET /v1/services lists them"
    case .unknownSet: "GET /v1/advertising lists them"
    case .unknownBond: "GET /v1/bonds lists them"
    case .unknownButton: "GET /v1/buttons lists them"
    case .unknownQuestion: "GET /v1/questions lists them"
    case .unknownNotification: "GET /v1/notifications lists them"
    case .unknownFault: "GET /v1/faults lists them"
    case .unknownSnapshot: "GET /v1/snapshots lists them"
    case .unknownRemote: "POST …/remote/discover lists what the central has"
    case .notReady: "wait for the event `ready`"
    case .noSubscriber: "wait for the event `subscribed`"
    case .alreadyThere: "use another id, or remove the old one first"
    case .questionEnded: "answer sooner: the event `question` contains the deadline"
    case .impossible: "check the state of the object, and repeat the request when it has changed"
    case .realTime: "start with --speed fast or a factor; or keep real time for joined hosts, and wait"
    case .noRing: "run the accessory with --ring 16MB"
    case .notHappened: "see the transcript; a longer `within` or an earlier `from` may help"
    case .happened: "see the transcript"
    case .remoteFailed: "see the central's response, and GET /v1/packets"
    case .remoteSilent: "check whether the central still responds; the bearer cannot be used any more"
    case .notKept: "check the folder that --state names, and the disk"
    case .tooManyStreams: "end a stream or an expectation first"
    case .ending: "start the program again"
    }
  }
}
