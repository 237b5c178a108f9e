// The one line of an app that changes: on a Mac or an iPhone it gets Apple's framework, on Linux the same API over a virtual or a real radio.
#if canImport(CoreBluetooth)
  @_exported import CoreBluetooth
#else
  @_exported import CoreBluetoothUnderstudy
#endif
