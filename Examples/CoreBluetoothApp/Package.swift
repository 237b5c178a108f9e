// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "core-bluetooth-app",
  // In your own package: .package(url: "…/understudy", from: "…")
  dependencies: [.package(name: "understudy", path: "../..")],
  targets: [
    .target(
      name: "BluetoothLayer", dependencies: [.product(name: "CoreBluetoothUnderstudy", package: "understudy")]),
    .testTarget(
      name: "BluetoothLayerTests",
      dependencies: [
        "BluetoothLayer", .product(name: "CoreBluetoothUnderstudy", package: "understudy"),
        .product(name: "UnderstudyTesting", package: "understudy"),
      ]),
  ]
)
