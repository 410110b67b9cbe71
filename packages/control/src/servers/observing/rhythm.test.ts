import { expect, test } from 'vitest'
import { pauseBetweenLists } from './rhythm.ts'

const both = [false, true]

test('a doubt never makes the next look later', () => {
  for (const streams of both)
    for (const moves of both) {
      const doubted = pauseBetweenLists({ streams, moves, doubts: true })
      expect(doubted).toBeLessThanOrEqual(pauseBetweenLists({ streams, moves, doubts: false }))
    }
})

test('what moves is looked at sooner than what is still', () => {
  for (const streams of both)
    expect(pauseBetweenLists({ streams, moves: true, doubts: false })).toBeLessThan(
      pauseBetweenLists({ streams, moves: false, doubts: false }),
    )
})
