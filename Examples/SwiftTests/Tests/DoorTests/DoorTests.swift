import Testing
import UnderstudyTesting

@Test func theDoorTellsWhenItOpens() throws {
  let air = TestAir()
  let door = try air.accessory("sensor.yaml")
  let app = try air.central("app")
  try app.connect(to: door)
  try app.subscribe(to: "door")
  air.isReachable = false
  try app.expect(.disconnected(code: 0x08))
  air.isReachable = true
  try app.connect(to: door)
  #expect(try app.read("battery-level").int == 100)
}
