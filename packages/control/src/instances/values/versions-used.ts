import type { View } from '@stead/engine'
import { servers } from '../../servers/model.ts'
import { instances, instancesByUse } from '../model.ts'
import { usedSecrets } from './used-secrets.ts'

/** The versions of a secret that something is pinned to, or runs with. */
export function versionsUsed(everything: View, secretId: string): ReadonlySet<number> {
  const users = everything.list({ kind: instances, index: { name: instancesByUse.name, key: secretId } }).items
  return new Set(
    users.flatMap(({ id, kind, spec }) => {
      const pinned = usedSecrets(spec).flatMap(use => (use.id === secretId ? [use.version] : []))
      const owned = everything.list({ kind: servers, owner: { kind, id } }).items
      const held = owned.map(server => server.spec.secrets?.[secretId])
      return [...pinned, ...held].filter(version => version !== undefined)
    }),
  )
}
