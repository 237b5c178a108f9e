/// The files that `understudy init` creates for a folder of tests.
enum TestFolder {
  /// Returns the files by name. pip installs the Python client from `client`.
  static func files(client: String?) -> [(name: String, text: String)] {
    [
      ("accessory.yaml", profile), ("test_accessory.py", test), ("pytest.ini", configuration),
      ("requirements.txt", requirements), ("README.md", readme(client)),
    ]
  }

  /// Returns the command that installs what the tests need.
  static func installation(client: String?) -> String {
    "pip install -r requirements.txt" + (client.map { " \(NewFile.quoted($0))" } ?? "")
  }

  /// What to do if the Python client is not found.
  static let missingClient = """
    The Python client was not found next to this program. Install it too, from the wheel in share/understudy/python of a package, or from \
    Clients/python of a checkout.
    """

  private static let profile = """
    understudy: 1
    name: Door Sensor
    about: Reports whether a door is open, and accepts a nickname.
    services:
      - uuid: 6A4E0001-667B-11E3-949A-0800200C9A66
        characteristics:
          - id: door
            uuid: 6A4E0002-667B-11E3-949A-0800200C9A66
            format: u8
            properties: [read, notify]
            value: 0
            notify: on-change
          - id: nickname
            uuid: 6A4E0003-667B-11E3-949A-0800200C9A66
            format: utf8
            properties: [read, write]
            value: door
      - include: battery

    """

  private static let test = """
    \"""Tests an app against accessory.yaml, which Understudy runs. A few lines of Bumble stand in for the app.\"""

    from contextlib import asynccontextmanager

    import pytest
    from bumble.core import UUID
    from bumble.device import Device, Peer
    from bumble.hci import Address
    from bumble.transport import open_transport

    pytestmark = pytest.mark.accessory("accessory.yaml")
    DOOR = UUID("6A4E0002-667B-11E3-949A-0800200C9A66")
    NICKNAME = UUID("6A4E0003-667B-11E3-949A-0800200C9A66")


    @asynccontextmanager
    async def app(accessory):
        \"""Yields your connected app, as a Bumble peer after discovery.\"""
        async with await open_transport(accessory.air.joining[0]) as transport:
            device = Device.with_hci("App", Address("F0:F1:F2:F3:F4:F5"), transport.source, transport.sink)
            await device.power_on()
            peer = Peer(await device.connect(accessory.address))
            await peer.discover_all()
            yield peer


    async def test_app_hears_the_door(aio_accessory):
        async with app(aio_accessory) as peer:
            (door,) = peer.get_characteristics_by_uuid(DOOR)
            heard = []
            await door.subscribe(heard.append)
            await aio_accessory.expect("subscribed", characteristic="door")
            await aio_accessory["door"].set(1)
            await aio_accessory.expect("notified", value=1)
            assert await door.read_value() == b"\\x01"
            assert heard == [b"\\x01"]


    async def test_app_gives_a_nickname(aio_accessory):
        async with app(aio_accessory) as peer:
            (nickname,) = peer.get_characteristics_by_uuid(NICKNAME)
            await nickname.write_value(b"front door", with_response=True)
            await aio_accessory.expect("write", characteristic="nickname", value="front door")


    async def test_app_notices_that_the_accessory_is_out_of_reach(aio_accessory):
        async with app(aio_accessory):
            await aio_accessory.air.impair(reachable=False)
            await aio_accessory.expect("disconnected", code=0x08, within=10)

    """

  private static let configuration = """
    [pytest]
    asyncio_mode = auto
    asyncio_default_fixture_loop_scope = function

    """

  private static let requirements = """
    # The central that stands in for your app.
    bumble==0.0.236
    pytest>=8
    pytest-asyncio>=0.24
    # The client of Understudy comes with the program: README.md says how to install it.

    """

  private static func readme(_ client: String?) -> String {
    """
    # Tests against an accessory that Understudy runs

    ```sh
    python3 -m venv .venv && . .venv/bin/activate
    \(installation(client: client))
    pytest
    ```

    \(client == nil ? missingClient : "The second argument of pip is the path of the Python client, which came with Understudy. It may differ on other machines.")

    - `accessory.yaml` is the accessory: services, characteristics, values, behaviour. `understudy check accessory.yaml` reports
      its errors, `understudy describe accessory.yaml` shows it, and `understudy run accessory.yaml` runs it; with `--ephemeral`, it keeps
      no state of earlier runs.
    - `test_accessory.py` is the test: replace `app` in it with your app.
    - A board puts the accessory on the air: `understudy run accessory.yaml --controller auto`, and in a test
      `@pytest.mark.accessory(..., controller="auto")`.

    """
  }
}
