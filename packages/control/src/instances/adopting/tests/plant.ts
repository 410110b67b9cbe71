import { createToken, type LaunchSpec, type Tags } from '@stead/provider-kit'
import type { SimulatedCloud } from '@stead/provider-kit/simulated'
import { expect } from 'vitest'

let planted = 0

/** Makes something in a cloud without asking anybody, with exactly these tags, and waits until it runs. */
export async function plant(cloud: SimulatedCloud, tags: Tags, source: object = {}): Promise<string> {
  // Never the same twice: its token would bring back what has been deleted.
  const name = `planted-${planted++}`
  const isMachine = !('type' in source)
  const services = { web: { ...plain, image: 'host' } }
  const spec = {
    ...{ name, power: 'on', tags },
    source: isMachine ? { type: 'machine', flavor: 'small', image: 'minimal', ...source } : { ...source, services },
  } as LaunchSpec
  const { id } = cloud.account().launch({ spec, tags, name, token: createToken(name), fingerprint: '' })
  const stateNow = () => {
    cloud.clockwork.advance()
    return cloud.account().server(id).state
  }
  await expect.poll(stateNow).toBe('active')
  return id
}

const plain = {
  ...{ role: 'main', env: {}, secretEnv: {}, files: [], ports: [], volumes: [], resources: {}, healthChecks: [] },
  ...{ dependsOn: [], restart: 'always', stopGraceSeconds: 5 },
}
