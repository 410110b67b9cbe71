import type { View } from '@stead/engine'
import { type Server, servers } from '../servers/model.ts'
import type { Instance } from './model.ts'

/** The server that an instance runs on. */
export function activeOf({ status }: Instance, everything: Pick<View, 'get'>): Server | undefined {
  const { active: id } = status.slots
  return id === undefined ? undefined : everything.get(servers, id)
}
