import BLECore
import BLEGAP
import BLEGATT
import Faults

/// An accessory as a profile file describes it, checked and ready to run.
public struct Profile: Sendable {
  /// The file as the user named it.
  public var file: String
  /// The accessory's name: 1...248 octets of UTF-8.
  public var name: String
  /// What the accessory is, for people; empty where the profile does not say.
  public var about: String
  /// The heading under which lists of profiles have it; empty where the profile does not say.
  public var group = ""
  /// Under which address it is known.
  public var identity: IdentityPolicy
  /// Whether it hides behind private addresses.
  public var privacy = PrivacyPolicy()
  /// What it looks like.
  public var appearance: Appearance
  /// Its advertising sets; without any in the file, one legacy set.
  public var advertising: [AdvertisingSetDefinition]
  /// Those of the sets whose data follow from values.
  public var liveAdvertising: [LiveAdvertisement] = []
  /// When it sleeps.
  public var sleep = SleepPlan()
  /// How people use it, for those who start it; empty where the profile does not say.
  public var instructions = ""
  /// What it wants of its connections.
  public var connection: ConnectionPolicy
  /// How it pairs and bonds.
  public var security: SecurityDefinition
  /// Its services without Generic Access and Generic Attribute, which the host adds.
  public var services: [ServiceDefinition]
  /// What the host does for clients that remember the services.
  public var gatt: GATTPolicy
  /// What the characteristics do, in the order in which `services` declares them: the order of `CharacteristicIndex`.
  public var behaviors: [CharacteristicBehavior]
  /// The L2CAP channels that it publishes.
  public var channels: [ChannelDefinition]
  /// The programs that play a part of it.
  public var programs: [ProgramDefinition] = []
  /// Records that control points find.
  public var tables: [RecordTable]
  /// The formats of values that it names, by their names.
  public var formats: [String: ValueFormat]
  /// What clients may use only when they are authorized.
  public var authorizations: [AuthorizationScope: AuthorizationPolicy]
  /// What it does by itself with the servers of centrals.
  public var clientSteps: [ClientStep]
  /// What it does by itself when something happens.
  public var rules: [Rule] = []
  /// The names of its states; it begins in the first.
  public var states: [String] = []
  /// What its rules remember.
  public var variables: [Variable] = []
  /// What it does wrong on purpose.
  public var faults: [Fault] = []
  /// What the author should know although the profile can be used.
  public var warnings: [Diagnostic]

  /// Loads a profile as `understudy run` takes it: a file, the name of a shipped profile, or `-` for standard input. `settings` change
  /// keys and parameters of it, one after the other. Throws all that is wrong with it at once; a file that cannot be read is one error.
  public static func load(_ profile: String, settings: [ProfileSetting] = []) throws(ProfileError) -> Profile {
    try load(contentsOf: ShippedProfiles.path(named: profile) ?? profile, settings: settings)
  }

  /// Loads a profile file, a shipped profile by its path, or what standard input holds where the path is `-`. Throws all that is
  /// wrong with it at once; a file that cannot be read is one error. `settings` change keys and parameters of it, one after the other.
  public static func load(
    contentsOf path: String, settings: [ProfileSetting] = []
  ) throws(ProfileError) -> Profile {
    if let text = ShippedProfiles.text(at: path) ?? ShippedScenarios.text(at: path) {
      return try load(text: text, file: path, settings: settings)
    }
    let name = path == "-" ? "standard input" : path
    switch path == "-" ? FileReading.standardInput() : FileReading.text(at: path) {
    case .success(let text): return try load(text: text, file: name, settings: settings)
    case .failure(let error):
      throw ProfileError(diagnostics: [
        Diagnostic(file: name, line: 1, column: 1, severity: .error, message: error.reason, sourceLine: "")
      ])
    }
  }

  /// Loads a profile from its text; `file` is what messages call it. Throws all that is wrong with it at once.
  public static func load(
    text: String, file: String = "profile.yaml", settings: [ProfileSetting] = []
  ) throws(ProfileError) -> Profile {
    let source = SourceFile(name: file, text: text)
    let (root, faults) = YAMLReader.read(text, source: source)
    var loader = ProfileLoader(source: source, diagnostics: faults)
    let prepared = root.map { loader.prepared($0, settings) }
    let profile = prepared.flatMap { loader.profile($0) }
    let diagnostics = loader.sortedDiagnostics
    guard var profile, !loader.hasError else {
      throw ProfileError(diagnostics: diagnostics, omitted: loader.omitted)
    }
    profile.warnings = diagnostics
    return profile
  }
}
