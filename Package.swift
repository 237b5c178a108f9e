// swift-tools-version: 6.3
import PackageDescription

/// Every target is Swift 6, says `any` for existentials, and in CI (`UNDERSTUDY_STRICT=1`) takes warnings as errors.
let settings: [SwiftSetting] =
  [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility")]
  + (Context.environment["UNDERSTUDY_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// The targets through which packets of simulations pass. In CI (`UNDERSTUDY_OPTIMIZED=1`) the compiler optimises them in debug builds, too, so
/// that the tests take a fraction of the processor time. What it removes are only assertions, of which `Sources` has none.
let optimized: Set<String> =
  Context.environment["UNDERSTUDY_OPTIMIZED"] == nil
  ? []
  : [
    "AccessoryProfile", "BLEATT", "BLECore", "BLECryptography", "BLEGAP", "BLEGATT", "BLEHCI", "BLEL2CAP", "BLELink",
    "BLESMP", "BLESDP", "Capture", "CentralHost", "Decoding", "Faults", "PeripheralHost", "Simulation", "Swarm",
    "UnderstudyCore", "UnderstudyTesting", "Viewing", "VirtualRadio",
  ]
/// Each file has an object of its own, as SwiftPM expects of a debug build.
let optimization: SwiftSetting = .unsafeFlags([
  "-O", "-whole-module-optimization", "-num-threads", "2", "-disable-batch-mode",
])

/// One target per layer of the Core Specification; arrows point down only (docs/ARCHITECTURE.md).
func layer(
  _ name: String, _ dependencies: [Target.Dependency] = [], onLinux: [String] = [], path: String? = nil,
  exclude: [String] = []
) -> Target {
  .target(
    name: name,
    dependencies: dependencies
      + onLinux.map { .target(name: $0, condition: .when(platforms: [.linux])) },
    path: path, exclude: exclude, swiftSettings: settings + (optimized.contains(name) ? [optimization] : []))
}

/// The commit that is built, for `understudy --version`: as whoever builds it says, or as git does.
let commit =
  Context.environment["UNDERSTUDY_COMMIT"] ?? Context.gitInformation.map { String($0.currentCommit.prefix(12)) } ?? ""

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

let package = Package(
  name: "understudy",
  products: [
    .library(name: "Understudy", targets: ["Understudy"]),
    .library(name: "UnderstudyTesting", targets: ["UnderstudyTesting"]),
    .library(name: "CoreBluetoothUnderstudy", targets: ["CoreBluetoothUnderstudy"]),
    .executable(name: "understudy", targets: ["understudy"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    // Without traits it does without configuration files, and without the whole of Foundation.
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
  ],
  targets: [
    layer("BLECore"),
    layer("BLECryptography", ["BLECore", .product(name: "CryptoExtras", package: "swift-crypto")]),
    layer("BLEHCI", ["BLECore"]),
    layer("BLEL2CAP", ["BLECore"]),
    layer("BLEATT", ["BLECore"]),
    layer("BLESDP", ["BLECore"]),
    layer("BLEGATT", ["BLECore", "BLEATT"]),
    layer("BLESMP", ["BLECore", "BLECryptography"]),
    layer("BLEGAP", ["BLECore", "BLEHCI"]),
    layer("Faults", ["BLECore", "BLEATT"]),
    layer(
      "BLELink",
      ["Faults", "BLECore", "BLECryptography", "BLEHCI", "BLEL2CAP", "BLEATT", "BLESDP", "BLEGATT", "BLESMP", "BLEGAP"]),
    layer(
      "PeripheralHost",
      [
        "Faults", "BLECore", "BLECryptography", "BLEHCI", "BLEL2CAP", "BLESDP", "BLEGATT", "BLESMP", "BLEGAP",
        "BLELink",
      ]),
    layer("CentralHost", ["BLECore", "BLEHCI", "BLEL2CAP", "BLEATT", "BLEGATT", "BLESMP", "BLEGAP", "BLELink"]),
    layer("ControllerSharing", ["BLECore", "BLEHCI"]),
    layer("VirtualRadio", ["BLECore", "BLECryptography", "BLEHCI"]),
    layer(
      "Simulation",
      [
        "BLECore", "BLEHCI", "BLEL2CAP", "BLEATT", "BLEGATT", "BLESMP", "BLEGAP", "BLELink", "CentralHost",
        "PeripheralHost",
        "VirtualRadio",
      ]),
    layer("Capture", ["BLECore", "BLEHCI"]),
    layer(
      "Decoding",
      ["BLECore", "BLECryptography", "BLEHCI", "BLEL2CAP", "BLEATT", "BLESDP", "BLESMP", "BLEGAP", "Capture"]),
    layer("Viewing", ["BLECore", "Capture", "Decoding"]),
    layer(
      "AccessoryProfile",
      [
        "Faults", "BLECore", "BLECryptography", "BLEL2CAP", "BLEATT", "BLESDP", "BLEGATT", "BLESMP", "BLEGAP",
        "Capture", "Decoding", "CEmbedded",
        "CLibYAML", .product(name: "Crypto", package: "swift-crypto"),
      ]),
    layer("Linting", ["AccessoryProfile", "BLECore", "BLEGATT", "BLESMP", "BLEGAP"]),
    layer(
      "UnderstudyCore",
      [
        "AccessoryProfile", "BLEATT", "BLECore", "BLECryptography", "BLEGAP", "BLEGATT", "BLEHCI", "BLEL2CAP",
        "BLELink", "BLESDP", "BLESMP", "Faults", "PeripheralHost",
      ]),
    layer("Importing", ["AccessoryProfile", "BLECore", "BLEGAP", "BLEGATT", "BLESMP"]),
    .target(name: "CSerial"),
    .target(name: "CEmbedded"),
    .target(name: "CBuild", cSettings: [.define("UNDERSTUDY_COMMIT", to: "\"\(commit)\"")]),
    .target(name: "CHeap", path: "Benchmarks/CHeap"),
    .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
    layer("Transport", ["BLECore", "BLEHCI", "CSerial", "CUdev"]),
    layer(
      "Understudy",
      [
        "Faults", "BLECore", "BLECryptography", "BLEATT", "BLEHCI", "BLEL2CAP", "BLEGATT", "BLESMP", "BLEGAP",
        "BLELink", "PeripheralHost",
        "ControllerSharing",
        "Transport", "AccessoryProfile", "Capture", "UnderstudyCore", "VirtualRadio",
      ]),
    layer(
      "UnderstudyTesting",
      [
        "AccessoryProfile", "BLECore", "BLEATT", "BLEHCI", "BLEL2CAP", "BLEGATT", "BLESMP", "BLEGAP", "BLELink",
        "Capture", "CentralHost", "Faults", "PeripheralHost", "Simulation", "UnderstudyCore", "VirtualRadio",
      ]),
    layer(
      "Reporting",
      [
        "AccessoryProfile", "BLECore", "Capture", "Decoding", "Understudy", "Viewing",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      exclude: ["Viewer"]),
    layer(
      "CoreBluetoothUnderstudy",
      [
        "AccessoryProfile", "BLEATT", "BLECore", "BLECryptography", "BLEGAP", "BLEGATT", "BLEHCI", "BLEL2CAP",
        "BLELink", "BLESMP",
        "CentralHost", "Simulation", "UnderstudyTesting", "VirtualRadio",
      ],
      // For the folder RealTime.
      onLinux: ["Transport", "Understudy"]),
    layer(
      "Learning",
      [
        "AccessoryProfile", "BLEATT", "BLECore", "BLEGAP", "BLEGATT", "BLEHCI", "BLEL2CAP", "BLELink", "BLESMP",
        "Capture", "CentralHost", "Decoding", "Importing", "PeripheralHost", "Simulation", "UnderstudyCore",
        "UnderstudyTesting", "VirtualRadio",
      ]),
    layer(
      "RealCentral",
      [
        "AccessoryProfile", "BLECore", "BLEGAP", "BLEGATT", "BLEHCI", "BLEL2CAP", "BLELink", "BLESMP", "CentralHost",
        "PeripheralHost", "Simulation", "Transport", "UnderstudyCore", "VirtualRadio",
      ]),
    layer(
      "Proxying",
      [
        "AccessoryProfile", "BLEATT", "BLECore", "BLEGAP", "BLEHCI", "BLEL2CAP", "BLELink", "BLESMP", "CentralHost",
        "PeripheralHost", "Simulation", "UnderstudyCore",
      ]),
    layer(
      "Swarm",
      [
        "AccessoryProfile", "BLECore", "BLECryptography", "BLEATT", "BLEHCI", "BLEL2CAP", "BLESDP", "BLEGATT", "BLESMP",
        "BLEGAP",
        "BLELink",
        "Capture", "CentralHost", "ControllerSharing", "Decoding", "Faults", "PeripheralHost", "Simulation",
        "Transport",
        "Understudy", "UnderstudyTesting", "VirtualRadio",
      ]),
    layer(
      "Scenarios",
      [
        "BLECore", "BLEATT", "BLEHCI", "BLEL2CAP", "BLEGATT", "BLESMP", "BLEGAP", "BLELink", "CentralHost",
        "PeripheralHost", "VirtualRadio", "Capture", "Simulation", "Faults", "AccessoryProfile", "Transport",
        "Understudy", "UnderstudyCore", "UnderstudyTesting",
      ]),
    layer(
      "Bench",
      [
        "BLECore", "BLEATT", "BLEHCI", "BLEL2CAP", "BLEGATT", "BLESMP", "BLEGAP", "BLELink", "CentralHost",
        "PeripheralHost",
        "VirtualRadio",
        "Simulation", "AccessoryProfile", "Transport", "Understudy",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    layer(
      "ControlAPI",
      [
        "Faults", "BLECore", "BLEHCI", "BLEL2CAP", "BLEGATT", "BLESMP", "BLEGAP", "BLELink", "PeripheralHost",
        "AccessoryProfile",
        "Capture", "Decoding", "Transport",
        "Understudy", "VirtualRadio",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      exclude: ["Dashboard"]),
    .executableTarget(
      name: "understudy",
      dependencies: [
        "BLECore", "BLEGATT", "BLEHCI", "BLELink", "BLESMP", "Faults", "AccessoryProfile", "Transport", "Understudy",
        "ControlAPI", "Scenarios", "Swarm", "BLEGAP", "CentralHost", "Importing", "Learning", "Linting",
        "PeripheralHost", "Proxying", "RealCentral", "Reporting", "Simulation", "UnderstudyCore", "UnderstudyTesting",
        "VirtualRadio", "Capture", "Decoding", "Viewing", "Bench", "CBuild",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/CLI",
      swiftSettings: settings),
    // For those who work on this package; no product, so that nothing of it is shipped.
    .executableTarget(
      name: "understudy-bench",
      dependencies: [
        "BLECore", "BLEATT", "BLEHCI", "BLEL2CAP", "BLEGATT", "BLEGAP", "BLELink", "CentralHost", "PeripheralHost",
        "Faults", "VirtualRadio", "Capture", "Decoding", "Viewing", "Simulation", "AccessoryProfile", "Transport",
        "Understudy", "Bench", "Swarm", "CHeap", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/understudy-bench",
      swiftSettings: settings),
    layer(
      "FuzzTargets",
      [
        "BLECore", "BLEHCI", "BLEL2CAP", "BLEATT", "BLESDP", "BLEGATT", "BLESMP", "BLEGAP", "PeripheralHost", "BLELink",
        "CentralHost",
        "VirtualRadio",
        "Capture", "Decoding", "Viewing", "AccessoryProfile", "Importing", "Learning", "Linting",
        "Transport", "Understudy", "ControlAPI",
      ],
      path: "Fuzzing/Targets"),
    // The controller on which the tests below run.
    layer("TestPreset", ["VirtualRadio"], path: "Tests/TestPreset"),
    // The app of Tests/Interop/test_phone.py.
    .executableTarget(
      name: "phone-app", dependencies: ["CoreBluetoothUnderstudy"], path: "Tests/PhoneApp", swiftSettings: settings),
    tests("FuzzTargetsTests", ["BLECore", "FuzzTargets"]),
    tests("BLECoreTests", ["BLECore"]),
    tests("BLECryptographyTests", ["BLECore", "BLECryptography"]),
    tests("BLEHCITests", ["BLECore", "BLEHCI"]),
    tests("BLEL2CAPTests", ["BLECore", "BLEHCI", "BLEL2CAP"]),
    tests("BLEATTTests", ["BLECore", "BLEATT"]),
    tests("BLESDPTests", ["BLECore", "BLESDP"]),
    tests("BLEGATTTests", ["BLECore", "BLEATT", "BLEGATT"]),
    tests("BLESMPTests", ["BLECore", "BLECryptography", "BLESMP"]),
    tests("BLEGAPTests", ["BLECore", "BLEHCI", "BLEGAP"]),
    tests("VirtualRadioTests", ["BLECore", "BLECryptography", "BLEHCI", "VirtualRadio"]),
    tests("CaptureTests", ["BLECore", "BLEHCI", "Capture"]),
    tests("DecodingTests", ["BLECore", "BLEHCI", "BLEL2CAP", "BLEATT", "BLESMP", "Capture", "Decoding"]),
    tests("ViewingTests", ["BLECore", "BLECryptography", "BLEATT", "BLESMP", "Capture", "Decoding", "Viewing"]),
    tests(
      "AccessoryProfileTests",
      ["AccessoryProfile", "BLECore", "BLEL2CAP", "BLEATT", "BLEGATT", "BLESMP", "BLEGAP", "Capture"]),
    tests(
      "ImportingTests",
      ["AccessoryProfile", "BLECore", "BLEGAP", "BLEGATT", "BLESMP", "Importing", "PeripheralHost", "UnderstudyCore"],
      exclude: ["Examples"]),
    tests(
      "ReportingTests",
      [
        "AccessoryProfile", "BLECore", "Capture", "Decoding", "Reporting", "Scenarios", "Understudy", "Viewing",
      ]),
    tests("LintingTests", ["Linting", "AccessoryProfile", "BLECore", "BLEGAP", "UnderstudyCore"]),
    tests("TransportTests", ["Transport", "BLECore"]),
    tests(
      "CentralHostTests",
      ["BLECore", "BLEHCI", "BLEL2CAP", "BLEATT", "BLEGATT", "BLESMP", "BLEGAP", "BLELink", "CentralHost"]),
    tests(
      "SimulationTests",
      [
        "BLECore", "BLECryptography", "BLEHCI", "BLEL2CAP", "BLEATT", "BLEGATT", "BLESMP", "BLEGAP", "BLELink",
        "CentralHost",
        "PeripheralHost",
        "VirtualRadio", "TestPreset",
        "Simulation", "Transport", "Faults",
      ]),
    tests(
      "ControllerSharingTests",
      [
        "BLECore", "BLECryptography", "BLEHCI", "BLEL2CAP", "BLEATT", "BLEGATT", "BLESMP", "BLEGAP", "BLELink",
        "CentralHost",
        "PeripheralHost",
        "VirtualRadio", "TestPreset",
        "Simulation", "ControllerSharing",
      ]),
    tests(
      "ConformanceTests",
      [
        "BLECore", "BLECryptography", "BLEHCI", "BLEL2CAP", "BLEATT", "BLEGATT", "BLESDP", "BLESMP", "BLEGAP",
        "BLELink",
        "CentralHost",
        "PeripheralHost",
        "VirtualRadio", "TestPreset",
        "Simulation",
      ]),
    tests("BLELinkTests", ["BLECore", "BLEHCI", "BLECryptography", "BLESMP", "BLEGAP", "BLELink"]),
    tests(
      "PeripheralHostTests",
      [
        "Faults", "BLECore", "BLEHCI", "BLEL2CAP", "BLEATT", "BLEGATT", "BLESMP", "BLEGAP", "BLELink", "PeripheralHost",
        "VirtualRadio", "TestPreset",
      ]),
    tests(
      "UnderstudyTests",
      [
        "Faults", "BLECore", "BLECryptography", "BLEHCI", "BLEATT", "BLEL2CAP", "BLEGATT", "BLESMP", "BLEGAP",
        "BLELink", "PeripheralHost",
        "VirtualRadio",
        "Capture",
        "AccessoryProfile", "CentralHost", "ControllerSharing", "Simulation", "Transport", "Understudy",
        "UnderstudyTesting",
      ]),
    tests("UnderstudyTestingTests", ["Simulation", "UnderstudyTesting"]),
    tests(
      "CoreBluetoothUnderstudyTests",
      [
        "AccessoryProfile", "BLEGATT", "BLELink", "CoreBluetoothUnderstudy", "PeripheralHost", "Simulation", "Swarm",
        "Transport", "Understudy",
        "UnderstudyTesting",
      ], exclude: ["CoreBluetooth.tsv"]),
    tests(
      "LearningTests",
      [
        "AccessoryProfile", "BLECore", "BLEGAP", "BLEGATT", "BLEHCI", "BLELink", "Capture", "CentralHost", "Decoding",
        "Learning",
        "Linting", "PeripheralHost", "Simulation", "Swarm", "UnderstudyCore", "UnderstudyTesting", "VirtualRadio",
      ]),
    tests(
      "ProxyingTests",
      [
        "AccessoryProfile", "BLEATT", "BLECore", "BLEGAP", "BLEGATT", "BLEHCI", "BLEL2CAP", "BLELink", "Capture",
        "CentralHost", "Learning", "PeripheralHost", "Proxying", "Simulation", "Swarm", "UnderstudyTesting",
      ]),
    tests("RealCentralTests", ["AccessoryProfile", "BLECore", "RealCentral", "Simulation", "UnderstudyTesting"]),
    tests(
      "SwarmTests",
      [
        "AccessoryProfile", "BLECore", "BLEATT", "BLEHCI", "BLEL2CAP", "BLESDP", "BLEGATT", "BLESMP", "BLEGAP",
        "BLELink", "CentralHost", "Faults", "PeripheralHost", "Simulation", "Swarm", "Understudy", "UnderstudyTesting",
        "VirtualRadio",
      ]),
    tests(
      "ScenariosTests",
      [
        "Scenarios", "AccessoryProfile", "BLECore", "BLEGAP", "BLELink", "CentralHost", "Simulation", "Understudy",
        "UnderstudyTesting",
      ]),
    tests(
      "BenchTests",
      [
        "Bench", "BLECore", "BLEHCI", "BLEGAP", "AccessoryProfile", "Simulation", "Transport", "Understudy",
        "BLELink", "PeripheralHost", "VirtualRadio",
      ]),
    tests(
      "DevelopersBenchTests",
      [
        "understudy-bench", "Bench", "BLECore", "BLEHCI", "BLEGAP", "BLELink", "AccessoryProfile", "PeripheralHost",
        "Simulation", "Transport", "Understudy", "VirtualRadio",
      ]),
    tests(
      "ControlAPITests",
      [
        "BLECore", "BLEHCI", "BLEATT", "BLEGATT", "BLESMP", "BLEGAP", "BLELink", "PeripheralHost", "VirtualRadio",
        "AccessoryProfile",
        "Transport", "Understudy", "ControlAPI",
      ]),
  ]
)

// Links with libFuzzer, and so is there for `make fuzz` only.
if Context.environment["UNDERSTUDY_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: ["FuzzTargets"], path: "Fuzzing/Runner", swiftSettings: settings))
}
