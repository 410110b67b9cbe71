import { readFileSync } from 'node:fs'
import type { Provider, PullSecret } from '@stead/provider-kit'
import { plainService } from '@stead/provider-kit/contract'
import { describeWith } from '@stead/testing'
import { ContainerEngine, dockerEngine, podmanEngine } from '@stead/testing/engines'
import { realWorld as world } from '@stead/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { docker } from './definition.ts'
import { orderOf, owner, printed, services, until } from './tests/region.ts'
import { closedHost, login, openHost, type Registry, startRegistry } from './tests/registry.ts'

for (const kind of [dockerEngine, podmanEngine])
  describeWith(kind.name, `images that ${kind.name} pulls`, () => {
    let engine: ContainerEngine
    let registry: Registry
    const providers: Provider[] = []

    /** An image whose `/which` says which it is. */
    const push = (name: string, which: string) => {
      const content = readFileSync('/bin/busybox')
      const programs = ['sh', 'sleep', 'cat'].map(program => ({ path: `bin/${program}`, content, mode: 0o755 }))
      return registry.push(name, [...programs, { path: 'which', content: Buffer.from(which), mode: 0o644 }])
    }
    const connect = async (registries: readonly PullSecret[] = []) => {
      const configuration = { endpoint: engine.endpoint, hostAccess: 'allowed' as const }
      const provider = await docker.connect({
        configuration,
        credentials: { registries: [...registries] },
        owner,
        world,
      })
      providers.push(provider)
      return provider
    }
    const sourceOf = (image: string, pullSecret?: PullSecret) =>
      services({
        main: plainService(image, {
          ...{ command: ['sleep', '600'], stopGraceSeconds: 0 },
          ...(pullSecret && { pullSecret }),
        }),
      })
    async function runs(provider: Provider, image: string, pullSecret?: PullSecret): Promise<string> {
      const { spec, token } = orderOf(sourceOf(image, pullSecret))
      const { id } = await provider.launch(spec, token)
      await until(provider, id, 'running')
      const which = await printed(provider, id, ['cat', '/which'])
      await provider.terminate(id)
      return which
    }
    /** Why a launch came to nothing: at once where the engine can ask its registry, else once it has tried. */
    async function problemOf(provider: Provider, image: string, pullSecret?: PullSecret): Promise<string> {
      const { spec, token } = orderOf(sourceOf(image, pullSecret))
      try {
        const { id } = await provider.launch(spec, token)
        const { stateReason = '' } = await until(provider, id, 'stopped')
        await provider.terminate(id)
        return stateReason
      } catch (error) {
        expect(error).toMatchObject({ code: 'InvalidConfig', retryable: false })
        return (error as Error).message
      }
    }

    beforeAll(async () => {
      engine = await ContainerEngine.start(kind)
      registry = await startRegistry(engine)
    }, 120_000)
    afterAll(async () => {
      for (const provider of providers) await provider.close()
      registry?.close()
      await engine?.close()
    }, 120_000)

    test('tell how far they are, and a digest is what it says whatever becomes of its tag', {
      timeout: 120_000,
    }, async () => {
      const provider = await connect()
      const image = `${openHost}/team/app`
      const first = await push('team/app:1', 'first')
      await registry.hold()
      const { spec, token } = orderOf(sourceOf(`${image}:1`))
      const events = provider.watch!({ tags: spec.tags })[Symbol.asyncIterator]()
      await events.next() // it is open
      const { id } = await provider.launch(spec, token)
      for (let told = ''; !told.startsWith(`pulling ${image}:1`); ) {
        const { value } = await events.next()
        if (value?.type === 'change') told = value.server?.stateReason ?? ''
      }
      await events.return?.()
      expect((await provider.describe(id)).state).toBe('pending')
      await registry.release()
      await until(provider, id, 'running')
      await push('team/app:1', 'second')
      await push('team/app:2', 'second')
      expect(await printed(provider, id, ['cat', '/which'])).toBe('first')
      expect(await runs(provider, `${image}:2`)).toBe('second')
      expect(await runs(provider, `${image}@${first}`)).toBe('first')
      await provider.terminate(id)
    })

    test('that are not to be had are refused by name', { timeout: 120_000 }, async () => {
      const provider = await connect()
      await push('team/app:1', 'first')
      expect(await problemOf(provider, `${openHost}/team/nothing:1`)).toContain(`${openHost}/team/nothing`)
      const wrong = `sha256:${'0'.repeat(64)}`
      expect(await problemOf(provider, `${openHost}/team/app@${wrong}`)).toContain(wrong)
    })

    test('come with the credentials of the region or of the service, and those are shown nowhere', {
      timeout: 120_000,
    }, async () => {
      const own = { server: closedHost, ...login }
      const wrong = { ...own, password: 'a-guess-of-mine' }
      const image = `${closedHost}/hidden/app:1`
      await push('hidden/app:1', 'hidden')
      const [stranger, guesser, reader] = [await connect(), await connect([wrong]), await connect([own])]
      for (const provider of [stranger, guesser]) {
        const problem = await problemOf(provider, image)
        expect(problem).toContain(closedHost)
        expect(problem).not.toContain(wrong.password)
      }
      const { spec, token } = orderOf(sourceOf(image, own))
      const { id } = await stranger.launch(spec, token)
      await until(stranger, id, 'running')
      const all = await engine.call<{ Id: string }[]>('GET', '/containers/json?all=true')
      const inspected = await Promise.all(all.map(({ Id }) => engine.call('GET', `/containers/${Id}/json`)))
      const shown = JSON.stringify([all, inspected, await engine.call('GET', '/volumes')])
      expect(shown).toContain(id)
      for (const encoding of ['utf8', 'base64', 'hex'] as const)
        expect(shown).not.toContain(Buffer.from(login.password).toString(encoding).replace(/=+$/, ''))
      await stranger.terminate(id)
      await push('hidden/app:2', 'hidden too')
      expect(await runs(reader, `${closedHost}/hidden/app:2`)).toBe('hidden too')
    })
  })
