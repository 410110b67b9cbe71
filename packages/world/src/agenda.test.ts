import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Agenda, type Appointment } from './agenda.ts'

const drain = <T>(agenda: Agenda<T>): T[] => {
  const items: T[] = []
  for (let next = agenda.takeDue(Infinity); next; next = agenda.takeDue(Infinity)) items.push(next.item)
  return items
}

test('what is due first comes first, whatever was crossed off in between', () =>
  fc.assert(
    fc.property(fc.array(fc.record({ due: fc.nat(20), crossOff: fc.option(fc.nat(50)) })), steps => {
      const agenda = new Agenda<number>()
      const open: Appointment<number>[] = []
      for (const [index, { due, crossOff }] of steps.entries()) {
        open.push(agenda.add(due, index))
        if (crossOff !== null && crossOff < open.length) expect(agenda.remove(open.splice(crossOff, 1)[0]!)).toBe(true)
        expect(agenda.size).toBe(open.length)
      }
      const expected = open.toSorted((a, b) => a.due - b.due || a.item - b.item).map(({ item }) => item)
      expect(drain(agenda)).toEqual(expected)
    }),
  ))

test('ties go by the tie-breaker, then by who came first', () => {
  const agenda = new Agenda<string>()
  agenda.add(5, 'late tie', 2)
  agenda.add(5, 'first', 1)
  agenda.add(5, 'second', 1)
  expect(drain(agenda)).toEqual(['first', 'second', 'late tie'])
})

test('nothing is taken before it is due, and nothing is crossed off twice', () => {
  const agenda = new Agenda<string>()
  const appointment = agenda.add(10, 'x')
  expect(agenda.takeDue(9)).toBeUndefined()
  expect(agenda.takeDue(10)).toBe(appointment)
  expect(agenda.remove(appointment)).toBe(false)
})

test('many can be crossed off at once', () => {
  const agenda = new Agenda<number>()
  for (let i = 0; i < 50; i++) agenda.add((i * 7) % 50, i)
  agenda.removeIf(item => item % 3 !== 0)
  expect(drain(agenda).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 17 }, (_, i) => i * 3))
})
