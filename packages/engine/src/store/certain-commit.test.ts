import { instant, millis, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { ConflictError, UnavailableError } from '../words/errors.ts'
import { commitWithCertainty, type Sending } from './certain-commit.ts'
import { EndedError } from './until-answered.ts'

const committed = { revision: 7, at: instant(1) }
const noAnswer = () => Promise.reject(new UnavailableError('no answer'))
const conflict = new ConflictError({ type: 'key', key: 'name/a', wanted: 'b', heldBy: 'a' })

function commit(answers: (() => Promise<typeof committed>)[], timeout = seconds(10)) {
  const world = new VirtualWorld({ seed: 1 })
  const sendings: Sending[] = []
  const send = (sending: Sending) => {
    sendings.push(sending)
    return (answers.shift() ?? noAnswer)()
  }
  return { world, sendings, outcome: world.run(commitWithCertainty({ world, timeout, send })) }
}

test('a lost answer is asked for again, and the database is told that an earlier sending may still arrive', async () => {
  const { outcome, sendings } = commit([noAnswer, noAnswer, async () => committed])
  expect(await outcome).toEqual(committed)
  expect(sendings.map(sending => sending.resent)).toEqual([false, true, true])
})

test('a conflict is an answer', async () => {
  const { outcome, sendings } = commit([noAnswer, () => Promise.reject(conflict)])
  await expect(outcome).rejects.toBe(conflict)
  expect(sendings).toHaveLength(2)
})

test('a bug is not hidden behind a deadline', async () => {
  const { outcome, sendings } = commit([() => Promise.reject(new TypeError('a bug'))])
  await expect(outcome).rejects.toThrow('a bug')
  expect(sendings).toHaveLength(1)
})

test('a store that has ended is not asked again', async () => {
  const { outcome, sendings } = commit([noAnswer, () => Promise.reject(new EndedError('the store is closed'))])
  await expect(outcome).rejects.toThrow('the store is closed')
  expect(sendings).toHaveLength(2)
})

test('gives up with what went wrong, not with its own impatience at the end', async () => {
  const told = [() => Promise.reject(new UnavailableError('the database is read-only')), ...Array(8).fill(noAnswer)]
  const { outcome } = commit(told, seconds(2))
  await expect(outcome).rejects.toThrow('the store did not answer within 2000 ms: the database is read-only')
})

test('gives up when the deadline passes, and no sending may outlast it', async () => {
  const { world, outcome, sendings } = commit([], seconds(4))
  const start = world.monotonic()
  await expect(outcome).rejects.toBeInstanceOf(UnavailableError)
  expect(world.monotonic() - start).toBeLessThanOrEqual(seconds(4))
  expect(sendings.length).toBeGreaterThan(3)
  expect(sendings.at(-1)!.timeout).toBeLessThan(millis(2_500))
})
