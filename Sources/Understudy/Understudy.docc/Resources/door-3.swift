import Testing
import UnderstudyTesting

@Test func theAppComesBack() throws {
  let air = TestAir()
  let door = try air.accessory("sensor.yaml")
  let app = try air.central("app")
  try app.connect(to: door)
  try app.subscribe(to: "door")
  try door.set("door", to: 1)
  try app.expect(.value(of: "door", 1), within: .seconds(3))
}
