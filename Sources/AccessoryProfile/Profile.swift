import BLECore
import BLEGAP
import BLEGATT
import BLESDP
import Faults

/// An accessory as described by a profile file, checked and ready to run.
public struct Profile: Sendable {
  /// The file, as the user named it.
  public var file: String
  /// The text from which it was loaded, and the settings that changed it.
  package var source = ProfileSource()
  /// The accessory's name: 1...248 octets of UTF-8.
  public var name: String
  /// A description for people; empty if the profile has none.
  public var about: String
  /// The heading for this profile in lists of profiles; empty if the profile gives none.
  public var group = ""
  /// The address by which peers identify the accessory.
  public var identity: IdentityPolicy
  /// The use of private addresses.
  public var privacy = PrivacyPolicy()
  /// Whether the accessory uses LE.
  public var usesLE = true
  /// How the accessory presents itself over BR/EDR; nil if it uses LE alone.
  public var classic: ClassicSettings?
  /// The accessory's service records on BR/EDR, besides those of its GATT services.
  public var serviceRecords: [BLESDP.ServiceRecord] = []
  /// The appearance that the accessory reports to clients.
  public var appearance: Appearance
  /// The advertising sets; one legacy set if the file declares none.
  public var advertising: [AdvertisingSetDefinition]
  /// The advertising sets whose data follow from values.
  public var liveAdvertising: [LiveAdvertisement] = []
  /// The times at which the accessory falls asleep and wakes up.
  public var sleep = SleepPlan()
  /// Usage instructions for the person who starts the accessory; empty if the profile has none.
  public var instructions = ""
  /// The accessory's requirements for its connections.
  public var connection: ConnectionPolicy
  /// The accessory's rules for pairing and bonding.
  public var security: SecurityDefinition
  /// The services, without Generic Access and Generic Attribute, which the host adds.
  public var services: [ServiceDefinition]
  /// The host's behavior toward clients that cache the services.
  public var gatt: GATTPolicy
  /// The behavior of the characteristics, in the order in which `services` declares them, which is the order of `CharacteristicIndex`.
  public var behaviors: [CharacteristicBehavior]
  /// The L2CAP channels that the accessory publishes.
  public var channels: [ChannelDefinition]
  /// The programs that play a part of the accessory.
  public var programs: [ProgramDefinition] = []
  /// The records that control points search.
  public var tables: [RecordTable]
  /// The named value formats, by name.
  public var formats: [String: ValueFormat]
  /// The scopes that a client may use only with authorization.
  public var authorizations: [AuthorizationScope: AuthorizationPolicy]
  /// The steps that the accessory's client performs on the servers of centrals.
  public var clientSteps: [ClientStep]
  /// The actions that the accessory performs when something happens.
  public var rules: [Rule] = []
  /// The names of the states; the first one is the initial state.
  public var states: [String] = []
  /// The variables of the rules.
  public var variables: [Variable] = []
  /// The deliberate faults.
  public var faults: [Fault] = []
  /// Where the faults are written, as `FILE:LINE`, by their ids.
  package var faultPlaces: [String: String] = [:]
  /// Problems that the author should know about, although the profile can be used.
  public var warnings: [Diagnostic]

  /// Loads a profile in the same way as `understudy run`: from a file, from a shipped profile by name, or from standard input (`-`).
  /// `settings` change its keys and parameters, in order.
  ///
  /// - Throws: All errors of the profile at once. A file that cannot be read is one error.
  public static func load(_ profile: String, settings: [ProfileSetting] = []) throws(ProfileError) -> Profile {
    try load(contentsOf: ShippedProfiles.path(named: profile) ?? profile, settings: settings)
  }

  /// Loads a profile file, a shipped profile by its path, or standard input if the path is `-`. `settings` change its keys and parameters,
  /// in order.
  ///
  /// - Throws: All errors of the profile at once. A file that cannot be read is one error.
  public static func load(
    contentsOf path: String, settings: [ProfileSetting] = []
  ) throws(ProfileError) -> Profile {
    let (text, file) = try text(at: path)
    return try load(text: text, file: file, settings: settings)
  }

  /// Returns the text of a profile file, of a shipped profile by its path, or of standard input, and its name for messages.
  package static func text(at path: String) throws(ProfileError) -> (text: String, file: String) {
    if let text = ShippedProfiles.text(at: path) ?? ShippedScenarios.text(at: path) { return (text, path) }
    let name = path == "-" ? "standard input" : path
    switch path == "-" ? FileReading.standardInput() : FileReading.text(at: path) {
    case .success(let text): return (text, name)
    case .failure(let error):
      throw ProfileError(diagnostics: [
        Diagnostic(file: name, line: 1, column: 1, severity: .error, message: error.reason, sourceLine: "")
      ])
    }
  }

  /// Loads a profile from its text. Messages refer to it as `file`.
  ///
  /// - Throws: All errors of the profile at once.
  public static func load(
    text: String, file: String = "profile.yaml", settings: [ProfileSetting] = []
  ) throws(ProfileError) -> Profile {
    try ExaminedProfile.load(text: text, file: file, settings: settings).profile
  }
}
