import { millis, minutes, realWorld, seconds } from '@stead/world'
import { expect, test } from 'vitest'
import { plainService } from '../contract/fixtures.ts'
import { listAll } from '../filter.ts'
import type { ServiceLaunch, ServicesLaunch } from '../launch-spec.ts'
import { launchToken } from '../tokens.ts'
import { SimulatedCloud, simulatedProvider } from './index.ts'
import { machine, owner, sky } from './testing.ts'

const mine = { tags: { 'stead.control-plane': owner.controlPlane } }

test('the default profile: 200 ms to launch, 1 s to boot', async () => {
  const { world, provider, order, run, cloud } = sky()
  const start = world.time
  const { spec, token } = order()
  const { id, state } = await run(provider.launch(spec, token, { fresh: true }))
  expect([world.time - start, state]).toEqual([200, 'pending'])
  // It has been booting since the request arrived, 100 ms in.
  await world.runFor(millis(899))
  cloud.clockwork.advance()
  expect(cloud.account().server(id).state).toBe('building')
  await world.runFor(millis(1))
  cloud.clockwork.advance()
  expect(cloud.account().server(id).state).toBe('active')
})

test('an idle cloud sets no timer, and a watch sets one', async () => {
  const { world, provider, booted, run, order } = sky()
  for (let i = 0; i < 20; i++) await booted()
  expect(world.pending).toBe(0)
  const { spec, token } = order()
  await run(provider.launch(spec, token, { fresh: true }))
  expect(world.pending).toBe(0)
  const stop = new AbortController()
  const watching = listAll(asPages(provider.watch!({ tags: {} }, { signal: stop.signal })))
  await world.runFor(millis(50))
  expect(world.pending).toBe(1)
  await world.runUntilIdle()
  stop.abort(new Error('enough'))
  await expect(watching).rejects.toThrow('enough')
  expect(world.pending).toBe(0)
})

async function* asPages<T>(items: AsyncIterable<T>): AsyncIterable<T[]> {
  for await (const item of items) yield [item]
}

test('accounts do not see each other, and a revoked key opens nothing', async () => {
  const { cloud, client, run, booted, world } = sky()
  cloud.addKey('other-key', 'other')
  const other = client(world.node(), 'other-key')
  const id = await booted()
  await expect(run(other.describe(id))).rejects.toMatchObject({ code: 'NotFound' })
  expect(await run(listAll(other.list({ tags: {}, all: true })))).toEqual([])
  cloud.revokeKey('other-key')
  await expect(run(other.catalog())).rejects.toMatchObject({ code: 'Auth', retryable: false })
})

test('capacity is the cloud’s, quota the account’s, and both are free again when a server is gone', async () => {
  const { cloud, client, provider, order, run, booted, world } = sky({ profile: { capacity: 3, quota: 2 } })
  cloud.addKey('other-key', 'other')
  const other = client(world.node(), 'other-key')
  const launch = (who = provider) => {
    const { spec, token } = order()
    return run(who.launch(spec, token, { fresh: true }))
  }
  const id = await booted()
  await launch()
  await expect(launch()).rejects.toMatchObject({ code: 'Quota', retryable: true })
  await launch(other)
  await expect(launch(other)).rejects.toMatchObject({ code: 'Capacity', retryable: true })
  expect((await run(provider.catalog())).capacity?.servers).toEqual({ total: 3, used: 3 })
  await run(provider.terminate(id))
  await world.runFor(seconds(1))
  await launch(other)
})

test('a rate that is exceeded is refused with the time to wait', async () => {
  const { provider, run, world, cloud } = sky({ profile: { rate: { perSecond: 10, burst: 2 } } })
  const calls = await run(Promise.allSettled([1, 2, 3].map(() => provider.catalog())))
  const refused = calls.filter(call => call.status === 'rejected').map(call => call.reason)
  expect(refused).toMatchObject([{ code: 'Throttled', retryAfter: 100 }])
  await world.runFor(millis(100))
  await run(provider.catalog())
  expect(cloud.counts().throttled).toBe(1)
})

test('a terminated server can be described for a while, and is then forgotten', async () => {
  const { provider, run, booted, stateOf, world, account } = sky({ profile: { keepTerminated: minutes(1) } })
  const id = await booted()
  await run(provider.terminate(id))
  await world.runFor(seconds(1))
  expect(await stateOf(id)).toBe('terminated')
  await world.runFor(minutes(1))
  await expect(run(provider.describe(id))).rejects.toMatchObject({ code: 'NotFound' })
  expect(account.servers.size).toBe(0)
})

test('a network hands out each address once, takes them back, and says when it is full', async () => {
  const { provider, order, run, world, account } = sky()
  const tags = { 'stead.managed-by': 'stead', 'stead.control-plane': owner.controlPlane }
  const spec = { name: 'tiny', tags, cidr: '10.1.0.0/29' }
  const { id: network } = await run(provider.networks!.create(spec, launchToken('net', 1), { fresh: true }))
  await world.runFor(seconds(1))
  const launch = async () => {
    const { spec, token } = order({ ...machine, network } as typeof machine)
    return run(provider.launch(spec, token, { fresh: true }))
  }
  const servers = []
  for (let i = 0; i < 5; i++) servers.push(await launch())
  const addresses = servers.map(server => server.addresses.private[0])
  expect(new Set(addresses)).toEqual(new Set([2, 3, 4, 5, 6].map(host => `10.1.0.${host}`)))
  await expect(launch()).rejects.toMatchObject({ code: 'Capacity' })
  await run(provider.terminate(servers[2]!.id))
  await world.runFor(seconds(1))
  expect((await launch()).addresses.private).toEqual([addresses[2]])
  expect(account.byAddress(addresses[2]!)?.state).toBe('building')
})

