import { existsSync } from 'node:fs'
import { isProviderError } from '@stead/provider-kit'
import type { Version } from './engine/words.ts'

export type EngineName = 'docker' | 'podman'

/** Where each engine listens when nobody says otherwise, and where a user's own does. */
export function usualSockets(name: EngineName, env: NodeJS.ProcessEnv): string[] {
  const { DOCKER_HOST, XDG_RUNTIME_DIR } = env
  const own = XDG_RUNTIME_DIR ? [`${XDG_RUNTIME_DIR}/${name === 'docker' ? 'docker.sock' : 'podman/podman.sock'}`] : []
  if (name === 'podman') return ['/run/podman/podman.sock', ...own]
  const said = DOCKER_HOST?.startsWith('unix://') ? [DOCKER_HOST.slice('unix://'.length)] : []
  return [...said, '/var/run/docker.sock', ...own]
}

export interface FoundEngine {
  readonly endpoint: string
  readonly engine: EngineName
  readonly version: string
}

/** The first engine of this name that answers on one of these sockets, or why none does. */
export async function detectEngine(
  name: EngineName,
  sockets: readonly string[] = usualSockets(name, process.env),
  signal?: AbortSignal,
): Promise<FoundEngine | { readonly whyNot: string }> {
  const reasons: string[] = []
  for (const socket of sockets.filter(path => existsSync(path))) {
    // Loaded only now: most machines have no such socket.
    const { EngineClient } = await import('./engine/client.ts')
    const client = new EngineClient({ socket })
    try {
      const { Version, Components } = await client.json<Version>('GET', '/version', { signal })
      const found = engineName(Components)
      if (found === name) return { endpoint: `unix://${socket}`, engine: found, version: Version }
      reasons.push(`${socket} is ${found}`)
    } catch (error) {
      if (!isProviderError(error)) throw error
      reasons.push(error.code === 'Auth' ? `${socket} may not be opened by this user` : `${socket} does not answer`)
    } finally {
      client.close()
    }
  }
  return { whyNot: reasons.join('; ') || `there is no socket at ${sockets.join(' or ')}` }
}

export const engineName = (components: Version['Components'] = []): EngineName =>
  components.some(({ Name }) => /podman/i.test(Name)) ? 'podman' : 'docker'
