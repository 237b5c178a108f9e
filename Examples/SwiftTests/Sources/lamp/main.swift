// A lamp on the virtual radio of this process. Bumble and other hosts join it at TCP port 7001. The program ends when the first central disconnects.
import Understudy

let profile = try Profile.load(
  text: """
    understudy: 1
    name: Lamp
    services:
      - uuid: FFF0
        characteristics:
          - { id: level, uuid: FFF1, format: u8, value: 3, properties: [read, write, notify], notify: on-change }
    """)
let loop = try PollLoop(name: "lamp")
try loop.start()
var options = AccessoryOptions()
options.radioPort = 7001
let lamp = try Accessory(profile, options: options, loop: loop)
let events = await lamp.events()
try await lamp.start()
try await lamp.setValue(7, of: "level")
for await event in events {
  print(event.json.jsonText)
  if event.name == "disconnected" { await lamp.stop() }
}
print(await lamp.end())
