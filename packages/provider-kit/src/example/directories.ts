import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as kit from '@stead/provider-kit'
import { millis } from '@stead/world'
import Type from 'typebox'

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

/** A server is a directory, named by the token of its launch. What it does when it runs is left to the reader. */
export const directories = kit.defineProvider({
  kind: 'directories',
  configuration: Type.Object({ root: Type.String({ minLength: 1 }) }),
  credentials: Type.Object({}),

  async connect({ configuration: { root }, owner, world }): Promise<kit.Provider> {
    /** Gone and unreachable are different: without its root, this provider knows nothing. */
    async function begin({ signal }: kit.CallOptions = {}): Promise<void> {
      signal?.throwIfAborted()
      const lost = (cause: unknown) => Promise.reject(new kit.ProviderError('Unavailable', `no ${root}`, { cause }))
      await stat(root).catch(lost)
    }

    async function read(id: string, options?: kit.CallOptions): Promise<Kept> {
      await begin(options)
      const none = () => Promise.reject(new kit.ProviderError('NotFound', `there is no server ${id}`))
      // An id is a name in the root: one that comes from outside must not walk through the file system.
      return /^\w[\w.-]*$/.test(id)
        ? JSON.parse(await readFile(join(root, id, 'kept.json'), 'utf8').catch(none))
        : none()
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
      const taken = async (cause: unknown) => {
        await rm(draft, { recursive: true })
        throw new kit.ProviderError('Conflict', `${kept.server.id} is there already`, { cause })
      }
      await rename(draft, join(root, kept.server.id)).catch(taken)
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
          await rm(join(root, id), { recursive: true, force: true })
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
