import { expect, test } from 'vitest'
import { idPrefix, newId } from './ids.ts'
import { instant } from './instant.ts'
import { realWorld } from './real.ts'

const at = (now: number) => newId({ ...realWorld, now: () => instant(now) }, 'wid')

test('an id says its kind and is a UUIDv7', () => {
  const id = newId(realWorld, 'inst')
  expect(id).toMatch(/^inst_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(idPrefix(id)).toBe('inst')
})

test('later ids sort after earlier ones', () => expect(at(1_000) < at(2_000)).toBe(true))

test('ids of one moment differ', () => expect(new Set(Array.from({ length: 10_000 }, () => at(5))).size).toBe(10_000))

test('what is not an id has no prefix', () => {
  for (const text of ['web-1', 'inst_', 'inst_123', '']) expect(idPrefix(text)).toBeUndefined()
})
