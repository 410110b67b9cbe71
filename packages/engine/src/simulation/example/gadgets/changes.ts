import { newId, type World } from '@stead/world'
import { type ChangeSetBuilder, changeSet } from '../../../change-set-builder.ts'
import { letGo } from '../../../controllers/index.ts'
import {
  outsideFinalizer,
  slotKey,
  type WidgetSpec,
  type WidgetStatus,
  widgetQuota,
  widgets,
} from '../widgets/model.ts'
import type { GadgetAction } from './decide.ts'
import { type Gadget, gadgetQuota, gadgets, nameKey, widgetsFinalizer } from './model.ts'

/** What an action writes. Each is whole in itself, so a crash between two of them leaves nothing half done. */
export function changesOf(action: GadgetAction, gadget: Gadget, world: World): ChangeSetBuilder {
  switch (action.type) {
    case 'add':
      return addWidget(gadget, action.slot, world)
    case 'dismiss':
      return changeSet(world).update(action.widget, { deletedAt: world.now() })
    case 'report': {
      const { ready, observedGeneration } = action
      return changeSet(world).update(gadget, { status: { ...gadget.status, ready, observedGeneration } })
    }
    case 'forget':
      return letGo(changeSet(world), gadget, widgetsFinalizer, set =>
        set.release(nameKey(gadget.name!), gadget.id).move(gadgetQuota, -1),
      )
  }
}

/** That the gadget is as it was read is expected too: no widget may appear beside a gadget that is gone. */
function addWidget(gadget: Gadget, slot: number, world: World): ChangeSetBuilder {
  const id = newId(world, 'wid')
  return changeSet(world)
    .expectRevision(gadget, gadget.revision)
    .create<WidgetSpec, WidgetStatus>({
      kind: widgets,
      id,
      labels: {},
      owner: { kind: gadgets, id: gadget.id },
      finalizers: [outsideFinalizer],
      createdAt: world.now(),
      spec: { slot, color: gadget.spec.color },
      status: { phase: 'making', attempt: 1 },
    })
    .take(slotKey(gadget.id, slot), id)
    .move(widgetQuota, 1)
}