test('a service that ends stops the whole, or is started again, as its policy says', async () => {
  const { booted, provider, run, world } = sky()
  const unit = (command: string[], restart: ServiceLaunch['restart'], init?: string[]): ServicesLaunch => ({
    type: 'services',
    kind: 'deployment',
    services: {
      web: plainService('web', { command, restart }),
      ...(init && { setup: plainService('web', { role: 'init', command: init }) }),
    },
  })
  const told = async (source: ServicesLaunch) => {
    const { state, stateReason, services } = await run(provider.describe(await booted(source)))
    return { state, stateReason, web: services.web }
  }
  expect(await told(unit(['exit', '3'], 'never'))).toMatchObject({
    state: 'stopped',
    web: { state: 'exited', exitCode: 3 },
  })
  expect(await told(unit(['exit', '0'], 'onFailure'))).toMatchObject({ state: 'stopped', web: { exitCode: 0 } })
  expect(await told(unit(['exit', '3'], 'onFailure'))).toMatchObject({
    state: 'running',
    web: { state: 'waiting', reason: 'CrashLoopBackOff', restarts: 1 },
  })
  expect(await told(unit(['serve'], 'never', ['exit', '9']))).toMatchObject({
    state: 'stopped',
    stateReason: 'init setup exited with 9',
  })
  const id = await booted(unit(['sleep', '5'], 'never'))
  expect((await run(provider.describe(id))).state).toBe('running')
  await world.runFor(seconds(5))
  expect(await run(provider.describe(id))).toMatchObject({ state: 'stopped', stateReason: 'main exited with 0' })
})

test('a request that was sent arrives even if its sender dies, and a dead sender hears nothing', async () => {
  const { world, client, order, provider, run } = sky()
  const node = world.node()
  const { spec, token } = order()
  let heard = false
  void client(node)
    .launch(spec, token, { fresh: true })
    .finally(() => {
      heard = true
    })
  world.setTimer(millis(50), () => node.kill())
  await world.runFor(seconds(5))
  expect(heard).toBe(false)
  const [server] = await run(listAll(provider.list(mine)))
  expect(server?.state).toBe('running')
  expect((await run(provider.launch(spec, token))).id).toBe(server!.id)
})

test('the same seed is the same cloud, faults and all', async () => {
  const story = async (seed: number) => {
    const { provider, order, run, cloud, world } = sky({
      seed,
      rates: { lostReply: 0.2, slow: 0.2, bootFailure: 0.2, crash: 200, errorBefore: 0.1 },
      profile: { jitter: 0.3, consistency: { describe: millis(200), list: millis(400) } },
    })
    const lines: string[] = []
    for (let i = 0; i < 20; i++) {
      const { spec, token } = order()
      const line = await run(provider.launch(spec, token, { fresh: true })).then(
        server => server.id,
        error => error.message,
      )
      lines.push(`${world.time} ${line}`)
    }
    await world.runFor(minutes(1))
    const states = await run(listAll(provider.list(mine))).catch(error => [error.message])
    return JSON.stringify([lines, states, cloud.counts()])
  }
  expect(await story(1)).toBe(await story(1))
  expect(await story(1)).not.toBe(await story(2))
})

test('ten thousand servers, one list, no timer', async () => {
  const { world, provider, order, run } = sky()
  const launches = async () => {
    const orders = Array.from({ length: 10_000 }, () => order())
    return Promise.all(orders.map(({ spec, token }) => provider.launch(spec, token, { fresh: true })))
  }
  const servers = await run(launches())
  await world.runFor(seconds(2))
  expect(world.pending).toBe(0)
  const running = await run(listAll(provider.list({ ...mine, states: ['running'] })))
  expect(new Set(running.map(server => server.id))).toEqual(new Set(servers.map(server => server.id)))
})

test('it works in real time, too', async () => {
  const cloud = new SimulatedCloud({
    world: realWorld,
    profile: { launchCall: millis(4), call: millis(2), boot: millis(10) },
  })
  const provider = await simulatedProvider(() => cloud).connect({
    configuration: { cloud: 'default' },
    credentials: { key: 'simulated' },
    owner,
    world: realWorld,
  })
  const { spec, token } = sky().order()
  const stop = new AbortController()
  const states: string[] = []
  const watching = (async () => {
    for await (const event of provider.watch!({ tags: {} }, { signal: stop.signal })) {
      states.push(event.type === 'change' ? (event.server?.state ?? 'gone') : event.type)
      if (states.includes('running')) return
    }
  })()
  await realWorld.sleep(millis(10))
  await provider.launch(spec, token, { fresh: true })
  await watching
  expect(states).toEqual(['open', 'pending', 'running'])
  await provider.close()
})
