import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { defineProvider, type Provider, ProviderError, Type } from '@stead/provider-kit'
import { LocalProvider } from './client/provider.ts'
import { makeRegionDirectory } from './client/start-supervisor.ts'
import { chooseLevel, detectLocal, type LocalDetection } from './machine/detect.ts'
import type { Isolation } from './machine/levels.ts'

/** As many processes and threads as a service may have: enough for any server, few enough to survive a fork bomb. */
const defaultPids = 1_024

export const LocalConfiguration = Type.Object({
  /** Where everything of the region is kept. Made when it is not there. */
  directory: Type.String({ minLength: 1, pattern: '^/' }),
  /** `best`: what this machine offers, and at least `basic`. `none` must be said. */
  isolation: Type.Union([Type.Literal('best'), Type.Literal('full'), Type.Literal('basic'), Type.Literal('none')]),
  /** Refuses where limits on processor, memory and processes are not enforced. */
  requireLimits: Type.Optional(Type.Boolean()),
  /** Where declared ports can be reached. */
  address: Type.Optional(Type.String({ minLength: 1 })),
  pidsLimit: Type.Optional(Type.Integer({ minimum: 16 })),
  /** What services must never reach: the control plane's data, its sockets, the ports it listens on. */
  forbidden: Type.Object({ paths: Type.Array(Type.String()), ports: Type.Array(Type.Integer()) }),
})

/** Services as isolated processes on this machine. */
export const local = defineProvider({
  kind: 'local',
  configuration: LocalConfiguration,
  credentials: Type.Object({}),

  async connect({ configuration, owner, world }): Promise<Provider> {
    const {
      isolation,
      requireLimits = false,
      address = '127.0.0.1',
      pidsLimit = defaultPids,
      forbidden,
    } = configuration
    const found = await detectLocal()
    const level = chooseLevel(isolation, found)
    if (requireLimits && found.limits.missing.length > 0)
      throw new ProviderError(
        'Unsupported',
        `this region demands limits, and this machine does not enforce ${found.limits.missing.join(', ')}: ${found.advice.at(-1)}`,
      )
    makeRegionDirectory(configuration.directory)
    const directory = realpathSync(configuration.directory)
    const forbiddenPaths = [...new Set([...forbidden.paths, directory, homedir()])]
    const settings = {
      directory,
      level,
      address,
      forbiddenPaths,
      forbiddenPorts: forbidden.ports,
      pidsLimit,
      requireLimits,
    }
    return new LocalProvider({ world, owner, settings, notes: notesOn(level, found) })
  },
})

/** What a reader of the region should know. */
function notesOn(level: Isolation, found: LocalDetection): string[] {
  return [
    `isolation: ${level}`,
    found.limits.missing.length === 0
      ? `limits are enforced (cgroups ${found.limits.cgroups})`
      : `limits are not enforced for ${found.limits.missing.join(', ')}`,
    ...(level === 'full' ? [] : found.advice),
  ]
}
