// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "door-tests",
  // In your own package: .package(url: "…/understudy", from: "…")
  dependencies: [.package(name: "understudy", path: "../..")],
  targets: [
    .executableTarget(name: "lamp", dependencies: [.product(name: "Understudy", package: "understudy")]),
    .testTarget(name: "DoorTests", dependencies: [.product(name: "UnderstudyTesting", package: "understudy")]),
  ]
)
