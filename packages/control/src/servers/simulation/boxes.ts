import {
  type BaseStatus,
  changeSet,
  controller,
  done,
  kindOf,
  owned,
  type ReconcileContext,
  type StoredObject,
} from '@stead/engine'
import { type LaunchSpec, labelTags, type Owner, serverTags } from '@stead/provider-kit'
import { newId } from '@stead/world'
import type { Around } from '../../simulation/index.ts'
import { sealLaunch } from '../launch-content.ts'
import { isSteady, type Server, type ServerSpec, type ServerStatus, servers, slotKey, unlaunched } from '../model.ts'

/** What stands for an instance here: it wants one server, as described. */
export interface BoxSpec {
  readonly power: 'on' | 'off'
  readonly flavor: string
  readonly image: string
  readonly label: string
  readonly restarts: number
  readonly rebuilds: number
}

export type Box = StoredObject<BoxSpec, BaseStatus>
export const boxes = kindOf<Box>('box')

const labelsOf = ({ label }: BoxSpec) => ({ box: label })

const launchOf = (owner: Owner, serverId: string, box: BoxSpec): LaunchSpec => ({
  name: 'box',
  power: box.power,
  source: { type: 'machine', flavor: box.flavor, image: box.image },
  tags: { ...serverTags(owner, serverId), ...labelTags(labelsOf(box)) },
})

/** Keeps one server for each box: makes its power true again when it changed by itself, makes another when it is lost. */
export const boxController = ({ sealer, store }: Pick<Around, 'sealer' | 'store'>, region: string) => {
  const owner: Owner = { controlPlane: store.identity.storeId, region }

  const create = async (box: Box, { world, commit }: ReconcileContext) => {
    const set = changeSet(world)
    const ref = { kind: servers, id: newId(world, 'srv') }
    const launch = sealLaunch(set, sealer, ref, launchOf(owner, ref.id, box.spec))
    const spec: ServerSpec = {
      ...{ region, generation: box.generation, source: 'machine', launch, power: box.spec.power },
      restart: { sequence: box.spec.restarts, hard: false },
      rebuild: { sequence: box.spec.rebuilds },
    }
    set
      .create<ServerSpec, ServerStatus>({
        ...ref,
        ...{ labels: labelsOf(box.spec), finalizers: [], createdAt: world.now() },
        owner: { kind: box.kind, id: box.id },
        spec,
        status: unlaunched(1, store.identity.epoch),
      })
      .take(slotKey(box.id, 'active'), ref.id)
    await commit(set)
  }

  const follow = async (box: Box, server: Server, { world, commit }: ReconcileContext) => {
    const { spec } = server
    const set = changeSet(world)
    const launch = sealLaunch(set, sealer, server, launchOf(owner, server.id, box.spec))
    const asked = spec.restart!.sequence
    const restart = wentAstray(server) ? asked + 1 : Math.max(asked, box.spec.restarts)
    const rebuild = Math.max(spec.rebuild!.sequence, box.spec.rebuilds)
    const isSame =
      launch.sealed === spec.launch.sealed &&
      box.spec.power === spec.power &&
      restart === asked &&
      rebuild === spec.rebuild!.sequence
    if (isSame) return
    set.update(server, {
      labels: labelsOf(box.spec),
      spec: {
        ...spec,
        launch,
        power: box.spec.power,
        generation: box.generation,
        restart: { sequence: restart, hard: false },
        rebuild: { sequence: rebuild },
      },
    })
    await commit(set)
  }

  return controller<Box>({
    name: 'boxes',
    kind: boxes,
    wakes: [owned(servers)],
    async reconcile(box, context) {
      const { cache, world, commit } = context
      const [server] = cache.list({ kind: servers, owner: box }).items
      if (box.deletedAt !== undefined && !server) await commit(changeSet(world).remove(box))
      else if (!server) await create(box, context)
      else if (server.deletedAt === undefined && (box.deletedAt !== undefined || server.status.lost))
        await commit(changeSet(world).update(server, { deletedAt: world.now() }))
      else if (server.deletedAt === undefined) await follow(box, server, context)
      return done
    },
  })
}

/** It is not as it was brought to be, by its own doing or somebody else's. */
export const wentAstray = (server: Pick<Server, 'spec' | 'status' | 'deletedAt'>): boolean =>
  isSteady(server) && server.status.observed?.state === (server.spec.power === 'on' ? 'stopped' : 'running')
