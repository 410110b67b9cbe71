import { changeSet, type Sealer, type Store, type View } from '@stead/engine'
import { onKey } from '../door/conflicts.ts'
import { created } from '../door/replies.ts'
import { type Route, route } from '../door/route.ts'
import { type FieldError, fail } from '../errors/problem.ts'
import { appendEvent } from '../events/model.ts'
import type { Place } from '../identity/caller.ts'
import { projectNounRoutes } from '../resource/project-routes.ts'
import { written } from '../resource/write.ts'
import { buildingOn, placeObjects } from '../teardown/building.ts'
import type { Whole } from '../teardown/model.ts'
import { Secret, type SecretSpec, type SecretStatus, SecretWrite, SecretWriteSpec, secretName } from './model.ts'
import { isText, readValue } from './value.ts'
import { withNewVersion } from './versions.ts'
import { versionRoutes } from './versions-api.ts'

export interface SecretRoom {
  readonly whole: Whole
  readonly sealer: Sealer
  readonly store: Pick<Store, 'records' | 'blob'>
  /** The versions of a secret that something is pinned to, or runs with. */
  readonly versionsUsed: (everything: View, secretId: string) => ReadonlySet<number>
}

/** So many fit into what a node keeps in memory for every project at once; who needs more needs another project. */
const mostSecrets = 1_000

export const secretRoutes = (room: SecretRoom): readonly Route[] => [
  route({
    method: 'POST',
    path: '/v1/projects/:project/secrets',
    summary: 'Create a secret',
    description: 'Its value is sealed, and is in no answer but that of the route that reveals it.',
    scope: 'project',
    permission: 'secrets:create',
    body: SecretWrite,
    replies: { 201: Secret.schema },
    examples: { body: { name: 'db-password', spec: { value: 'correct horse battery staple' } } },
    conflicts: [
      onKey('secret-name/', () =>
        fail('name_taken', 'the project has a secret of this name', {
          errors: [{ path: '/name', message: 'is taken' }],
        }),
      ),
    ],
    handle({ body, caller, place, objects }, { world, everything, conclude }) {
      const { spec: sent, ...fields } = written({ spec: SecretWriteSpec }, body)
      const { value, valueBase64, ...spec } = sent
      const content = readValue({ value, valueBase64 }, '/spec')
      refuse([...misfits(spec, isText(content)), ...tooMany(objects)])
      const now = world.now()
      const base = Secret.draft({
        world,
        place,
        caller,
        ...fields,
        spec,
        status: { isText: isText(content), versions: [] },
      })
      const set = changeSet(world)
      const writing = { sealer: room.sealer, content, at: now, by: caller.principalId, used: new Set<number>() }
      const status: SecretStatus = { ...base.status, versions: withNewVersion(set, base, writing) }
      const draft = { ...base, status }
      const { projectId } = place as Place & { type: 'project' }
      buildingOn(set.create(draft), ...placeObjects(everything, place)).take(
        secretName(projectId, fields.name),
        draft.id,
      )
      appendEvent(set, draft, { reason: 'Created', message: `by ${caller.displayName}` })
      return conclude(set, outcome => created(Secret, outcome.object(draft)))
    },
  }),
  ...projectNounRoutes({
    ...{ resource: Secret, whole: room.whole, store: room.store, one: 'a secret', param: 'secret' },
    changes: 'the labels, the display name or how many versions are kept',
    endsAfter: 'something uses it',
    resolve(body) {
      const spec = body.spec ?? {}
      const sent = ['value', 'valueBase64'].filter(field => Object.hasOwn(spec, field))
      refuse(sent.map(field => ({ path: `/spec/${field}`, message: 'is a new version: send it to …/versions' })))
      return body
    },
    check: ({ spec }) => refuse(misfits(spec, true)),
  }),
  ...versionRoutes(room),
]

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw fail('invalid', 'this cannot be a secret', { errors })
}

function misfits({ type = 'opaque', registry }: SecretSpec, isReadable: boolean): readonly FieldError[] {
  if (type === 'opaque') return registry ? [{ path: '/spec/registry', message: 'is for secrets of type registry' }] : []
  if (!registry) return [{ path: '/spec/registry', message: 'is needed for a secret of type registry' }]
  return isReadable ? [] : [{ path: '/spec/value', message: 'must be text: it is a password' }]
}

const tooMany = (objects: View): readonly FieldError[] =>
  objects.list({ kind: Secret.kind }).items.length < mostSecrets
    ? []
    : [{ path: '', message: `a project has at most ${mostSecrets} secrets` }]
