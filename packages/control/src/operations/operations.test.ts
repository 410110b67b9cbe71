import { changeSet } from '@stead/engine'
import { instant } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventClient } from '../door/tests/event-client.ts'
import { IdentityHouse } from '../identity/tests/house.ts'
import { endOperation, openOperations, startOperation, stepOperation, withStep } from './lifecycle.ts'
import { type OperationStatus, operations } from './model.ts'

const path = '/v1/projects/acme%2Fshop/operations'

/** Operations on the project itself: any object will do. */
async function setUp() {
  const house = await IdentityHouse.openWithAcme()
  const { metadata } = await house.must(200, 'GET', '/v1/projects/acme%2Fshop')
  const cache = house.engine.cache.platform()
  const subject = cache.get('project', metadata.id)!
  const start = async (type: string) => {
    const set = changeSet(house.world)
    const { id } = startOperation(set, house.world, { subject, type, steps: ['first', 'second'], requestedBy: 'usr_1' })
    await house.engine.commit(set)
    return id
  }
  const open = (id: string) => cache.get(operations, id)!
  const change = async (make: (set: ReturnType<typeof changeSet>) => void) => {
    const set = changeSet(house.world)
    make(set)
    await house.engine.commit(set)
  }
  return { house, subject, start, open, change, cache }
}

test('an operation is read while it runs and after it has ended, and lists are newest first', async () => {
  const { house, subject, start, open, change, cache } = await setUp()
  const one = await start('create')
  const two = await start('stop')
  expect(openOperations(cache, subject).map(({ id }) => id)).toEqual([one, two])
  expect(await house.must(200, 'GET', `${path}/${one}`)).toEqual({
    id: one,
    type: 'create',
    subject: { kind: 'project', id: subject.id, name: 'shop' },
    projectId: subject.id,
    organizationId: subject.organizationId,
    state: 'pending',
    steps: [
      { name: 'first', state: 'pending' },
      { name: 'second', state: 'pending' },
    ],
    requestedBy: 'usr_1',
    createdAt: expect.stringMatching(/Z$/),
  })
  await change(set => stepOperation(set, open(one), { step: 'second', message: 'waits', at: house.world.now() }))
  expect(await house.must(200, 'GET', `${path}/${one}`)).toMatchObject({
    state: 'running',
    steps: [{ state: 'succeeded' }, { state: 'running', message: 'waits' }],
  })
  await change(set => {
    endOperation(set, open(one), { state: 'succeeded', at: house.world.now() })
    const error = { code: 'Capacity', message: 'there is no room' }
    endOperation(set, open(two), { state: 'failed', error, at: house.world.now() })
  })
  expect(openOperations(cache, subject)).toEqual([])
  expect(await house.must(200, 'GET', `${path}/${one}`)).toMatchObject({
    state: 'succeeded',
    steps: [{ state: 'succeeded' }, { state: 'succeeded', endedAt: expect.any(String) }],
    endedAt: expect.any(String),
  })
  const three = await start('start')
  const list = await house.must(200, 'GET', path)
  expect(list.items.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
    [three, 'pending'],
    [two, 'failed'],
    [one, 'succeeded'],
  ])
  expect(list.items[1]).toMatchObject({
    error: { code: 'Capacity', message: 'there is no room' },
    steps: [{ state: 'cancelled' }, { state: 'cancelled' }],
  })
  const first = await house.must(200, 'GET', `${path}?limit=2`)
  const rest = await house.must(200, 'GET', `${path}?limit=2&cursor=${first.nextCursor}`)
  expect([...first.items, ...rest.items]).toEqual(list.items)
})

test('an operation of another project does not exist here', async () => {
  const { house, start, open, change } = await setUp()
  const id = await start('create')
  await house.must(404, 'GET', `/v1/projects/acme%2Flab/operations/${id}`)
  await change(set => endOperation(set, open(id), { state: 'superseded', at: house.world.now() }))
  await house.must(404, 'GET', `/v1/projects/acme%2Flab/operations/${id}`)
  expect((await house.must(200, 'GET', '/v1/projects/acme%2Flab/operations')).items).toEqual([])
})

test('operations can be watched', async () => {
  const { house, start } = await setUp()
  const events = await EventClient.open(house.admin, `${house.url}/v1/projects/acme%2Fshop/watch?kinds=operation`)
  const id = await start('create')
  expect(await events.until(({ event }) => event === 'put')).toMatchObject({
    data: { id, type: 'create', state: 'pending' },
  })
  events.leave()
})

test('of its steps those before the one reached have succeeded, those after it are to come, and reaching it twice changes nothing', () =>
  fc.assert(
    fc.property(fc.array(fc.record({ step: fc.nat(3), wait: fc.nat(5) }), { minLength: 1 }), reached => {
      let status: OperationStatus = {
        state: 'pending',
        steps: [0, 1, 2, 3].map(n => ({ name: `s${n}`, state: 'pending' })),
      }
      let now = 0
      for (const { step, wait } of reached) {
        now += wait
        const at = instant(now)
        status = withStep(status, { step: `s${step}`, at })
        expect(withStep(status, { step: `s${step}`, at: instant(now + 1) })).toBe(status)
        expect(status.state).toBe('running')
        expect(status.steps.map(({ state }) => state)).toEqual(
          [0, 1, 2, 3].map(n => (n < step ? 'succeeded' : n === step ? 'running' : 'pending')),
        )
        for (const { startedAt, endedAt } of status.steps)
          if (endedAt !== undefined) expect(endedAt).toBeGreaterThanOrEqual(startedAt!)
      }
    }),
  ))
