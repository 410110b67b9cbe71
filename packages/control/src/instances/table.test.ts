import { minutes } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { instances } from './model.ts'
import { exclusive } from './operations.ts'
import { InstanceHouse, type InstanceHouseOptions, machine } from './tests/house.ts'
import { verbView } from './verbs.ts'

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ann@home'

/** Each verb, as it is said. */
const said = {
  start: ['POST', '/start'],
  stop: ['POST', '/stop'],
  softRestart: ['POST', '/restart', {}],
  hardRestart: ['POST', '/restart', { hard: true }],
  snapshot: ['POST', '/snapshot', { name: 's1' }],
  console: ['POST', '/console', {}],
  sshKey: ['POST', '/ssh-key', { publicKey }],
  delete: ['DELETE', ''],
} as const satisfies Record<string, readonly [method: string, path: string, body?: object]>

const verbs = Object.keys(said) as (keyof typeof said)[]

interface State extends InstanceHouseOptions {
  /** Brings some that do not exist yet into it, and keeps them there. */
  readonly enter: (house: InstanceHouse, names: readonly string[]) => Promise<unknown>
}

/** Some machines that run; then what is done to each of them, while the cloud does not answer these calls. */
const running =
  (calls: readonly string[], act: (house: InstanceHouse, name: string) => Promise<unknown>): State['enter'] =>
  async (house, names) => {
    const made = await all(names, name => house.running(name, trusting))
    house.cloud.outage({ kind: 'outage', on: calls })
    await all(names, name => act(house, name))
    return made
  }

const trusting = machine({ sshAuthority: 'ours' })
const patched = (part: object) => ({ body: { spec: { source: { machine: part } } } })
const all = <T>(names: readonly string[], act: (name: string) => Promise<T>) => Promise.all(names.map(act))

/** What is seen of the server behind one. */
const observed = async (house: InstanceHouse, name: string) =>
  house.serversOf((await house.get(name)).metadata.id)[0]?.status.observed?.state

/** Waits until nothing but a delete may come between what was asked for and its end. */
const begun = async (house: InstanceHouse, name: string) => {
  const { id } = (await house.get(name)).metadata
  const everything = house.house.engine.cache.platform()
  await expect.poll(() => exclusive(verbView(everything, everything.get(instances, id)!))).toBeDefined()
}

const stop = (house: InstanceHouse, name: string) => house.must(202, 'POST', `/${name}/stop`)

const states = {
  'no server yet': {
    enter(house, names) {
      house.cloud.outage({ kind: 'outage', on: ['launch'] })
      return all(names, name => house.create(name, trusting))
    },
  },
  building: {
    profile: { boot: minutes(5) },
    async enter(house, names) {
      await all(names, name => house.create(name, trusting))
      await all(names, name => expect.poll(() => observed(house, name)).toBe('pending'))
    },
  },
  running: { enter: running([], async () => {}) },
  stopping: {
    profile: { stop: minutes(5) },
    enter: running([], async (house, name) => {
      await stop(house, name)
      await expect.poll(() => observed(house, name)).toBe('stopping')
      await house.until(name, 'stopping')
    }),
  },
  stopped: {
    enter: running([], async (house, name) => {
      await stop(house, name)
      await house.until(name, 'stopped')
      await house.settled(name)
    }),
  },
  starting: {
    enter: running(['start'], async (house, name) => {
      await stop(house, name)
      await house.until(name, 'stopped')
      await house.must(202, 'POST', `/${name}/start`)
      await house.until(name, 'starting')
    }),
  },
  suspended: {
    enter: running([], async (house, name) => {
      await house.must(202, 'POST', `/${name}/suspend`, { body: { reason: 'unpaid' } })
      await house.until(name, 'stopped')
    }),
  },
  // What is to be replaced runs meanwhile: it is what is done to it that is in the way.
  replacing: {
    enter: running(['stop'], async (house, name) => {
      await house.must(202, 'PATCH', `/${name}?allow=replace`, patched({ sshKeys: [publicKey] }))
      await begun(house, name)
    }),
  },
  rebuilding: {
    enter: running(['rebuild'], async (house, name) => {
      await house.must(202, 'PATCH', `/${name}?allow=rebuild`, patched({ image: 'debian-12' }))
      await begun(house, name)
    }),
  },
  deleting: { enter: running(['terminate'], (house, name) => house.must(202, 'DELETE', `/${name}`)) },
} as const satisfies Record<string, State>

async function open({ enter, ...options }: State, names: readonly string[]): Promise<InstanceHouse> {
  const house = await InstanceHouse.open(options)
  await house.house.must(201, 'POST', '/v1/projects/acme%2Fshop/ssh-authorities', {
    body: { name: 'ours', spec: { managed: true } },
  })
  await enter(house, names)
  return house
}

const soon = '409 not_ready, after 2 s'
const no = '409 invalid_state'
const busy = '409 operation_in_progress'

/** What a verb is answered with. */
async function answered(house: InstanceHouse, name: string, verb: keyof typeof said): Promise<string> {
  const [method, path, body] = said[verb]
  const { status, body: answer, headers } = await house.call(method, `/${name}${path}`, { ...(body && { body }) })
  const after = headers.get('retry-after')
  return [status, answer?.code && ` ${answer.code}`, after && `, after ${after} s`].filter(Boolean).join('')
}

describe('each verb, on one that is', () => {
  // start, stop, restart soft and hard, snapshot, console, ssh-key, delete
  test.each([
    ['no server yet', [soon, soon, soon, soon, soon, soon, soon, '202']],
    ['building', [soon, soon, soon, soon, soon, soon, '200', '202']],
    ['starting', ['202', '202', soon, soon, '202', soon, '200', '202']],
    ['running', ['202', '202', '202', '202', '202', '201', '200', '202']],
    ['stopping', [soon, '202', no, no, '202', '201', '200', '202']],
    ['stopped', ['202', '202', no, no, '202', no, '200', '202']],
    ['suspended', [no, '202', no, no, '202', no, '200', '202']],
    ['replacing', [busy, busy, busy, busy, busy, busy, busy, '202']],
    ['rebuilding', [busy, busy, busy, busy, busy, busy, busy, '202']],
    ['deleting', [no, no, no, no, no, no, no, '202']],
  ] as const)('%s', async (state, expected) => {
    const names = verbs.map(verb => `of-${verb.toLowerCase()}`)
    const house = await open(states[state], names)
    const found = await Promise.all(verbs.map((verb, index) => answered(house, names[index]!, verb)))
    expect(Object.fromEntries(verbs.map((verb, index) => [verb, found[index]]))).toEqual(
      Object.fromEntries(verbs.map((verb, index) => [verb, expected[index]])),
    )
  })
})

test('what one has printed can be read until it is gone, but nothing is run in it any more', async () => {
  const house = await open(states.deleting, ['vm-1'])
  expect((await house.must(409, 'POST', '/vm-1/exec', { body: { command: ['sh'] } })).code).toBe('invalid_state')
  for (const path of ['/logs', '/console/output']) await house.must(200, 'GET', `/vm-1${path}`)
})

test('one that is being replaced can be looked into for as long as it runs', async () => {
  const house = await open(states.replacing, ['vm-1'])
  await house.must(201, 'POST', '/vm-1/exec', { body: { command: ['sh'] } })
})
