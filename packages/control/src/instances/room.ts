import type { Controller, Index, StoredObject } from '@stead/engine'
import { inRegion } from '../regions/whole.ts'
import type { Surroundings } from '../rooms.ts'
import type { Part } from '../teardown/model.ts'
import { inProject } from '../teardown/parts.ts'
import { instanceController } from './controller.ts'
import {
  attachedTo,
  differingInstances,
  Instance,
  instances,
  instancesByPhase,
  instancesByRegion,
  instancesByUse,
} from './model.ts'

const described = { noun: Instance.noun, blocks: true, end: 'mark' } as const

/** Instances that are attached to something: it is in use for as long as they are. */
const attached = (to: (instance: Instance) => readonly string[]): Part => ({
  kind: instances as string,
  ...described,
  find: (everything, { id }) =>
    everything.list({ kind: instances, index: { name: instancesByUse.name, key: id } }).items,
  wholeOf: (part: StoredObject) => to(part as Instance),
})

/** What other rooms need to know of instances. */
export const instanceRoom = {
  kinds: [Instance],
  indexes: [instancesByRegion, instancesByPhase, instancesByUse, differingInstances] as unknown as readonly Index[],
  inProjects: [inProject(instances, described)] as readonly Part[],
  inRegions: [inRegion(instances, Instance.noun, instancesByRegion)] as readonly Part[],
  attached: {
    toNetworks: [attached(instance => attachedTo(instance).networks)],
    toSecurityGroups: [attached(instance => attachedTo(instance).securityGroups)],
    toSshAuthorities: [attached(instance => attachedTo(instance).sshAuthorities)],
    toSecrets: [attached(instance => attachedTo(instance).secrets)],
    toImages: [attached(instance => attachedTo(instance).images)],
  },
  controllers: (surroundings: Surroundings): readonly Controller[] => [instanceController(surroundings)],
}
