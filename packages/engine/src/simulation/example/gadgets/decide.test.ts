import { instant } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Widget } from '../widgets/model.ts'
import { decide } from './decide.ts'
import type { Gadget } from './model.ts'

const anyColor = fc.constantFrom('red', 'blue')
const anyMoment = fc.option(fc.constant(instant(5)), { nil: undefined })

const anyGadget = fc
  .record({ widgets: fc.integer({ min: 0, max: 4 }), color: anyColor, deletedAt: anyMoment, ready: fc.nat(4) })
  .map(
    ({ widgets, color, deletedAt, ready }): Gadget => ({
      kind: 'gadget',
      id: 'g1',
      name: 'g',
      labels: {},
      finalizers: [],
      createdAt: instant(1),
      ...(deletedAt === undefined ? {} : { deletedAt }),
      spec: { widgets, color },
      status: { ready, observedGeneration: 1 },
      generation: 2,
      revision: 9,
    }),
  )

const anyWidget = fc
  .record({ color: anyColor, deletedAt: anyMoment, phase: fc.constantFrom('making', 'made', 'doubtful') })
  .map(
    ({ color, deletedAt, phase }) =>
      (slot: number): Widget => ({
        kind: 'widget',
        id: `w${slot}`,
        labels: {},
        finalizers: [],
        createdAt: instant(1),
        ...(deletedAt === undefined ? {} : { deletedAt }),
        spec: { slot, color },
        status: { phase: phase as Widget['status']['phase'], attempt: 1 },
        generation: 1,
        revision: 8,
      }),
  )

/** Slots admit one widget each: that is what their key is for. */
const anyView = fc.record({
  gadget: anyGadget,
  widgets: fc
    .array(fc.option(anyWidget), { maxLength: 6 })
    .map(slots => slots.flatMap((make, slot) => (make ? [make(slot)] : []))),
})

const check = (holds: (view: Parameters<typeof decide>[0], actions: ReturnType<typeof decide>) => void) =>
  fc.assert(fc.property(anyView, view => holds(view, decide(view))))

test('a slot gets a widget only when nothing is left in it', () =>
  check(({ gadget, widgets }, actions) => {
    const added = actions.flatMap(action => (action.type === 'add' ? [action.slot] : []))
    const taken = widgets.map(widget => widget.spec.slot)
    expect(added.filter(slot => taken.includes(slot) || slot >= gadget.spec.widgets)).toEqual([])
    expect(new Set(added).size).toBe(added.length)
  }))

test('a gadget is forgotten only when it is deleted and its last widget is gone', () =>
  check(({ gadget, widgets }, actions) => {
    const forgets = actions.some(action => action.type === 'forget')
    expect(forgets).toBe(gadget.deletedAt !== undefined && widgets.length === 0)
  }))

test('what fits is never dismissed, what is going is not dismissed twice', () =>
  check(({ gadget }, actions) => {
    for (const action of actions) {
      if (action.type !== 'dismiss') continue
      const { spec, deletedAt } = action.widget
      expect(deletedAt).toBeUndefined()
      if (gadget.deletedAt === undefined)
        expect(spec.slot >= gadget.spec.widgets || spec.color !== gadget.spec.color).toBe(true)
    }
  }))

test('a deleted gadget makes nothing new', () =>
  check(({ gadget }, actions) => {
    if (gadget.deletedAt !== undefined) expect(actions.filter(action => action.type === 'add')).toEqual([])
  }))

test('what is said already is not said again', () =>
  check((view, actions) => {
    const report = actions.find(action => action.type === 'report')
    if (!report) return
    const { ready, observedGeneration } = report
    const told = { ...view, gadget: { ...view.gadget, status: { ready, observedGeneration } } }
    expect(decide(told).filter(action => action.type === 'report')).toEqual([])
  }))
