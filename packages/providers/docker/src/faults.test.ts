import {
  isProviderError,
  ownerTags,
  type Provider,
  ProviderError,
  type ServerInfo,
  serverTags,
} from '@stead/provider-kit'
import { describeWith } from '@stead/testing'
import { ContainerEngine, dockerEngine } from '@stead/testing/engines'
import { instant, newId, type World, realWorld as world } from '@stead/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectEngine } from './connect.ts'
import { docker } from './definition.ts'
import { EngineClient } from './engine/client.ts'
import { Engine, type Transport } from './engine/engine.ts'
import { Guard } from './guard/guard.ts'
import { idOf, labels, names, serverId } from './server/labels.ts'
import { abandoned } from './server/remove.ts'
import { connect, eventually, orderOf, owner, services, shell, sleeper, until } from './tests/region.ts'

/** With everything that could be left behind: a port, a volume, a secret, a shared network. */
const unit = services({
  main: shell("trap 'exit 0' TERM; while :; do sleep 600 & wait; done", {
    ports: [{ name: 'http', protocol: 'tcp' }],
    volumes: [{ name: 'v', path: '/v', readOnly: false }],
    secretEnv: { TOKEN: 'x' },
  }),
  side: shell('exec sleep 600', { role: 'sidecar', stopGraceSeconds: 0 }),
})

type Fate = 'before' | 'after' | undefined

/** Counts the calls that change something, and fails some of them: before they are sent, or when their answer is lost. */
class FailingTransport implements Transport {
  readonly #client: EngineClient
  readonly #fateOf: (call: number, path: string) => Fate
  calls = 0

  constructor(socket: string, fateOf: (call: number, path: string) => Fate) {
    this.#client = new EngineClient({ socket })
    this.#fateOf = fateOf
  }

  json: Transport['json'] = (method, path, ask) =>
    method === 'GET' || path.includes('/exec')
      ? this.#client.json(method, path, ask)
      : this.#maybe(path, () => this.#client.json(method, path, ask))
  upload: Transport['upload'] = (...words) => this.#maybe(words[1], () => this.#client.upload(...words))
  stream: Transport['stream'] = (...words) => this.#client.stream(...words)
  hijack: Transport['hijack'] = (...words) => this.#client.hijack(...words)
  close = () => this.#client.close()

  async #maybe<T>(path: string, call: () => Promise<T>): Promise<T> {
    const fate = this.#fateOf(++this.calls, path)
    const failure = new ProviderError('Internal', `call ${this.calls} fails on purpose`)
    if (fate === 'before') throw failure
    const answer = await call()
    if (fate === 'after') throw failure
    return answer
  }
}

