import BLECore
import BLECryptography
import BLEHCI

extension CommandTable {
  static let encryptionCommands: [CommandEntry] = [
    complete(LEEncrypt.self) { _, command in
      LEEncrypt.ReturnParameters {
        // HCI sends the least significant octet first; the cipher expects the most significant one first.
        $0.encrypted = AESBlock.encrypt(key: command.key.reversed(), command.plaintext.reversed()).reversed()
      }
    },
    begun(LEEnableEncryption.self) { controller, command throws(Refusal) in
      let (link, end) = try controller.existing(command.connectionHandle)
      let isBusy = end.encryption.isHolding || end.waiting.contains(where: \.encrypts)
      try controller.require(end.side == .central && !isBusy && !end.isTerminating, .commandDisallowed)
      let parameters = EncryptionParameters(
        random: command.random, encryptedDiversifier: command.encryptedDiversifier, longTermKey: command.longTermKey)
      controller.air.start(.encryption(parameters), at: end, over: link)
    },
    onConnection(LELongTermKeyRequestReply.self, \.connectionHandle) {
      controller, command, link, end throws(Refusal) in
      try controller.require(end.encryption.asksHost, .commandDisallowed)
      controller.air.beginEncryption(longTermKey: command.longTermKey, at: end, over: link)
    },
    onConnection(LELongTermKeyRequestNegativeReply.self, \.connectionHandle) {
      controller, command, link, end throws(Refusal) in
      try controller.require(end.encryption.asksHost, .commandDisallowed)
      controller.air.refuseEncryption(.pinOrKeyMissing, at: end, over: link)
    },
  ]

  static let payloadTimeoutCommands: [CommandEntry] = [
    complete(HCIReadAuthenticatedPayloadTimeout.self, handleFirst: true) { controller, command throws(Refusal) in
      let classic = controller.classic?.link(command.connectionHandle)?.end
      let timeout =
        if let classic {
          classic.authenticatedPayloadTimeout
        } else {
          try controller.existing(command.connectionHandle).end.authenticatedPayloadTimeout
        }
      return HCIReadAuthenticatedPayloadTimeout.ReturnParameters {
        $0.connectionHandle = command.connectionHandle
        $0.timeout = timeout
      }
    },
    complete(HCIWriteAuthenticatedPayloadTimeout.self, handleFirst: true) { controller, command throws(Refusal) in
      let answer = ConnectionReturn { $0.connectionHandle = command.connectionHandle }
      if let (_, end) = controller.classic?.link(command.connectionHandle) {
        try controller.require(command.timeout.rawValue > 0)
        end.authenticatedPayloadTimeout = command.timeout
        return answer
      }
      let (link, end) = try controller.existing(command.connectionHandle)
      // The timeout must cover the time that the peripheral may sleep (7.3.94).
      let sleep = link.timing.interval * (Int(link.timing.latency) + 1)
      try controller.require(command.timeout.rawValue > 0 && command.timeout.duration >= sleep)
      controller.air.changePayloadTimeout(at: end, of: link, to: command.timeout)
      return answer
    },
  ]
}
