import type { ProviderDefinition } from '@stead/provider-kit'
import { type CloudOptions, SimulatedCloud, simulatedProvider } from '@stead/provider-kit/simulated'
import { realWorld } from '@stead/world'
import { IdentityHouse } from '../../identity/tests/house.ts'

/** A secret that nothing else can be mistaken for. */
export const secretKey = 'a-key-that-must-never-be-seen'

/** A simulated cloud that opens to `secretKey` too. */
export function simulatedCloud(options: Partial<CloudOptions> = {}): SimulatedCloud {
  const cloud = new SimulatedCloud({ world: realWorld, ...options })
  cloud.addKey(secretKey, 'default')
  return cloud
}

/** The house with organizations `acme` and `globex`, and a simulated cloud that regions can be made of. */
export async function openRegionHouse(
  cloud = simulatedCloud(),
  options: Parameters<typeof IdentityHouse.open>[0] = {},
  provider: (cloud: SimulatedCloud) => ProviderDefinition = own => simulatedProvider(() => own),
) {
  const house = await IdentityHouse.open({
    ...options,
    providers: [provider(cloud), ...(options.providers ?? [])],
  })
  for (const name of ['acme', 'globex']) {
    await house.organization(name)
    await house.project(name, 'shop')
  }
  const region = (name: string, spec: object = {}) =>
    house.must(201, 'POST', '/v1/regions', {
      body: { name, spec: { provider: 'simulated', credentials: { key: secretKey }, ...spec } },
    })
  return { house, cloud, region }
}
