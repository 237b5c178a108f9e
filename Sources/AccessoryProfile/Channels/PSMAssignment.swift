import BLECore
import BLEGATT
import BLEL2CAP

extension Profile {
  /// Returns the profile with a fixed PSM for every channel, which is also the value of the characteristic that contains it. Fixed PSMs
  /// stay, automatic channels get the lowest free ones, and the others get random ones of the rest. Channels for which no PSM is left are
  /// removed.
  ///
  /// A channel in `kept` gets its earlier PSM again, unless that is the fixed PSM of another channel.
  public func assigningPSMs(
    keeping kept: [String: UInt16] = [:], random: inout some RandomNumberGenerator
  ) -> Profile {
    var profile = self
    for index in channels.indices {
      guard let psm = kept[channels[index].id], SPSM.dynamicRange.contains(psm) else { continue }
      if case .fixed = channels[index].psm { continue }
      if !profile.channels.contains(where: { $0.psm == .fixed(psm) }) { profile.fix(psm, ofChannel: index) }
    }
    profile = profile.assigningAutomaticPSMs()
    profile.assignPSMs(.drawn) { Int(random.next() % UInt64($0)) }
    profile.channels.removeAll { if case .fixed = $0.psm { false } else { true } }
    return profile
  }

  /// Returns the profile with all PSMs that are the same at every start. Channels with random PSMs have none yet, nor have those for which
  /// none is left.
  public func assigningAutomaticPSMs() -> Profile {
    var profile = self
    profile.assignPSMs(.automatic) { _ in 0 }
    return profile
  }

  /// Assigns PSMs to the channels with that choice. `pick` returns an index below a count.
  private mutating func assignPSMs(_ choice: PSMChoice, pick: (Int) -> Int) {
    var free = SPSM.dynamicRange.filter { psm in !channels.contains { $0.psm == .fixed(psm) } }
    for index in channels.indices where channels[index].psm == choice && !free.isEmpty {
      let psm = free.remove(at: pick(free.count))
      fix(psm, ofChannel: index)
    }
  }

  private mutating func fix(_ psm: UInt16, ofChannel index: Int) {
    channels[index].psm = .fixed(psm)
    if let id = channels[index].psmCharacteristic { setPSM(psm, of: id) }
  }

  private mutating func setPSM(_ psm: UInt16, of characteristic: String) {
    for index in behaviors.indices where behaviors[index].id == characteristic {
      behaviors[index].source = .constant(.int(Int64(psm)))
    }
    for service in services.indices {
      for place in services[service].characteristics.indices
      where services[service].characteristics[place].id == characteristic {
        services[service].characteristics[place].value = .stored(ChannelDefinition.psmOctets(psm))
      }
    }
  }
}

extension ChannelDefinition {
  /// Encodes a PSM as a characteristic value.
  public static func psmOctets(_ psm: UInt16) -> [UInt8] { [UInt8(psm & 0xFF), UInt8(psm >> 8)] }

  /// The channel for the host to publish; nil until the PSM is assigned.
  public var published: PublishedChannel? {
    guard case .fixed(let psm) = psm else { return nil }
    return PublishedChannel(
      psm: SPSM(rawValue: psm),
      parameters: ChannelParameters(mtu: mtu, mps: mps, credits: credits.map { .frames($0) } ?? .standard),
      requirement: AccessRequirement(
        protection: protection, minimumKeySize: minimumKeySize, needsAuthorization: authorization != nil),
      authorization: authorization ?? .denied, maximumChannels: maximumChannels,
      transports: transports)
  }
}
