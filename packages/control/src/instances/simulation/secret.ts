import { type ChangeSet, type ChangeSetBuilder, changeSet, type ObjectDraft, type View } from '@stead/engine'
import type { World } from '@stead/world'
import { Secret, type SecretSpec, type SecretStatus } from '../../secrets/model.ts'
import { withNewVersion } from '../../secrets/versions.ts'
import { sealerOf } from '../../simulation/index.ts'
import type { SecretUse } from '../source/services.ts'
import { versionsUsed } from '../values/versions-used.ts'
import { type Life, organizationOf } from './plan.ts'

/** What is planted to be looked for where it must not be. */
export const planted = 'planted-secret-of'

const idOf = ({ name }: Pick<Life, 'name'>): string => `sec_01977420-0000-7000-8000-00000000000${name.at(-1)}`

/** The value of a version of the secret of a life. */
export const secretValue = ({ name }: Pick<Life, 'name'>, version: number): string => `${planted}-${name}-${version}`

/** Some are restarted when it is rotated, and others are signalled. */
export const usesOf = (life: Pick<Life, 'name'>): SecretUse[] =>
  Number(life.name.at(-1)) % 2 === 0
    ? [{ name: life.name, env: 'PASSWORD', onRotate: 'restart' }]
    : [{ name: life.name, file: '/run/password', onRotate: 'SIGHUP' }]

interface Around {
  readonly world: World
  readonly life: Life
}

const written = (set: ChangeSetBuilder, { world, life }: Around, secret: SecretDraft, used: ReadonlySet<number>) => {
  const content = Buffer.from(secretValue(life, secret.status.versions.length + 1))
  const writing = { sealer: sealerOf(world), content, used, at: world.now(), by: life.tenant }
  return { ...secret.status, versions: withNewVersion(set, secret, writing) }
}

type SecretDraft = ObjectDraft<SecretSpec, SecretStatus>

/** Makes the secret of a life, before its instance. */
export function makeSecret({ world, life }: Around): ChangeSet {
  const set = changeSet(world)
  const secret: SecretDraft = {
    ...{ kind: Secret.kind, id: idOf(life), name: life.name, projectId: life.tenant },
    ...{ organizationId: organizationOf(life.tenant) },
    ...{ labels: {}, finalizers: [], createdAt: world.now() },
    spec: { type: 'opaque', keepVersions: 50 },
    status: { isText: true, versions: [] },
  }
  return set.create({ ...secret, status: written(set, { world, life }, secret, new Set()) })
}

/** Writes a version, if nobody has yet: asked twice, it is done once. */
export function rotate({ world, life }: Around, cache: View, version: number): ChangeSet | undefined {
  const secret = cache.get(Secret.kind, idOf(life))
  if (!secret || secret.status.versions.at(-1)!.version >= version) return undefined
  const set = changeSet(world)
  return set.update(secret, { status: written(set, { world, life }, secret, versionsUsed(cache, secret.id)) })
}
