import { expect, test } from 'vitest'
import type { AuditBody } from './model.ts'
import { Denials, Strangers } from './noise.ts'

const denial = (actor: string, object: string, address = '10.0.0.1'): AuditBody => ({
  actor: { id: actor, type: 'service-account', name: actor },
  action: 'projects:delete',
  request: 'DELETE /v1/projects/:project',
  object: { kind: 'project', id: object },
  result: 'denied',
  code: 'forbidden',
  from: { address },
  count: 1,
})

const total = (entries: readonly AuditBody[]) => entries.reduce((sum, { count }) => sum + count, 0)

test('no denial goes uncounted, however many there are and of whom', () => {
  const denials = new Denials()
  let [told, noted] = [0, 0]
  for (let round = 0; round < 3; round++)
    for (let actor = 0; actor < 300; actor++)
      for (let object = 0; object < 25; object++) {
        noted += 1
        told += denials.note(denial(`a${actor}`, `o${object}`)) ? 1 : 0
      }
  const drained = denials.drain()
  expect(told + total(drained)).toBe(noted)
  expect(told).toBeLessThanOrEqual(4_096)
  expect(drained.length).toBeLessThanOrEqual(4_096 + 301)
  expect(denials.drain()).toEqual([])
})

test('one who is refused at ever new doors is told of twenty times a minute, and once for all the rest', () => {
  const denials = new Denials()
  const told = Array.from({ length: 1_000 }, (_, n) => denials.note(denial('a', `o${n}`))).filter(Boolean)
  expect(told).toHaveLength(20)
  expect(denials.drain()).toMatchObject([{ actor: { id: 'a' }, count: 980 }])
  expect(denials.note(denial('a', 'o0'))).toBeDefined()
})

test('strangers from everywhere become 16 entries a minute, and none goes uncounted', () => {
  const strangers = new Strangers()
  for (let address = 0; address < 10_000; address++)
    for (let n = 0; n <= (address < 5 ? 9 : 0); n++) strangers.note(denial('nobody', 'x', `10.0.${address}`))
  const drained = strangers.drain()
  expect(drained).toHaveLength(16)
  expect(total(drained)).toBe(10_045)
  expect(drained.filter(({ count }) => count === 10)).toHaveLength(5)
  expect(strangers.drain()).toEqual([])
})

test('who tries ever new names is told of by five of them, and by where they came from', () => {
  const strangers = new Strangers()
  const trying = (name: string) => ({ ...denial('nobody', 'x'), actor: { id: 'nobody', type: 'nobody', name } })
  for (let n = 0; n < 1_000; n++) strangers.note(trying(`name-${n}`))
  for (let n = 0; n < 3; n++) strangers.note(trying('name-0'))
  expect(strangers.drain().map(({ actor, count }) => [actor.name, count])).toEqual([
    ['nobody', 995],
    ['name-0', 4],
    ...[1, 2, 3, 4].map(n => [`name-${n}`, 1]),
  ])
})
