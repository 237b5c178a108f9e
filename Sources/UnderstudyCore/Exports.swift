// Everything portable that the declarations of `Understudy` and `UnderstudyTesting` refer to, so that either import is enough.
@_exported import AccessoryProfile
@_exported import BLEATT
@_exported import BLECore
@_exported import BLECryptography
@_exported import BLEGAP
@_exported import BLEGATT
@_exported import BLEHCI
@_exported import BLEL2CAP
@_exported import BLELink
@_exported import BLESMP
@_exported import Faults
@_exported import PeripheralHost