describeWith('docker', 'a Docker engine that fails', () => {
  let engine: ContainerEngine
  beforeAll(async () => {
    engine = await ContainerEngine.start(dockerEngine)
    // So that what is there once per engine is there, and not counted among what a launch does.
    const provider = await connect(engine)
    const { spec, token } = orderOf(sleeper)
    const { id } = await provider.launch(spec, token)
    await provider.terminate(id)
    await eventually('it to be gone', async () => (await engine.everything()).length === 0)
    await provider.close()
  }, 120_000)
  afterAll(() => engine?.close(), 120_000)

  const connectFailing = (transport: FailingTransport, as = owner, on = world): Promise<Provider> =>
    connectEngine({
      engine: new Engine(transport, on),
      world: on,
      owner: as,
      settings: { address: '127.0.0.1', pidsLimit: 256, capabilities: [] },
      networkRange: '10.213.0.0/16',
      mayPull: false,
      registries: [],
      machine: { not: 'a test' },
      guard: () => new Guard({ not: 'nothing is to be kept from anything here' }),
    })

  /** One whole life during which one call fails. Answers how many calls there were. */
  async function live(which: number, when: 'before' | 'after'): Promise<number> {
    const transport = new FailingTransport(engine.socket, call => (call === which ? when : undefined))
    // Several lives at once, and no other may help this one.
    const as = { ...owner, controlPlane: newId(world, 'cp') }
    const provider = await connectFailing(transport, as)
    try {
      const { spec, token } = orderOf(unit, { as })
      const launched = await provider.launch(spec, token).catch((error: unknown) => {
        if (!isProviderError(error)) throw error
        return undefined
      })
      if (launched) {
        const { state } = await eventually(`life ${which} to settle`, async () => {
          const info = await provider.describe(launched.id)
          return (info.state === 'running' || info.state === 'stopped') && info
        })
        expect(['running', 'stopped']).toContain(state)
        await eventually('it to be taken away', async () =>
          provider.terminate(launched.id).then(
            () => true,
            () => false,
          ),
        )
      }
      const left = async () => (await engine.everything()).filter(name => name.includes(serverId(token)))
      await expect.poll(left, { timeout: 40_000, message: `life ${which}` }).toEqual([])
      return transport.calls
    } finally {
      await provider.close()
    }
  }

  test('whichever call fails, and whether it happened or not, nothing is left behind', {
    timeout: 600_000,
  }, async () => {
    const calls = await live(0, 'before')
    expect(calls).toBeGreaterThan(12)
    let which = 0
    const next = async (): Promise<void> => {
      if (++which > calls) return
      await live(which, which % 2 === 0 ? 'before' : 'after')
      return next()
    }
    await Promise.all([next(), next(), next()])
    expect(await engine.everything()).toEqual([])
  })

  test('a record whose removal is not answered leaves nothing behind, its files neither', async () => {
    let [record, failures] = ['', 0]
    const transport = new FailingTransport(engine.socket, (_, path) =>
      path === `/containers/${record}` && ++failures === 1 ? 'after' : undefined,
    )
    const provider = await connectFailing(transport)
    try {
      const { spec, token } = orderOf(unit)
      const { id } = await provider.launch(spec, token)
      await until(provider, id, 'running')
      await eventually('all of it to be there', async () =>
        (await engine.everything()).includes(`container /${id}_made`),
      )
      record = (await engine.call<{ Id: string }>('GET', `/containers/${id}_made/json`)).Id
      await provider.terminate(id)
      await eventually('nothing to be left', async () => (await engine.everything()).length === 0)
      expect(failures).toBeGreaterThan(1)
    } finally {
      await provider.close()
    }
  })

  test('what is to go goes, also when another process marks it as made at that moment', async () => {
    const transport = new FailingTransport(engine.socket, () => undefined)
    const { json } = transport
    const { spec, token } = orderOf(unit)
    const id = serverId(token)
    let isMarked = false
    transport.json = async (method, path, ask) => {
      const answer = await json<never>(method, path, ask)
      if (!isMarked && ask?.query?.name === names.going(id)) {
        isMarked = true
        await engine.call('POST', `/containers/${names.going(id)}/rename?name=${names.made(id)}`)
      }
      return answer
    }
    const provider = await connectFailing(transport)
    try {
      await provider.launch(spec, token)
      await until(provider, id, 'running')
      await provider.terminate(id)
      await eventually('nothing to be left', async () => (await engine.everything()).length === 0)
      expect(isMarked).toBe(true)
    } finally {
      await provider.close()
    }
  })

  test('killed in the middle of launches it settles, with one container per service', {
    timeout: 240_000,
  }, async () => {
    const provider = await connect(engine)
    try {
      const orders = Array.from({ length: 4 }, () => orderOf(unit))
      const launched = await Promise.all(orders.map(({ spec, token }) => provider.launch(spec, token)))
      await engine.kill()
      await engine.up()
      for (const { id } of launched) await until(provider, id, 'running')
      const running = async () => {
        const all = await engine.call<{ Names: string[] }[]>('GET', '/containers/json')
        return all.flatMap(({ Names }) => Names.filter(name => /\.(main|side)$/.test(name))).sort()
      }
      const wanted = launched.flatMap(({ id }) => [`/${id}.main`, `/${id}.side`]).sort()
      await expect.poll(running, { timeout: 30_000 }).toEqual(wanted)
      for (const { id } of launched) await provider.terminate(id)
      await eventually('nothing to be left', async () => (await engine.everything()).length === 0, 60_000)
    } finally {
      await provider.close()
    }
  })

  test('what a control plane that died has begun, the next one finishes', { timeout: 120_000 }, async () => {
    const first = await connect(engine)
    const { spec, token } = orderOf(unit)
    const { id } = await first.launch(spec, token)
    await first.close()
    const second = await connect(engine)
    try {
      await until(second, id, 'running')
      await second.terminate(id)
      await eventually('nothing to be left', async () => (await engine.everything()).length === 0)
    } finally {
      await second.close()
    }
  })

  test('a control plane that died before there was a network is no reason to do without one', {
    timeout: 120_000,
  }, async () => {
    let refused = 0
    const transport = new FailingTransport(engine.socket, (_, path) => {
      if (path !== '/networks/create') return undefined
      refused++
      return 'before'
    })
    const first = await connectFailing(transport)
    const orders = [orderOf(unit), orderOf(sleeper)]
    const [several, alone] = (await Promise.all(orders.map(({ spec, token }) => first.launch(spec, token)))) as [
      ServerInfo,
      ServerInfo,
    ]
    const services = [`${several.id}.main`, `${several.id}.side`, `${alone.id}.main`]
    await eventually('their services to be made', async () => {
      const all = await engine.everything()
      return refused >= orders.length && services.every(name => all.includes(`container /${name}`))
    })
    await first.close()
    const second = await connect(engine)
    try {
      for (const { id } of [several, alone]) await until(second, id, 'running')
      for (const { id } of [several, alone]) await second.terminate(id)
      await eventually('nothing to be left', async () => (await engine.everything()).length === 0)
    } finally {
      await second.close()
    }
  })

  // Docker makes the directory of a volume first, and writes down its labels then.
  const makeHalf = (name: string) => engine.call('POST', '/volumes/create', { Name: name })

  test('volumes that the engine was killed in the middle of are made anew', async () => {
    const provider = await connect(engine)
    try {
      const { spec, token } = orderOf(unit)
      const id = serverId(token)
      const halves = [names.volume(id, 'v'), names.files(id)]
      for (const half of halves) await makeHalf(half)
      await provider.launch(spec, token)
      await until(provider, id, 'running')
      for (const half of halves)
        expect(await engine.call('GET', `/volumes/${half}`)).toMatchObject({ Labels: { [labels.id]: id } })
      await provider.terminate(id)
      await eventually('nothing to be left', async () => (await engine.everything()).length === 0)

      const tags = serverTags(owner, newId(world, 'srv'))
      await makeHalf(idOf('volume-', token))
      const volume = await provider.volumes!.create({ name: 'kept', sizeGiB: 1, tags }, token)
      expect(volume).toMatchObject({ name: 'kept', tags })
      await provider.volumes!.delete(volume.id)
    } finally {
      await provider.close()
    }
  })

  test('what a control plane that died before its record left behind goes once it is old, and not before', async () => {
    const Name = serverId(orderOf(unit).token)
    const Labels = { ...ownerTags(owner), [labels.id]: Name }
    await engine.call('POST', '/networks/create', { Name, Labels, IPAM: { Config: [{ Subnet: '10.213.0.8/29' }] } })
    const passing = Promise.withResolvers<void>()
    let passed = 0
    const later: World = {
      ...world,
      now: () => instant(world.now() + passed),
      sleep: (duration, signal) => (duration === abandoned ? passing.promise : world.sleep(duration, signal)),
    }
    const transport = new FailingTransport(engine.socket, () => undefined)
    const provider = await connectFailing(transport, owner, later)
    try {
      await provider.watch!({ tags: {} })[Symbol.asyncIterator]().next() // everything was looked at
      expect(await engine.everything()).toEqual([`network ${Name}`])
      passed = 2 * abandoned
      passing.resolve()
      await eventually('it to be gone', async () => (await engine.everything()).length === 0)
    } finally {
      await provider.close()
    }
  })

  test('a volume that the engine was killed in the middle of goes with its server', async () => {
    const provider = await connect(engine)
    try {
      const { spec, token } = orderOf(sleeper)
      const { id } = await provider.launch(spec, token)
      await makeHalf(names.volume(id, 'v'))
      await provider.terminate(id)
      await eventually('nothing to be left', async () => (await engine.everything()).length === 0)
    } finally {
      await provider.close()
    }
  })

  test('what happens while the engine cannot be heard is told once it can, and nothing is told twice', {
    timeout: 120_000,
  }, async () => {
    const { proxy, socket } = await engine.proxy()
    // A socket of this machine: without this its packets would be guarded, and not those of the engine.
    const configuration = { endpoint: `unix://${socket}`, pull: 'never' as const, hostAccess: 'allowed' as const }
    const provider = await docker.connect({ configuration, credentials: {}, owner, world })
    let opened: typeof proxy | undefined
    try {
      const orders = [orderOf(sleeper), orderOf(sleeper), orderOf(sleeper)]
      const launched = await Promise.all(orders.map(({ spec, token }) => provider.launch(spec, token)))
      const [removed, stopped, untouched] = launched.map(({ id }) => id) as [string, string, string]
      for (const { id } of launched) {
        await until(provider, id, 'running')
        await eventually('that to be known', async () => (await engine.everything()).includes(`container /${id}_made`))
      }
      const events = provider.watch!({ tags: {} })[Symbol.asyncIterator]()
      await events.next() // it is open
      proxy.close()
      await expect(provider.describe(removed)).rejects.toMatchObject({ code: 'Unavailable' })
      await engine.call('DELETE', `/containers/${removed}.main?force=true`)
      await engine.call('POST', `/containers/${stopped}.main/stop?t=0`)
      opened = (await engine.proxy(socket)).proxy
      const told = []
      while (told.length < 2) {
        const { value } = await events.next()
        if (value?.type === 'change') told.push(`${value.id} ${value.server?.state}`)
      }
      expect(told.sort()).toEqual([`${removed} terminated`, `${stopped} stopped`].sort())
      // What comes next is what happens next.
      await provider.terminate(untouched)
      const { value } = await events.next()
      expect(value).toMatchObject({ type: 'change', id: untouched })
      for (const id of [removed, stopped]) await provider.terminate(id)
      await eventually('nothing to be left', async () => (await engine.everything()).length === 0)
    } finally {
      await provider.close()
      opened?.close()
    }
  })

  test('a container removed behind our back is noticed by its event, and the rest of it can be removed', async () => {
    const provider = await connect(engine)
    try {
      const { spec, token } = orderOf(unit)
      const { id } = await provider.launch(spec, token)
      await until(provider, id, 'running')
      const stop = new AbortController()
      const events = provider.watch!({ tags: {} }, { signal: stop.signal })[Symbol.asyncIterator]()
      await events.next()
      // All of it was there once: that is written down a moment later.
      await eventually('that to be known', async () => (await engine.everything()).includes(`container /${id}_made`))
      await engine.call('DELETE', `/containers/${id}.main?force=true`)
      for (;;) {
        const { value } = await events.next()
        if (value?.type === 'change' && value.server?.state === 'terminated') break
      }
      stop.abort()
      expect(await provider.describe(id)).toMatchObject({
        state: 'terminated',
        stateReason: expect.stringContaining('removed'),
      })
      await provider.terminate(id)
      await eventually('nothing to be left', async () => (await engine.everything()).length === 0)
    } finally {
      await provider.close()
    }
  })
})
