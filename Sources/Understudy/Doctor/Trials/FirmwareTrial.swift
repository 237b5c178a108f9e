import BLECore
import BLEHCI

/// Reads the controller's identity and capabilities.
struct FirmwareTrial: Trial {
  var steps: [ExaminationStep] { [.firmware] }

  private var questions: [any HCICommand] = [
    HCIReadLocalVersionInformation(), HCIReadLocalSupportedCommands(), LEReadLocalSupportedFeatures(),
  ]

  mutating func proceed(after news: TrialNews, _ state: inout ExaminationState) -> TrialAction {
    if case .answered(let exchange) = news, let refusal = learn(exchange, &state) {
      state.note(.firmware, .refused(exchange.opcode, refusal))
    }
    guard questions.isEmpty else { return .exchange(questions.removeFirst()) }
    if let identity = state.identity { state.note(.firmware, .identified(identity)) }
    return .end
  }

  /// Records an answer. Returns an error if an indispensable answer is missing.
  private mutating func learn(_ exchange: CommandExchange, _ state: inout ExaminationState) -> ErrorCode? {
    switch exchange.opcode {
    case .readLocalVersionInformation:
      guard let answer = exchange.returned(HCIReadLocalVersionInformation.self) else { return exchange.failure }
      state.identity = ControllerIdentity(
        version: answer.hciVersion, subversion: answer.hciSubversion, manufacturer: answer.manufacturer, firmware: nil)
      // Other manufacturers use this vendor command's opcode for something else.
      if answer.manufacturer == .zephyr { questions.append(ZephyrReadBuildInformation()) }
    case .readLocalSupportedCommands:
      guard let answer = exchange.returned(HCIReadLocalSupportedCommands.self) else { return exchange.failure }
      state.commands = answer.supportedCommands
    case .leReadLocalSupportedFeatures:
      guard let answer = exchange.returned(LEReadLocalSupportedFeatures.self) else { return exchange.failure }
      state.features = answer.features
    default:
      guard let answer = exchange.returned(ZephyrReadBuildInformation.self) else { break }
      let text = String(decoding: answer.text.prefix { $0 != 0 }, as: UTF8.self)
      state.identity?.firmware = text.isEmpty ? nil : text
    }
    return nil
  }
}

extension CommandExchange {
  /// The error of an exchange without a usable answer: the controller's status, or that the answer is malformed.
  var failure: ErrorCode { status == .success ? .unspecifiedError : status }
}
