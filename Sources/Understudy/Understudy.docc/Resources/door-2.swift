import Testing
import UnderstudyTesting

@Test func theAppComesBack() throws {
  let air = TestAir()
  let door = try air.accessory("sensor.yaml")
  let app = try air.central("app")
  try app.connect(to: door)
  try app.subscribe(to: "door")
}
