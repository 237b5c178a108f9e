// An app changes only this import: on a Mac or an iPhone it is Apple's framework, on Linux the same API over a virtual or a real radio.
#if canImport(CoreBluetooth)
  @_exported import CoreBluetooth
#else
  @_exported import CoreBluetoothUnderstudy
#endif
