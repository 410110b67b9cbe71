import { expect, test } from 'vitest'
import { type Server, servers } from '../model.ts'
import { known } from './end-state.ts'
import type { Step } from './plan.ts'
import { runServers } from './run.ts'

/** Runs one box, and looks at its server once a second. */
async function watchBox(...steps: readonly Step[]) {
  const seen: Server[] = []
  const outcome = await runServers({
    seed: 1,
    nodes: 1,
    plan: [{ id: 'box_1', steps }],
    meanwhile: ({ ledger }) => void seen.push(...known<Server>(ledger, servers)),
  })
  expect(outcome.violation).toBeUndefined()
  return { seen, last: seen.at(-1)! }
}

test('a launch that is refused says so and stands, until something else is wanted: then it is another attempt', async () => {
  const { seen, last } = await watchBox(
    { type: 'create', after: 0, as: { flavor: 'huge' } },
    { type: 'change', after: 20_000, to: { flavor: 'small' } },
  )
  const refused = seen.filter(({ status }) => status.failure)
  expect(refused.at(-1)!.status).toMatchObject({
    attempt: 1,
    launch: 'sent',
    failure: { code: 'InvalidConfig', retrying: false },
    conditions: [{ type: 'Parked', reason: 'InvalidConfig' }],
  })
  expect(new Set(refused.map(({ revision }) => revision)).size).toBeLessThanOrEqual(2)
  expect(last.status).toMatchObject({ attempt: 2, observed: { state: 'running' } })
  expect(last.status).not.toHaveProperty('failure')
})

test('a refused launch that is given up leaves nothing', async () => {
  const { last } = await watchBox(
    { type: 'create', after: 0, as: { image: 'nowhere' } },
    { type: 'delete', after: 10_000 },
  )
  expect(last.status.backendId).toBeUndefined()
})

test('a change that is refused leaves the server as it was, running, and what is wanted next is done', async () => {
  const { seen, last } = await watchBox(
    { type: 'create', after: 0 },
    { type: 'change', after: 5_000, to: { flavor: 'huge' } },
    { type: 'change', after: 20_000, to: { flavor: 'large' } },
  )
  const refused = seen.findLast(({ status }) => status.refused)!
  expect(refused.status).toMatchObject({
    refused: { code: 'InvalidConfig' },
    observed: { state: 'running', flavor: 'small' },
  })
  expect(refused.status).not.toHaveProperty('applying')
  const stops = seen.filter(({ status }) => status.observed?.state === 'stopped' && status.refused)
  expect(new Set(stops.map(({ revision }) => revision)).size).toBeLessThanOrEqual(1)
  expect(last.status.observed).toMatchObject({ state: 'running', flavor: 'large' })
})

test('what cannot be changed in place is not tried', async () => {
  const { seen } = await watchBox(
    { type: 'create', after: 0 },
    { type: 'change', after: 5_000, to: { image: 'debian-12' } },
    { type: 'change', after: 10_000, to: { image: 'minimal' } },
  )
  const refused = seen.findLast(({ status }) => status.refused)!
  expect(refused.status.refused).toMatchObject({ code: 'Unsupported', message: expect.stringContaining('image') })
})
