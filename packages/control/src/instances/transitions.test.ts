import fc from 'fast-check'
import { expect, test } from 'vitest'
import { advance, type Phase, phases, transitions } from './transitions.ts'

const anyPhase = fc.constantFrom(...phases)

test('whatever is seen in whatever order, a phase is only followed by one that the table allows', () =>
  fc.assert(
    fc.property(anyPhase, fc.array(anyPhase), (first, seen) => {
      let phase: Phase = first
      for (const wanted of seen) {
        const next = advance(phase, wanted)
        if (next !== phase) expect(transitions[phase]).toContain(next)
        phase = next
      }
    }),
  ))

test('what is wanted is reached in a few steps, without being said to run or to have failed on the way', () => {
  const ends = ['running', 'stopped', 'failed', 'destroying'] as const
  for (const from of phases)
    for (const to of ends) {
      if (from === 'destroyed' || (from === 'destroying' && to !== 'failed')) continue
      const passed: Phase[] = []
      for (let phase: Phase = from; phase !== to; passed.push(phase)) {
        phase = advance(phase, to)
        expect(passed.length).toBeLessThan(3)
      }
      expect(passed.slice(0, -1).filter(phase => phase === 'running' || phase === 'failed')).toEqual([])
    }
})

test('what ends never comes back, and what is gone stays gone', () => {
  for (const phase of phases) {
    expect(advance('destroyed', phase)).toBe('destroyed')
    expect(['destroying', 'failed', 'destroyed']).toContain(advance('destroying', phase))
  }
})
