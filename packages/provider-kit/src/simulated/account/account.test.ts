import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Tags } from '../../tags.ts'
import { EventRing } from './events.ts'
import { contains, formatAddress, parseAddress, parseCidr } from './ipv4.ts'
import { Entry, Roster } from './roster.ts'

interface View {
  readonly id: string
  readonly value: number
  readonly tags: Tags
}

class Thing extends Entry<View> {
  value = 0

  override view(): View {
    return { id: this.id, value: this.value, tags: this.tags }
  }
}

const readAll = (roster: Roster<View, Thing>, at: number, limit: number) => {
  const items: View[] = []
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: { items: readonly View[]; next: number | undefined } = roster.page({
      tags: { kind: 'thing' },
      matches: () => true,
      after,
      limit,
      at,
    })
    items.push(...page.items)
    after = page.next
  }
  return items
}

type Step = { what: 'add' | 'change' | 'remove'; which: number }

const steps = fc.array(
  fc.record({ what: fc.constantFrom('add' as const, 'change' as const, 'remove' as const), which: fc.nat(5) }),
  { maxLength: 30 },
)

/** Plays the steps, one per moment, and notes how everything looked after each. */
function play(list: Step[], keep: number) {
  const roster = new Roster<View, Thing>(keep)
  const things: Thing[] = []
  const pictures: View[][] = [[]]
  for (const [index, { what, which }] of list.entries()) {
    const now = index + 1
    const there = things.filter(thing => !thing.removed)
    const chosen = there[which % Math.max(1, there.length)]
    if (what === 'add' || !chosen) {
      const thing = new Thing(`t${now}`, now, { kind: 'thing' })
      things.push(thing)
      roster.add(thing, now)
    } else if (what === 'change') {
      chosen.value = now
      roster.changed(chosen, now)
    } else roster.remove(chosen, now)
    pictures.push(things.filter(thing => !thing.removed).map(thing => thing.view()))
  }
  return { roster, pictures }
}

test('a roster shows the picture of any moment it keeps, whole, whatever the size of a page', () =>
  fc.assert(
    fc.property(steps, fc.nat(10), fc.integer({ min: 1, max: 4 }), (list, age, limit) => {
      const { roster, pictures } = play(list, 10)
      const at = Math.max(0, list.length - age)
      expect(readAll(roster, at, limit)).toEqual(pictures[at])
      for (const view of pictures[at]!) expect(roster.at(view.id, at)).toEqual(view)
    }),
  ))

test('a roster that keeps nothing shows the present', () =>
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (list, limit) => {
      const { roster, pictures } = play(list, 0)
      expect(readAll(roster, 0, limit)).toEqual(pictures.at(-1))
      expect(roster.size).toBe(pictures.at(-1)!.length)
    }),
  ))

test('events are kept without holes, and too old a number is told', () => {
  const ring = new EventRing(3)
  expect(ring.after(0)).toEqual([])
  for (let i = 1; i <= 5; i++) ring.push(`i-${i}`, undefined)
  expect(ring.after(2)?.map(event => event.id)).toEqual(['i-3', 'i-4', 'i-5'])
  expect(ring.after(5)).toEqual([])
  expect(ring.after(1)).toBeUndefined()
  expect(ring.after(6)).toBeUndefined()
  expect(ring.after(Number.NaN)).toBeUndefined()
})

test('addresses and networks are read as they are written', () => {
  fc.assert(fc.property(fc.nat(2 ** 32 - 1), address => parseAddress(formatAddress(address)) === address))
  expect(parseCidr('10.1.0.0/24')).toEqual({ base: parseAddress('10.1.0.0'), prefix: 24 })
  for (const text of ['10.1.0.1/24', '10.1.0.0', '10.1.0.0/33', '10.1.0/24', '300.0.0.0/8', 'net', ''])
    expect(parseCidr(text)).toBeUndefined()
  const network = parseCidr('10.1.0.0/24')!
  expect(contains(network, parseAddress('10.1.0.255')!)).toBe(true)
  expect(contains(network, parseAddress('10.1.1.0')!)).toBe(false)
})
