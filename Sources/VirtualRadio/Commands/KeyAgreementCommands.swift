import BLECore
import BLECryptography
import BLEHCI

extension CommandTable {
  static let keyAgreementCommands: [CommandEntry] = [
    begun(LEReadLocalP256PublicKey.self) { controller, _ throws(Refusal) in
      // From a seeded generator, so that runs are reproducible: the agreed key is not secret.
      guard let pair = KeyPair(random: &controller.random) else { throw Refusal(.hardwareFailure) }
      controller.state.keyPair = pair
      controller.send(LEReadLocalP256PublicKeyComplete { $0.publicKey = pair.publicKey.octets })
    },
    begun(LEGenerateDHKey.self) { controller, command throws(Refusal) in
      try controller.agree(controller.state.keyPair, command.remotePublicKey)
    },
    begun(LEGenerateDHKeyV2.self) { controller, command throws(Refusal) in
      try controller.require(command.keyType <= 1)
      try controller.agree(
        command.keyType == 1 ? KeyPair.debug : controller.state.keyPair, command.remotePublicKey)
    },
  ]
}

extension VirtualController {
  /// Computes the shared secret (Core 5.4 Vol 4 Part E 7.8.37). The peer's key is only validated here.
  func agree(_ pair: KeyPair?, _ publicKey: [UInt8]) throws(Refusal) {
    guard let pair else { throw Refusal(.commandDisallowed) }
    let secret = pair.sharedSecret(with: PublicKey(octets: publicKey))
    send(
      LEGenerateDHKeyComplete {
        $0.status = secret == nil ? .invalidHCICommandParameters : .success
        $0.dhKey = secret ?? Array(repeating: 0xFF, count: 32)
      })
  }
}
