import { expect, test } from 'vitest'
import { asksFor, mayAskFor } from './filter.ts'
import type { EventFilter } from './model.ts'

const failed = { reason: 'Failed', object: { kind: 'instance', id: 'i', labels: { tier: 'web' }, phase: 'failed' } }
const made = { reason: 'Created', object: { kind: 'network', id: 'n' } }

test.each<[EventFilter, boolean, boolean]>([
  [{}, true, true],
  [{ types: ['instance.Failed'] }, true, false],
  [{ types: ['instance.*'] }, true, false],
  [{ types: ['*.Created', 'image.Failed'] }, false, true],
  [{ kinds: ['network', 'image'] }, false, true],
  [{ labels: { tier: 'web' } }, true, false],
  [{ labels: { tier: 'api' } }, false, false],
  [{ phases: ['failed', 'stopped'] }, true, false],
  [{ types: ['*.*'], kinds: ['instance'], phases: ['running'] }, false, false],
])('%j', (filter, ofFailed, ofMade) => {
  expect(asksFor(filter, failed)).toBe(ofFailed)
  expect(asksFor(filter, made)).toBe(ofMade)
})

test.each<[EventFilter, boolean]>([
  [{}, true],
  [{ types: ['*.Failed'] }, true],
  [{ types: ['network.*'] }, false],
  [{ kinds: ['network'] }, false],
  [{ types: ['instance.*'], kinds: ['network'] }, false],
])('%j could ask for what happens to an instance: %s', (filter, could) =>
  expect(mayAskFor(filter, 'instance')).toBe(could),
)
