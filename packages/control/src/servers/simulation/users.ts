import { type ChangeSet, changeSet } from '@stead/engine'
import { millis, type World } from '@stead/world'
import type { ControlStage } from '../../simulation/index.ts'
import { type Box, boxes } from './boxes.ts'
import { firstSpec, type Life, type Plan, type Step } from './plan.ts'

type Outside = Pick<ControlStage, 'world' | 'requests' | 'setUp'>

/** Lets every user live its life. Resolves when all of them have had all they wanted. */
export async function runUsers(outside: Outside, plan: Plan): Promise<void> {
  const known = await outside.setUp()
  await Promise.all(plan.map(life => live(outside, life, known)))
}

async function live({ world, requests }: Outside, { id, steps }: Life, start: number): Promise<void> {
  let known = start
  for (const step of steps) {
    await world.sleep(millis(step.after))
    const done = await requests.insist({
      who: id,
      what: step.type,
      known,
      changes({ engine }) {
        const box = engine.cache.platform().get(boxes, id)
        // From here on it is known to have been there: where it is not seen any more, it is gone.
        if (box) known = Math.max(known, engine.cache.revision)
        return changesFor(step, { id, world, box })
      },
      isDone: () => false,
    })
    known = Math.max(known, done)
  }
}

interface Situation {
  readonly id: string
  readonly world: World
  readonly box: Box | undefined
}

function changesFor(step: Step, { id, world, box }: Situation): ChangeSet | undefined {
  switch (step.type) {
    case 'create': {
      if (box) return undefined
      const spec = { ...firstSpec, ...step.as }
      const made = { kind: boxes, id, labels: {}, finalizers: [], createdAt: world.now(), spec, status: {} }
      // Held for ever: a create that was sent twice and comes late must not make again what is gone.
      return changeSet(world).create(made).take(`box-request/${id}`, id)
    }
    case 'change': {
      if (!box) return undefined
      const isSame = Object.entries(step.to).every(([key, value]) => box.spec[key as keyof typeof box.spec] === value)
      return isSame ? undefined : changeSet(world).update(box, { spec: { ...box.spec, ...step.to } })
    }
    case 'delete':
      return box && box.deletedAt === undefined ? changeSet(world).update(box, { deletedAt: world.now() }) : undefined
  }
}
