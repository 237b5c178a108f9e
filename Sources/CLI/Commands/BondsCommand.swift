import AccessoryProfile
import ArgumentParser
import BLECore
import BLELink
import BLESMP
import Understudy

/// The bonds of accessories that are not running.
struct BondsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bonds",
    abstract: "List, export, import and remove the stored bonds of an accessory, or damage them on purpose.",
    discussion: """
      For an accessory that is not running; while it runs, use /v1/bonds of its control API. A bond is named by the peer's \
      address. Keys are secrets: they are shown only with --keys, and by `export`.
      """,
    subcommands: [
      List.self, Show.self, Export.self, Import.self, Remove.self, Alter.self,
    ])
}

extension BondsCommand {
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the bonds of an accessory.")

    @OptionGroup var accessory: StoredAccessoryArguments
    @OptionGroup var output: BondOutputArguments

    func run() throws {
      guard try accessory.exists() else { return output.print([]) }
      try accessory.inspect { output.print($0.bonds) }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show all details of a bond.")

    @OptionGroup var accessory: StoredAccessoryArguments
    @Argument(help: "The peer's address.") var peer: String
    @OptionGroup var output: BondOutputArguments

    func run() throws {
      try accessory.inspect { store in
        let bond = try BondSelecting.bond(peer, of: store)
        Terminal.print(output.text(of: .object(bond.report(withKeys: output.keys))))
      }
    }
  }

  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print bonds with their keys, for another program.",
      discussion: """
        json has everything in the store; wireshark has the keys for the toolbar of the nRF Sniffer for Bluetooth LE, most \
        significant octet first; bumble is Bumble's JSON key store; bluez has the info files of BlueZ, one after another.
        """)

    @OptionGroup var accessory: StoredAccessoryArguments
    @Argument(help: "The peer's address (default: all bonds).") var peer: String?
    @Option(help: "\(BondFormat.names).", transform: BondSelecting.format) var format = BondFormat.json
    @Flag(help: "Print a JSON object whose `text` is the text.") var json = false

    func run() throws {
      try accessory.inspect { store in
        let bonds = try peer.map { [try BondSelecting.bond($0, of: store)] } ?? store.bonds
        let text = format.text(of: bonds, own: store.address)
        if json {
          Terminal.print(json: .object(["format": .string(format.rawValue), "text": .string(text)]))
        } else {
          Terminal.print(TerminalText(lines: text.dropLast(text.hasSuffix("\n") ? 1 : 0)))
        }
      }
    }
  }

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import bonds made by this accessory, or by a device that it replaces.",
      discussion: """
        The keys in a file belong to the device that stored it, and the accessory takes that device's place. An \
        existing bond with the same peer is replaced.
        """)

    @OptionGroup var accessory: StoredAccessoryArguments
    @Argument(help: "The file, or - for standard input.") var file: String
    @Option(help: "json, bumble or bluez (default: detected from the content).", transform: BondSelecting.format)
    var format: BondFormat?
    @Option(
      help: "The peer's address, which BlueZ's info file does not contain (default: from the file's folder).",
      transform: BondSelecting.address)
    var peer: DeviceAddressArgument?
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
      let octets = try BondSelecting.octets(of: file)
      let format = format ?? BondFormat.guess(octets)
      let bonds = try BondSelecting.checked {
        try format.bonds(from: octets, peer: peer?.address ?? BondSelecting.folderAddress(of: file))
      }
      var store = try accessory.open().store
      for bond in bonds { store.keep(bond, at: .zero) }
      try BondSelecting.save(&store)
      BondOutputArguments.print(bonds, json: json)
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a bond on this side; the peer keeps its own.")

    @OptionGroup var accessory: StoredAccessoryArguments
    @Argument(help: "The peer's address; leave it out with --all.") var peer: String?
    @Flag(help: "Delete all bonds.") var all = false
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
      guard (peer == nil) == all else { throw ValidationError("give the peer's address, or --all") }
    }

    func run() throws {
      var store = try accessory.open().store
      let bonds = try peer.map { [try BondSelecting.bond($0, of: store)] } ?? store.bonds
      for bond in bonds { store.forget(bond.peer, at: .zero) }
      try BondSelecting.save(&store)
      BondOutputArguments.print(bonds, json: json)
    }
  }

  struct Alter: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Damage a bond on purpose, on this side only.",
      discussion: """
        wrong-ltk: changes the Long Term Key. without-ltk: removes it, so that the peer's key is unknown. short-key: shortens it to \
        --key-size octets. changed-irk: the peer is no longer recognized by its private addresses. without-subscriptions: removes its \
        Client Characteristic Configurations. second-identity: adds the same keys under a second address.
        """)

    @OptionGroup var accessory: StoredAccessoryArguments
    @Argument(help: "The peer's address.") var peer: String
    @Argument(help: ArgumentHelp("\(BondAlteration.names.joined(separator: ", ")).", valueName: "alteration"))
    var name: String
    @Option(help: "The key size of short-key in octets, 7 to 16 (default: 7).") var keySize: Int?
    @Option(help: "The address of second-identity.", transform: BondSelecting.address)
    var address: DeviceAddressArgument?
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
      var store = try accessory.open().store
      let bond = try BondSelecting.bond(peer, of: store)
      guard
        let alteration = BondAlteration(name, keySize: keySize, address: address?.address, of: bond.peer)
      else {
        throw ValidationError("there is no alteration \(name) (known: \(BondAlteration.names.joined(separator: ", ")))")
      }
      let altered = try BondSelecting.checked { try bond.altered(alteration) }
      store.keep(altered, at: .zero)
      try BondSelecting.save(&store)
      BondOutputArguments.print([altered], json: json)
    }
  }
}
