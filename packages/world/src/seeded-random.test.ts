import { expect, test } from 'vitest'
import { hashText, SeededRandom } from './seeded-random.ts'

const draw = (random: SeededRandom, count: number) => Array.from({ length: count }, () => random.next())

test('the same seed gives the same numbers, another seed others', () => {
  expect(draw(new SeededRandom(7), 50)).toEqual(draw(new SeededRandom(7), 50))
  expect(draw(new SeededRandom(7), 50)).not.toEqual(draw(new SeededRandom(8), 50))
})

test('a fork does not depend on what its parent drew', () => {
  const parent = new SeededRandom(7)
  const early = draw(parent.fork('node'), 5)
  draw(parent, 100)
  expect(draw(parent.fork('node'), 5)).toEqual(early)
  expect(draw(parent.fork('other'), 5)).not.toEqual(early)
})

test('numbers spread evenly over [0, 1)', () => {
  const random = new SeededRandom(1)
  const buckets = new Array(16).fill(0)
  for (let i = 0; i < 32_000; i++) buckets[random.below(16)]++
  for (const count of buckets) expect(Math.abs(count - 2_000)).toBeLessThan(250)
})

test('hashes spread near texts evenly and never change', () => {
  const buckets = new Array(32).fill(0)
  for (let i = 0; i < 32_000; i++) buckets[hashText(`widget/wid_${i}`) % 32]++
  for (const count of buckets) expect(Math.abs(count - 1_000)).toBeLessThan(200)
  expect(hashText('widget/wid_1')).toBe(hashText('widget/wid_1'))
})
