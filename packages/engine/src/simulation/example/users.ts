import { millis, type World } from '@stead/world'
import { changeSet } from '../../change-set-builder.ts'
import type { ChangeSet } from '../../words/change-set.ts'
import type { Revision } from '../../words/object.ts'
import type { Stage } from '../experiment.ts'
import { changeGadget, createGadget, deleteGadget, renameGadget } from './gadgets/api.ts'
import { type Gadget, type GadgetSpec, gadgetQuota, gadgets } from './gadgets/model.ts'
import type { Life, Plan, Step } from './plan.ts'
import { widgetQuota } from './widgets/model.ts'
import { workshopId, workshops } from './workshop/model.ts'

type Outside = Pick<Stage, 'world' | 'requests'>

/** Sets the place up, then lets every user live its life. Resolves when all of them have had all they wanted. */
export async function runUsers(outside: Outside, plan: Plan): Promise<void> {
  const known = await outside.requests.insist({
    who: 'operator',
    what: 'set up',
    known: 0,
    changes: () => setUp(outside.world, plan),
    isDone: conflict => conflict.type === 'absent',
  })
  await Promise.all(plan.lives.map(life => live(outside, life, known)))
}

const setUp = (world: World, { gadgetLimit, widgetLimit }: Plan): ChangeSet =>
  changeSet(world)
    .create({
      kind: workshops,
      id: workshopId,
      labels: {},
      finalizers: [],
      createdAt: world.now(),
      spec: {},
      status: {},
    })
    .limit(gadgetQuota, gadgetLimit)
    .limit(widgetQuota, widgetLimit)

async function live({ world, requests }: Outside, { id, steps }: Life, start: Revision): Promise<void> {
  let known = start
  for (const step of steps) {
    await world.sleep(millis(step.after))
    known = await requests.insist({
      who: id,
      what: step.type,
      known,
      changes: ({ engine }) => changesFor(step, { id, world, gadget: engine.cache.platform().get(gadgets, id) }),
      // It exists, or it existed: the request key says that the create was accepted, whatever became of its answer.
      isDone: conflict => conflict.type === 'absent' || (conflict.type === 'key' && conflict.heldBy === id),
    })
  }
}

interface Situation {
  readonly id: string
  readonly world: World
  readonly gadget: Gadget | undefined
}

/** What this step still needs. A gadget that is gone, with all that was known read, needs nothing any more. */
function changesFor(step: Step, { id, world, gadget }: Situation): ChangeSet | undefined {
  if (step.type === 'create') return createGadget(world, { id, name: step.name, spec: step.spec })
  if (!gadget) return undefined
  switch (step.type) {
    case 'change':
      return sameSpec(gadget.spec, step.spec) ? undefined : changeGadget(world, gadget, step.spec)
    case 'rename':
      return gadget.name === step.name ? undefined : renameGadget(world, gadget, step.name)
    case 'delete':
      return gadget.deletedAt === undefined ? deleteGadget(world, gadget) : undefined
  }
}

const sameSpec = (a: GadgetSpec, b: GadgetSpec) => a.widgets === b.widgets && a.color === b.color
