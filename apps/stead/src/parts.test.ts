import { describe, expect, test } from 'vitest'
import { type Part, Parts } from './parts.ts'

function partsOf(...list: Part[]): Parts {
  const parts = new Parts()
  for (const part of list) parts.add(part)
  return parts
}

test('ready is when no part has a problem', () => {
  let problem: string | undefined = '7 s behind'
  const parts = partsOf({ name: 'http' }, { name: 'cache', problem: () => problem })
  expect(parts.problems()).toEqual([{ part: 'cache', problem: '7 s behind' }])
  problem = undefined
  expect(parts.problems()).toEqual([])
})

describe('closing', () => {
  const closed: string[] = []
  const good = (name: string): Part => ({ name, close: async () => void closed.push(name) })
  const bad = (name: string): Part => ({ name, close: () => Promise.reject(new Error(`${name} would not close`)) })

  test('goes from the last opened to the first, each once', async () => {
    closed.length = 0
    const parts = partsOf(good('store'), good('controllers'), good('http'))
    await parts.close()
    await parts.close()
    expect(closed).toEqual(['http', 'controllers', 'store'])
  })

  test('a part that fails to close keeps no other open, and is heard of', async () => {
    closed.length = 0
    await expect(partsOf(good('store'), bad('http')).close()).rejects.toThrow('http would not close')
    expect(closed).toEqual(['store'])
    await expect(partsOf(bad('store'), bad('http')).close()).rejects.toMatchObject({
      errors: [new Error('http would not close'), new Error('store would not close')],
    })
  })
})
