import AccessoryProfile
import ArgumentParser
import Understudy

/// The identities of accessories that are not running.
struct IdentityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity", abstract: "Show the stored identity of an accessory, or replace it with a new one.",
    subcommands: [Show.self, Rotate.self])

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show an accessory's address and the folder of its state.")

    @OptionGroup var accessory: StoredAccessoryArguments
    @Flag(help: "Print JSON.") var json = false

    func run() throws { try accessory.inspect { IdentityCommand.print($0, json: json) } }
  }

  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give an accessory a new identity: a new address and Identity Resolving Key, and no bonds.",
      discussion: """
        The files of the bonds are set aside. An address that the profile sets, or that is the controller's own, cannot be \
        replaced.
        """)

    @OptionGroup var accessory: StoredAccessoryArguments
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
      var (profile, store) = try accessory.open()
      if let reason = profile.identity.reasonToStay {
        Terminal.error("\(reason)")
        throw ExitStatus.invalidProfile
      }
      var random = SystemRandomNumberGenerator()
      let aside: [String]
      do throws(StateFailure) { aside = try store.rotateIdentity(profile, random: &random) } catch {
        throw StoredAccessoryArguments.report(error)
      }
      IdentityCommand.print(store, json: json, aside: aside)
    }
  }

  private static func print(_ store: StateStore, json: Bool, aside: [String] = []) {
    let address = store.address.map { "\($0)" }
    if json {
      return Terminal.print(
        json: .object([
          "address": address.map { .string($0) } ?? .null, "folder": .string(store.path),
          "bonds": .int(Int64(store.bonds.count)), "aside": .array(aside.map { .string($0) }),
        ]))
    }
    Terminal.print(
      TerminalText("\(address ?? "the controller's public address"), in \(store.path), \(store.bonds.count) bonds"))
    for name in aside { Terminal.print(TerminalText("set aside: \(name)")) }
  }
}
