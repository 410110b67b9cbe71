import { expect, test } from 'vitest'
import type { ServerStatus } from './model.ts'
import { agreeing } from './status.ts'

const seenWith = (labels: Record<string, string> | undefined) =>
  ({ attempt: 1, observed: { state: 'running', ...(labels && { labels }) } }) as unknown as ServerStatus

test('labels that somebody else wrote are not stray any more once they are wanted', () => {
  expect(agreeing(seenWith({ tier: 'web' }), { tier: 'web' })).toEqual(seenWith(undefined))
  expect(agreeing(seenWith({}), {})).toEqual(seenWith(undefined))
})

test('labels that differ stay as they were seen, and a status without any stays the same object', () => {
  const differing = seenWith({ tier: 'web' })
  expect(agreeing(differing, { tier: 'api' })).toBe(differing)
  const plain = seenWith(undefined)
  expect(agreeing(plain, {})).toBe(plain)
})
