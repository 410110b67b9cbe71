import type { Life, Plan, Step } from './plan.ts'
import type { ExampleFault } from './run.ts'

const red = (widgets: number) => ({ widgets, color: 'red' })
const life = (user: number, steps: readonly Step[]): Life => ({ id: `gad_${user}`, steps })

const roomy = { gadgetLimit: 10, widgetLimit: 10 }
/** Long enough for what came before to be under way, not long enough for all of it to be over. */
const soon = 300
const later = 4_000

/** Small enough to be broken at every single point. */
export const scenarios = {
  create: {
    ...roomy,
    lives: [life(1, [{ type: 'create', after: 0, name: 'a', spec: red(1) }])],
  },
  'create and delete': {
    ...roomy,
    lives: [
      life(1, [
        { type: 'create', after: 0, name: 'a', spec: red(2) },
        { type: 'delete', after: soon },
      ]),
    ],
  },
  scale: {
    ...roomy,
    lives: [
      life(1, [
        { type: 'create', after: 0, name: 'a', spec: red(1) },
        { type: 'change', after: later, spec: red(3) },
        { type: 'change', after: soon, spec: red(1) },
      ]),
    ],
  },
  repaint: {
    ...roomy,
    lives: [
      life(1, [
        { type: 'create', after: 0, name: 'a', spec: { widgets: 1, color: 'plaid' } },
        { type: 'change', after: later, spec: { widgets: 1, color: 'blue' } },
      ]),
    ],
  },
  'quota full': {
    gadgetLimit: 2,
    widgetLimit: 2,
    lives: [
      life(1, [
        { type: 'create', after: 0, name: 'a', spec: red(2) },
        { type: 'delete', after: later },
      ]),
      life(2, [{ type: 'create', after: soon, name: 'b', spec: red(2) }]),
    ],
  },
  'rename conflict': {
    ...roomy,
    lives: [
      life(1, [
        { type: 'create', after: 0, name: 'a', spec: red(1) },
        { type: 'delete', after: later },
      ]),
      life(2, [
        { type: 'create', after: 0, name: 'b', spec: red(0) },
        { type: 'rename', after: soon, name: 'a' },
      ]),
    ],
  },
} as const satisfies Record<string, Plan>

export type ScenarioName = keyof typeof scenarios
export const scenarioNames = Object.keys(scenarios) as ScenarioName[]

/** Where a node can die in the middle of something. */
export const nodeCrashes = [
  'node-crash-before-commit',
  'node-crash-after-commit',
  'node-crash-before-outside-call',
  'node-crash-after-outside-call',
] as const satisfies ExampleFault[]

export const allCrashes = [
  ...nodeCrashes,
  'database-crash-before-sync',
  'database-crash-after-sync',
] as const satisfies ExampleFault[]
