// `import Understudy` alone gives everything that its declarations speak of.
@_exported import AccessoryProfile
@_exported import BLEATT
@_exported import BLECore
@_exported import BLEGAP
@_exported import BLEGATT
@_exported import BLEHCI
@_exported import BLEL2CAP
@_exported import BLELink
@_exported import BLESMP
@_exported import Capture
@_exported import ControllerSharing
@_exported import Faults
@_exported import PeripheralHost
@_exported import Transport
@_exported import VirtualRadio
