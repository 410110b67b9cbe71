import type { World } from '@stead/world'
import { type ChangeSetBuilder, changeSet } from '../../../change-set-builder.ts'
import {
  type Gadget,
  type GadgetSpec,
  type GadgetStatus,
  gadgetQuota,
  gadgets,
  nameKey,
  requestKey,
  widgetsFinalizer,
} from './model.ts'

/** What a user asks for, said once: sending it again finds the request key taken and makes no second gadget. */
export interface GadgetRequest {
  readonly id: string
  readonly name: string
  readonly spec: GadgetSpec
}

/** Gadget, name and quota: all of it or nothing. Nothing is made outside yet. */
export const createGadget = (world: World, { id, name, spec }: GadgetRequest): ChangeSetBuilder =>
  changeSet(world)
    .create<GadgetSpec, GadgetStatus>({
      kind: gadgets,
      id,
      name,
      labels: {},
      finalizers: [widgetsFinalizer],
      createdAt: world.now(),
      spec,
      status: { ready: 0, observedGeneration: 0 },
    })
    .take(requestKey(id), id)
    .take(nameKey(name), id)
    .move(gadgetQuota, 1)

export const changeGadget = (world: World, gadget: Gadget, spec: GadgetSpec): ChangeSetBuilder =>
  changeSet(world).update(gadget, { spec })

/** The old name is free in the same moment in which the new one is taken. */
export const renameGadget = (world: World, gadget: Gadget, name: string): ChangeSetBuilder =>
  changeSet(world).update(gadget, { name }).release(nameKey(gadget.name!), gadget.id).take(nameKey(name), gadget.id)

/** First of two stages: it is marked. It goes when nothing of it is left. */
export const deleteGadget = (world: World, gadget: Gadget): ChangeSetBuilder =>
  changeSet(world).update(gadget, { deletedAt: world.now() })
