import { expect, test } from 'vitest'
import { carriedOver, unmade } from './agreement.ts'
import { anInstance, aServer } from './tests/samples.ts'

const agreed = { generation: 2, effect: 'replace', amounts: {} } as const
const at = (generation: number, change: object = agreed) =>
  anInstance({ generation, status: { change: { ...agreed, ...change } } })
const server = (generation: number) => aServer({ spec: { generation } })

test('what was agreed to is unmade until its server is told, and when it was given up', () => {
  expect(unmade(at(2), server(1))).toEqual(agreed)
  expect(unmade(at(2), undefined)).toEqual(agreed)
  expect(unmade(at(2), server(2))).toBeUndefined()
  expect(unmade(at(3), server(3))).toBeUndefined()
  expect(unmade(at(2, { failed: true }), server(2))).toEqual({ ...agreed, failed: true })
})

test('it holds for the next generation only if it held for this one, and is not made yet', () => {
  expect(carriedOver(at(2), server(1))).toEqual({ ...agreed, generation: 3 })
  expect(carriedOver(at(2), server(2))).toEqual(agreed)
  expect(carriedOver(at(3), server(1))).toEqual(agreed)
  expect(carriedOver(anInstance(), server(1))).toBeUndefined()
})
