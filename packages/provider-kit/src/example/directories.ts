import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { millis } from '@stead/world'
import * as kit from '../index.ts'
import { Type } from '../type.ts'

const capabilities: kit.Capabilities = {
  sources: ['services'],
  launch: { idempotency: { mode: 'name' } },
  consistency: { describe: millis(0), list: millis(0) },
  groups: {},
}

/** What is written in a server's directory, beside the directory that is its disk. */
interface Kept {
  readonly server: kit.ServerInfo
  readonly fingerprint: string
}

/** What the file system says, in the words of the contract. */
const failed = (what: string, codes: Record<string, kit.ProviderErrorCode>) => (cause: NodeJS.ErrnoException) => {
  throw new kit.ProviderError(codes[cause.code ?? ''] ?? 'Internal', `${what}: ${cause.message}`, { cause })
}

/** A server is a directory, named by the token of its launch. What it does when it runs is left to the reader. */
export const directories = kit.defineProvider({
  kind: 'directories',
  configuration: Type.Object({ root: Type.String({ minLength: 1 }) }),
  credentials: Type.Object({}),

  async connect({ configuration: { root }, owner, world }): Promise<kit.Provider> {
    /** Gone and unreachable are different: without its root, this provider knows nothing. */
    async function begin({ signal }: kit.CallOptions = {}): Promise<void> {
      signal?.throwIfAborted()
      await stat(root).catch(failed(root, { ENOENT: 'Unavailable', EACCES: 'Unavailable' }))
    }

    async function read(id: string, options?: kit.CallOptions): Promise<Kept> {
      await begin(options)
      // An id is a name in the root: one that comes from outside must not walk through the file system.
      if (!/^\w[\w.-]*$/.test(id)) throw new kit.ProviderError('NotFound', `"${id}" is no id of a server`)
      const file = join(root, id, 'kept.json')
      return JSON.parse(await readFile(file, 'utf8').catch(failed(`server ${id}`, { ENOENT: 'NotFound' })))
    }

    async function write(directory: string, kept: Kept): Promise<kit.ServerInfo> {
      await writeFile(join(directory, 'next.json'), JSON.stringify(kept))
      await rename(join(directory, 'next.json'), join(directory, 'kept.json')) // never half of it
      return kept.server
    }

    /** A draft is renamed into place: either all of a server is there, or nothing is. */
    async function make(kept: Kept): Promise<kit.ServerInfo> {
      const draft = await mkdtemp(join(root, '.draft-'))
      await mkdir(join(draft, 'disk'))
      await write(draft, kept)
      try {
        await rename(draft, join(root, kept.server.id)).catch(failed(kept.server.id, { ENOTEMPTY: 'Conflict' }))
      } catch (error) {
        await rm(draft, { recursive: true })
        throw error
      }
      return kept.server
    }

    async function turn(id: string, state: 'running' | 'stopped', options?: kit.CallOptions): Promise<kit.ServerInfo> {
      const kept = await read(id, options)
      kit.assertOwned(kept.server, owner.controlPlane)
      return write(join(root, id), { ...kept, server: { ...kept.server, state } })
    }

    const describe = async (id: string, options?: kit.CallOptions) => (await read(id, options)).server

    return {
      capabilities: () => capabilities,

      async catalog(options) {
        await begin(options)
        return { flavors: [], images: [], capacity: null }
      },

      async launch(spec, token, options) {
        await begin(options)
        kit.admitLaunch(spec, owner, capabilities)
        const services = spec.source.type === 'services' ? Object.entries(spec.source.services) : []
        if (services.some(([, { image }]) => image !== 'none'))
          throw new kit.ProviderError('InvalidConfig', 'a directory runs no image: say "none"')
        const server: kit.ServerInfo = {
          id: token,
          state: spec.power === 'on' ? 'running' : 'stopped',
          launchedAt: world.now(),
          addresses: { private: [], public: [] },
          endpoints: [],
          services: Object.fromEntries(
            services.map(([name]) => [name, { state: 'unknown', ready: false, restarts: 0 }]),
          ),
          tags: spec.tags,
        }
        const fingerprint = kit.launchFingerprint(spec)
        const find = async () => {
          const earlier = await read(token)
          return { value: earlier.server, fingerprint: earlier.fingerprint }
        }
        return kit.createByName({ token, fingerprint, find, make: () => make({ server, fingerprint }) })
      },

      async terminate(id, options) {
        try {
          kit.assertOwned(await describe(id, options), owner.controlPlane)
          const gone = join(root, `.gone-${id}`) // at one moment it is there, at the next it is not
          await rename(join(root, id), gone).catch(failed(`server ${id}`, { ENOENT: 'NotFound' }))
          await rm(gone, { recursive: true })
        } catch (error) {
          if (!kit.isProviderError(error, 'NotFound')) throw error
        }
      },

      stop: (id, options) => turn(id, 'stopped', options),
      start: (id, options) => turn(id, 'running', options),
      describe,

      async *list(filter, options) {
        kit.checkFilter(filter)
        await begin(options)
        const names = (await readdir(root)).filter(name => !name.startsWith('.'))
        const gone = (error: unknown) => (kit.isProviderError(error, 'NotFound') ? [] : Promise.reject(error))
        const servers = await Promise.all(names.map(id => describe(id, options).catch(gone)))
        yield servers.flat().filter(server => kit.matchesFilter(server, filter))
      },

      async close() {},
    }
  },
})
