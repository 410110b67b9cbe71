import type { Life, Plan, Step } from './plan.ts'

const life = (...steps: readonly Step[]): Life => ({ id: 'box_1', steps: [{ type: 'create', after: 0 }, ...steps] })

/** Long enough for what came before to be under way, not long enough for all of it to be over. */
const soon = 300
const later = 4_000

/** Small enough to be broken at every single point. */
export const scenarios = {
  create: [life()],
  'create and delete at once': [life({ type: 'delete', after: soon })],
  'create and delete': [life({ type: 'delete', after: later })],
  'stop and start': [
    life({ type: 'change', after: later, to: { power: 'off' } }, { type: 'change', after: later, to: { power: 'on' } }),
  ],
  'resize and rename': [
    life(
      { type: 'change', after: later, to: { flavor: 'large' } },
      { type: 'change', after: soon, to: { label: 'b' } },
    ),
  ],
  'restart and rebuild': [
    life(
      { type: 'change', after: later, to: { restarts: 1 } },
      { type: 'change', after: later, to: { image: 'debian-12', rebuilds: 1 } },
    ),
  ],
} as const satisfies Record<string, Plan>

export type ScenarioName = keyof typeof scenarios
export const scenarioNames = Object.keys(scenarios) as ScenarioName[]
