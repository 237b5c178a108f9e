// `import Understudy` alone imports everything that its declarations refer to.
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
@_exported import UnderstudyCore
@_exported import VirtualRadio
