import { createToken, ownerTags, type Provider } from '@stead/provider-kit'
import { describeWith } from '@stead/testing'
import { ContainerEngine, dockerEngine, podmanEngine } from '@stead/testing/engines'
import { newId, realWorld as world } from '@stead/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  askPort,
  connectOnItsMachine,
  eventually,
  orderOf,
  owner,
  printed,
  services,
  shell,
  until,
  web,
} from './tests/region.ts'

for (const kind of [dockerEngine, podmanEngine])
  describeWith(kind.name, `instances of networks on ${kind.name}`, () => {
    let engine: ContainerEngine
    let provider: Provider
    let other: Provider
    beforeAll(async () => {
      engine = await ContainerEngine.start(kind)
      provider = await connectOnItsMachine(engine)
      other = await connectOnItsMachine(engine)
    }, 120_000)
    afterAll(async () => {
      await provider?.close()
      await other?.close()
      await engine?.close()
    }, 120_000)

    const networkOf = async (name: string, cidr: string) => {
      const tags = ownerTags(owner)
      return (await provider.networks!.create({ name, cidr, tags }, createToken(newId(world, 'tok')))).id
    }
    const answerOf = (from: string, to: string) =>
      printed(provider, from, ['sh', '-c', `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 ${to} 8080`])
    const isHere = (from: string, to: string) =>
      eventually(`${to} to answer`, async () => (await answerOf(from, to)).includes('here'))

    test('of one network find and reach each other by name, and those of another do not', {
      timeout: 120_000,
    }, async () => {
      const [red, blue] = [await networkOf('red', '10.77.1.0/28'), await networkOf('blue', '10.77.2.0/28')]
      const launched = await Promise.all(
        Object.entries({ alice: red, bob: red, carol: blue }).map(async ([name, network]) => {
          const { spec, token } = orderOf({ ...web, network })
          // Both are the first on their engine, and bring there at once what every container has.
          const { id } = await (name === 'carol' ? other : provider).launch({ ...spec, name }, token)
          await until(provider, id, 'running')
          return id
        }),
      )
      const [alice, , carol] = launched as [string, string, string]
      const find = (from: string) => printed(provider, from, ['nslookup', 'bob'])
      // Above its answer stands whom it asked.
      const found = await eventually(
        'bob to be found',
        async () => /Name:[\s\S]*?(10\.77\.1\.\d+)/.exec(await find(alice))?.[1],
      )
      await isHere(alice, found)
      expect(await find(carol)).not.toContain('10.77.1.')
      expect(await answerOf(carol, found)).not.toContain('here')
      for (const id of launched) await provider.terminate(id)
      await eventually('they to be gone', async () =>
        (await engine.everything()).every(name => name.startsWith('network')),
      )
      for (const network of [red, blue]) await provider.networks!.delete(network)
      expect(await engine.everything()).toEqual([])
    })

    test('stay apart when the network of another falls idle', { timeout: 120_000 }, async () => {
      const launch = async () => {
        const { spec, token } = orderOf(web)
        const { id } = await provider.launch(spec, token)
        return until(provider, id, 'running')
      }
      const [one, two, third] = [await launch(), await launch(), await launch()]
      const address = two.addresses.private[0]!
      await isHere(two.id, address)
      await provider.terminate(third.id)
      await eventually('it to be gone', async () => !(await engine.everything()).some(name => name.includes(third.id)))
      expect(await answerOf(one.id, address)).not.toContain('here')
      for (const { id } of [one, two]) await provider.terminate(id)
    })

    test('keep the names of their own services to themselves, and are found where they are after a restart', {
      timeout: 120_000,
    }, async () => {
      const network = await networkOf('green', '10.77.3.0/28')
      const launch = async (name: string, source: typeof web) => {
        const { spec, token } = orderOf({ ...source, network })
        const { id } = await provider.launch({ ...spec, name }, token)
        await until(provider, id, 'running')
        return id
      }
      const page = web.services.main!
      const pair = services({
        main: shell('exec sleep 600', { stopGraceSeconds: 0 }),
        store: { ...page, role: 'sidecar' },
      })
      const [shop, guest] = [await launch('shop', pair), await launch('guest', web)]
      for (const step of ['launched', 'started again', 'restarted']) {
        if (step === 'started again') {
          await provider.stop(shop)
          await until(provider, shop, 'stopped')
          // Somebody else takes the address that it had.
          await launch('other', web)
          await provider.start(shop)
        }
        if (step === 'restarted') await provider.reboot!(shop, { hard: true })
        const { addresses, endpoints } = await eventually(`it to run when ${step}`, async () => {
          const info = await provider.describe(shop)
          return info.state === 'running' && Object.values(info.services).every(({ ready }) => ready) && info
        })
        expect(addresses.private.map(address => /^10\.(77\.3|213)\./.exec(address)?.[1]).sort()).toEqual([
          '213',
          '77.3',
        ])
        await isHere(guest, 'shop')
        await isHere(shop, 'guest')
        await isHere(shop, 'store')
        expect(await answerOf(guest, 'store')).not.toContain('here')
        const own = addresses.private.find(address => address.startsWith('10.213.'))!
        expect(await printed(provider, shop, ['ping', '-c', '1', 'main'])).toContain(`(${own})`)
        await eventually('its port', async () =>
          (await askPort(engine, endpoints[0]!.port, 'GET / HTTP/1.0\r\n\r\n').catch(() => '')).includes('here'),
        )
      }
    })
  })
