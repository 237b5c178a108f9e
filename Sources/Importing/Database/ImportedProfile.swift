import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLESMP

extension ImportedDatabase {
  /// Describes the database of a profile, with the initial values of its characteristics. It leaves out their behaviours.
  package init(_ profile: Profile) {
    self.init(name: profile.name)
    about = profile.about
    if case .fixedStatic(let fixed) = profile.identity { address = fixed }
    hasPublicAddress = profile.identity == .publicAddress
    appearance = profile.appearance
    gatt.hasServiceChanged = profile.gatt.service.characteristics.contains { $0.uuid == .serviceChanged }
    gatt.hasRobustCaching = profile.gatt.hasRobustCaching
    gatt.keepsOrder = !profile.gatt.groupsByUUIDSize
    if profile.gatt.enhancedBearers > 0 {
      gatt.keys = [ImportedKey("eatt", "\(profile.gatt.enhancedBearers)")]
    }
    let pairing = profile.security.pairing
    if pairing.isPairable,
      let word = PairingWords.capabilities.first(where: { $0.capability == pairing.ioCapability })?.word
    {
      security = ImportedSecurity(pairing: word, keys: pairing.bonds ? [] : [ImportedKey("bonding", "false")])
    }
    connection.mtu = profile.connection.mtu
    connection.request = profile.connection.parameterRequest.map { request in
      ImportedConnection.Request(
        intervals: request.intervals, latency: Int(request.latency), timeout: request.timeout, delay: request.delay)
    }
    advertising = profile.advertising.filter { $0.target == nil }.map { ImportedAdvertisingSet($0) }
    let runtime = ProfileRuntime(profile: profile)
    let positions = Dictionary(profile.services.enumerated().map { ($1.id, $0) }) { first, _ in first }
    var index = 0
    for definition in profile.services {
      var service = ImportedService(id: definition.id, uuid: definition.uuid)
      service.isPrimary = definition.isPrimary
      service.includes = definition.includes.compactMap { positions[$0] }
      service.handle = definition.handle
      for characteristic in definition.characteristics {
        var imported = ImportedCharacteristic(characteristic)
        if case .asked = characteristic.value {
          imported.value = runtime.presentValue(of: CharacteristicIndex(index), at: .zero).map { .octets($0) }
        }
        service.characteristics.append(imported)
        index += 1
      }
      services.append(service)
    }
  }
}

extension ImportedAdvertisingSet {
  fileprivate init(_ set: AdvertisingSetDefinition) {
    self.init(id: set.id, data: .octets(set.data))
    isExtended = set.kind == .extended
    isConnectable = set.isConnectable
    if !set.isConnectable, set.kind == .legacy { isScannable = set.isScannable }
    scanResponse = set.scanResponse.isEmpty ? nil : .octets(set.scanResponse)
    schedule = set.schedule
  }
}

extension ImportedCharacteristic {
  fileprivate init(_ definition: CharacteristicDefinition) {
    self.init(id: definition.id, uuid: definition.uuid, properties: definition.properties)
    extendedProperties = definition.extendedProperties
    permissions = definition.permissions
    subscribing = definition.configurationPermissions.write
    maximumLength = definition.maximumLength
    hasFixedLength = definition.hasFixedLength
    if case .stored(let octets) = definition.value { value = .octets(octets) }
    handle = definition.handle.map { $0 - 1 }
    descriptors = definition.descriptors.map { descriptor in
      var imported = ImportedDescriptor(
        uuid: descriptor.uuid, value: descriptor.value, permissions: descriptor.permissions)
      imported.maximumLength = descriptor.maximumLength
      imported.aggregates = descriptor.aggregates
      imported.handle = descriptor.handle
      return imported
    }
  }
}
