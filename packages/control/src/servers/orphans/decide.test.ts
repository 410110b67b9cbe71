import { minutes, seconds } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideOrphans, type Stranger } from './decide.ts'
import { type Orphan, sweepCap } from './model.ts'

const stranger = (id: number, more: Partial<Stranger> = {}): Stranger => ({
  backendId: `i-${id}`,
  serverId: `srv_${id}`,
  instanceId: undefined,
  projectId: undefined,
  reason: 'unknown',
  state: 'running',
  launchedAt: undefined,
  seenFor: minutes(6),
  ...more,
})
const reported = (id: number, reap = false) =>
  ({ id: `orp_${id}`, spec: { backendId: `i-${id}`, ...(reap && { reap: { by: 'usr_1' } }) } }) as Orphan
const givenUp = (...ids: number[]) => new Set(ids.map(id => `i-${id}`))
const removed = (view: Parameters<typeof decideOrphans>[0]) => decideOrphans(view).remove.map(each => each.backendId)

test('it is reported once, after it has lasted', () => {
  const young = stranger(1, { seenFor: seconds(20) })
  const decision = decideOrphans({
    strangers: [young, stranger(2), stranger(3)],
    reported: [reported(3)],
    givenUp: givenUp(),
  })
  expect(decision.report.map(({ backendId }) => backendId)).toEqual(['i-2'])
})

test('what is not there any more is not reported any longer', () =>
  expect(decideOrphans({ strangers: [], reported: [reported(1)], givenUp: givenUp() }).forget).toHaveLength(1))

test('it goes by itself only when it was given up, and it was seen for five minutes', () => {
  expect(removed({ strangers: [stranger(1)], reported: [], givenUp: givenUp() })).toEqual([])
  expect(removed({ strangers: [stranger(1)], reported: [], givenUp: givenUp(1) })).toEqual(['i-1'])
  const young = stranger(1, { seenFor: minutes(4) })
  expect(removed({ strangers: [young], reported: [], givenUp: givenUp(1) })).toEqual([])
  const second = stranger(1, { reason: 'duplicate' })
  expect(removed({ strangers: [second], reported: [], givenUp: givenUp(1) })).toEqual([])
})

test('it goes when an operator says so, and is not ended twice', () => {
  const known = [reported(1, true)]
  expect(removed({ strangers: [stranger(1)], reported: known, givenUp: givenUp() })).toEqual(['i-1'])
  const ending = stranger(1, { state: 'terminating' })
  expect(removed({ strangers: [ending], reported: known, givenUp: givenUp() })).toEqual([])
})

test('more than the cap at once do not go at all, but for those an operator has named', () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), count => {
      const strangers = Array.from({ length: count }, (_, id) => stranger(id))
      const all = givenUp(...strangers.keys())
      const { remove, overCap } = decideOrphans({ strangers, reported: [reported(0, true)], givenUp: all })
      if (count > sweepCap) expect({ remove, overCap }).toEqual({ remove: [strangers[0]], overCap: count })
      else expect({ remove: remove.length, overCap }).toEqual({ remove: count, overCap: 0 })
    }),
  ))
