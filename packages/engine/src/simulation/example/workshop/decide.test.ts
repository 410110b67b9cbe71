import { instant } from '@stead/world'
import { expect, test } from 'vitest'
import type { Thing } from '../outside/api.ts'
import type { Widget } from '../widgets/model.ts'
import { decide } from './decide.ts'

const widget = (id: string, status: Partial<Widget['status']> = {}, deletedAt?: number): Widget => ({
  kind: 'widget',
  id,
  labels: {},
  finalizers: [],
  createdAt: instant(1),
  ...(deletedAt === undefined ? {} : { deletedAt: instant(deletedAt) }),
  spec: { slot: 0, color: 'red' },
  status: { phase: 'made', attempt: 1, ...status },
  generation: 1,
  revision: 8,
})
const thing = (widgetId: string, state: Thing['state'] = 'live', attempt = 1): Thing => ({
  token: `${widgetId}.${attempt}`,
  widgetId,
  color: 'red',
  state,
})

test('what is made and not seen alive is doubted, and nothing else', () => {
  const widgets = [
    widget('seen'),
    widget('missing'),
    widget('dead'),
    widget('older attempt', { attempt: 2 }),
    widget('not made yet', { phase: 'making' }),
    widget('doubted already', { phase: 'doubtful' }),
    widget('on its way out', {}, 5),
  ]
  const things = [thing('seen'), thing('dead', 'dead'), thing('older attempt')]
  const { doubtful } = decide({ widgets, things })
  expect(doubtful.map(({ id }) => id)).toEqual(['missing', 'dead', 'older attempt'])
})

test('a stranger is what belongs to no widget we know, on its way out or not', () => {
  const { strangers } = decide({
    widgets: [widget('known'), widget('leaving', {}, 5)],
    things: [thing('known'), thing('leaving'), thing('unknown', 'dead'), thing('forgotten')],
  })
  expect(strangers.map(({ widgetId }) => widgetId)).toEqual(['unknown', 'forgotten'])
})
