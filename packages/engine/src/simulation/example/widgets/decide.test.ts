import { instant } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Thing } from '../outside/api.ts'
import { decide } from './decide.ts'
import type { Widget } from './model.ts'

const anyWidget = fc
  .record({
    deleted: fc.boolean(),
    phase: fc.constantFrom('making', 'made', 'doubtful'),
    attempt: fc.integer({ min: 1 }),
  })
  .map(
    ({ deleted, phase, attempt }): Widget => ({
      kind: 'widget',
      id: 'w1',
      labels: {},
      finalizers: [],
      createdAt: instant(1),
      ...(deleted ? { deletedAt: instant(5) } : {}),
      spec: { slot: 0, color: 'red' },
      status: { phase: phase as Widget['status']['phase'], attempt },
      generation: 1,
      revision: 8,
    }),
  )
const anyThing = fc
  .constantFrom('live', 'dead')
  .map(state => ({ token: 'w1.1', widgetId: 'w1', color: 'red', state: state as Thing['state'] }))

const check = (holds: (widget: Widget, thing: Thing | undefined, action: ReturnType<typeof decide>) => void) =>
  fc.assert(
    fc.property(anyWidget, fc.option(anyThing, { nil: undefined }), (widget, thing) =>
      holds(widget, thing, decide({ widget, thing })),
    ),
  )

test('nothing is made while there is something', () =>
  check((_, thing, action) => {
    if (thing) expect(action).not.toBe('make')
  }))

test('a live thing is never replaced', () =>
  check((_, thing, action) => {
    if (thing?.state === 'live') expect(action).not.toBe('replace')
  }))

test('a widget is forgotten only when it is deleted and nothing of it is left', () =>
  check((widget, thing, action) => {
    expect(action === 'forget').toBe(widget.deletedAt !== undefined && !thing)
  }))

test('a deleted widget makes nothing', () =>
  check((widget, _, action) => {
    if (widget.deletedAt !== undefined) expect(['forget', 'clear-away']).toContain(action)
  }))

test('what existed and is gone gets another attempt, never the same token again', () =>
  check((widget, thing, action) => {
    if (widget.status.phase !== 'making' && !thing) expect(action).not.toBe('make')
  }))
