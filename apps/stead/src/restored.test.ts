import { testWith } from '@stead/testing'
import { expect } from 'vitest'
import { OwnMachine } from './tests/own-machine.ts'

interface Listed<Item> {
  readonly items: readonly Item[]
}

interface Orphan {
  readonly metadata: { readonly id: string }
  readonly spec: { readonly instanceId: string; readonly backendId: string }
}

interface Differing {
  readonly instance: { readonly name: string }
  readonly differences: readonly { readonly field: string }[]
}

/** An orphan is believed after half a minute, and a loss after two lists. */
const slowly = { timeout: 120_000, interval: 500 }

class Operator {
  readonly machine: OwnMachine
  readonly ids = new Map<string, string>()

  constructor(machine: OwnMachine) {
    this.machine = machine
  }

  source(seconds = 10_001) {
    const web = { image: 'host', command: ['sleep', String(seconds)], env: { MARK: this.machine.mark } }
    return { services: { services: { web: { ...web, stopGraceSeconds: 1 } } } }
  }

  async create(name: string): Promise<void> {
    const { status, body } = await this.machine.tell('POST', '', {
      name,
      spec: { region: 'local', source: this.source() },
    })
    expect(status, JSON.stringify(body)).toBe(201)
    const { metadata } = await this.machine.settled(name, 'running')
    this.ids.set(name, metadata.id)
  }

  async must(status: number, method: string, path: string, body?: unknown): Promise<void> {
    const answer = await this.machine.tell(method, path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  }

  async orphans(): Promise<readonly Orphan[]> {
    return ((await this.machine.ask('GET', '/v1/regions/local/orphans')).body as Listed<Orphan>).items
  }

  async orphanOf(name: string): Promise<string> {
    const found = (await this.orphans()).find(({ spec }) => spec.instanceId === this.ids.get(name))
    return found!.metadata.id
  }

  /** What differs of each instance, by its name. */
  async differences(): Promise<Record<string, string>> {
    const { items } = (await this.machine.ask('GET', '/v1/regions/local/differences')).body as Listed<Differing>
    const told = items.map(({ instance, differences }) => [instance.name, differences.map(({ field }) => field).join()])
    return Object.fromEntries(told)
  }

  /** What only observed looks again after half a minute: by then it has noticed that it was resumed. */
  async comesTo(name: string, phase: string): Promise<void> {
    const look = async () => (await this.machine.instance(name)).status
    await expect.poll(look, slowly).toMatchObject({ phase, ready: phase === 'running', operation: null })
  }

  running(): number[] {
    return this.machine.processes('sleep').sort()
  }

  gone(name: string): Promise<true> {
    return this.machine.until(
      `${name} to be gone`,
      async () => (await this.machine.tell('GET', `/${name}`)).status === 404 || undefined,
    )
  }
}

testWith(
  'bubblewrap',
  'a backup that is older than what runs is restored: nothing is ended, all is told, and it is brought back in order',
  async () => {
    const machine = await OwnMachine.start()
    const operator = new Operator(machine)
    for (const name of ['kept', 'relabelled', 'deleted', 'replaced', 'stopped']) await operator.create(name)
    const backup = await machine.backUp()

    for (const name of ['made', 'unwanted']) await operator.create(name)
    await operator.must(202, 'PATCH', '/relabelled', { labels: { tier: 'web' } })
    await operator.must(202, 'DELETE', '/deleted')
    const change = { spec: { source: operator.source(10_002) } }
    await operator.must(202, 'PATCH', '/replaced?allow=replace', change)
    await operator.must(202, 'POST', '/stopped/stop', {})
    await operator.gone('deleted')
    await machine.settled('stopped', 'stopped')
    await machine.settled('replaced', 'running')
    await machine.until('one process each', async () => operator.running().length === 5 || undefined)
    const before = operator.running()

    await machine.restore(backup)
    await expect.poll(async () => (await operator.orphans()).length, slowly).toBe(3)
    await expect
      .poll(() => operator.differences(), slowly)
      .toEqual({ relabelled: 'labels', deleted: 'server', replaced: 'server', stopped: 'power' })
    await expect.poll(() => machine.log, slowly).toContain('"orphans":3,"differences":4')
    expect(operator.running()).toEqual(before)

    const region = { region: 'local' }
    const made = { ...region, backendId: await operator.orphanOf('made'), name: 'made' }
    await operator.must(200, 'POST', '/adopt', { ...made, spec: { source: operator.source() }, plan: true })
    await operator.must(201, 'POST', '/adopt', { ...made, spec: { source: operator.source() } })
    const successor = { ...region, backendId: await operator.orphanOf('replaced'), instance: 'replaced' }
    await operator.must(202, 'POST', '/adopt', { ...successor, ...change })
    await operator.must(202, 'DELETE', '/deleted')
    await operator.must(202, 'PATCH', '/stopped', { spec: { power: 'off' } })
    const unwanted = await operator.orphanOf('unwanted')
    expect((await machine.ask('POST', `/v1/regions/local/orphans/${unwanted}/reap`)).status).toBe(202)
    expect(operator.running(), 'nothing is done before it is resumed').toEqual(before)

    expect(await machine.resume()).toContain('Resumed: Stead acts again')
    for (const name of ['kept', 'relabelled', 'made', 'replaced']) await operator.comesTo(name, 'running')
    await operator.comesTo('stopped', 'stopped')
    await expect.poll(async () => (await machine.tell('GET', '/deleted')).status, slowly).toBe(404)
    await expect.poll(async () => (await operator.orphans()).length, slowly).toBe(0)
    await expect.poll(() => operator.running().length, slowly).toBe(4)
    expect(before, 'what runs was not restarted').toEqual(expect.arrayContaining(operator.running()))
    await operator.must(202, 'PATCH', '/relabelled', { labels: { tier: 'api' } })
    await expect.poll(() => operator.differences(), slowly).toEqual({})
    expect(await machine.used()).toMatchObject({ instances: 5 })

    for (const name of ['kept', 'relabelled', 'made', 'replaced', 'stopped']) {
      await operator.must(202, 'DELETE', `/${name}`)
      await operator.gone(name)
    }
    expect(operator.running()).toEqual([])
    expect(machine.kept()).toEqual([])
    expect(await machine.used()).toMatchObject({ instances: 0 })
  },
  300_000,
)
