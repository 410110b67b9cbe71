import { type ChangeSetBuilder, changeSet, type ObjectDraft } from '@stead/engine'
import { accepted, created } from '../door/replies.ts'
import { type Reply, type Route, route } from '../door/route.ts'
import type { Services } from '../door/services.ts'
import { fail } from '../errors/problem.ts'
import { appendEvent } from '../events/model.ts'
import { listSchema } from '../resource/model.ts'
import { secret } from '../schema/secret.ts'
import { Type } from '../schema/type.ts'
import { unseal } from '../sealed/model.ts'
import type { SecretRoom } from './api.ts'
import {
  newestOf,
  Secret,
  type SecretSpec,
  type SecretStatus,
  type SecretVersion,
  ShownVersion,
  sentValue,
  showVersion,
} from './model.ts'
import { isText, readValue } from './value.ts'
import { dropContents, mostVersions, withNewVersion } from './versions.ts'

const many = '/v1/projects/:project/secrets/:secret/versions'
const at = { scope: 'project', target: { kind: Secret.kind } } as const
const Numbered = Type.Object({
  version: Type.String({ pattern: '^([1-9][0-9]{0,8}|newest)$', description: 'Its number, or `newest`.' }),
})

const NewVersion = Type.Object(
  {
    ...sentValue,
    from: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'In place of a value: an older version, whose value is the newest again.',
      }),
    ),
  },
  { title: 'SecretVersionWrite' },
)

export const versionRoutes = ({ store, sealer, versionsUsed }: SecretRoom): readonly Route[] => [
  route({
    ...at,
    method: 'GET',
    path: many,
    summary: 'List the versions of a secret, the newest first; without their values',
    permission: 'secrets:read',
    replies: { 200: listSchema(ShownVersion, { title: 'SecretVersionList' }) },
    handle({ target }) {
      const items = target.status.versions.toReversed().map(showVersion)
      return { status: 200, body: { items, nextCursor: null, total: items.length } }
    },
  }),
  route({
    ...at,
    method: 'POST',
    path: many,
    summary: 'Write a new version of a secret',
    description: 'Either with a value, or `from` an older version, which is how one goes back.',
    permission: 'secrets:update',
    body: NewVersion,
    replies: { 201: Secret.schema },
    examples: { body: { value: 'another horse, another battery' } },
    async handle({ target, body: { from, ...sent }, caller }, services) {
      refuseEnding(target)
      const content =
        from === undefined
          ? readValue(sent)
          : await unseal({ store, sealer }, target, older(target, from, sent).content)
      refuseOtherForm(target, content)
      const used = versionsUsed(services.everything, target.id)
      if (target.status.versions.length >= mostVersions)
        throw fail('invalid_state', `it has ${mostVersions} versions that are in use`, {
          suggestion: 'delete those that nothing should use any more',
        })
      return rewrite(services, target, {
        reply: created,
        versions: set =>
          withNewVersion(set, target, { sealer, content, used, at: services.world.now(), by: caller.principalId }),
        reason: 'VersionWritten',
        message: `version ${newestOf(target).version + 1}, by ${caller.displayName}`,
      })
    },
  }),
  route({
    ...at,
    method: 'GET',
    path: `${many}/:version/value`,
    summary: 'Reveal the value of a version; it is told in the audit log',
    permission: 'secrets:reveal',
    params: Numbered,
    replies: {
      200: Type.Object(
        {
          version: Type.Integer({ minimum: 1 }),
          value: Type.Optional(secret(Type.String({ description: 'Absent where it is not text.' }))),
          valueBase64: secret(Type.String()),
        },
        { title: 'SecretValue' },
      ),
    },
    async handle({ target, params }) {
      const { version, content } = found(target, params.version)
      const bytes = Buffer.from(await unseal({ store, sealer }, target, content))
      const text = target.status.isText ? { value: bytes.toString() } : {}
      return { status: 200, body: { version, ...text, valueBase64: bytes.toString('base64') } }
    },
  }),
  route({
    ...at,
    method: 'DELETE',
    path: `${many}/:version`,
    summary: 'Delete an older version of a secret; refused with `in_use` while something uses it',
    permission: 'secrets:delete',
    params: Numbered,
    replies: { 202: Secret.schema },
    async handle({ target, params, caller }, services) {
      const { version } = found(target, params.version)
      if (version === newestOf(target).version)
        throw fail('invalid_state', 'it is the newest version', {
          suggestion: 'write another first, or delete the secret',
        })
      if (versionsUsed(services.everything, target.id).has(version))
        throw fail('in_use', `version ${version} is what something is pinned to, or runs with`)
      const before = target.status.versions
      const left = before.filter(each => each.version !== version)
      return rewrite(services, target, {
        reply: accepted,
        versions(set) {
          dropContents(set, target, { before, left })
          return left
        },
        reason: 'VersionDeleted',
        message: `version ${version}, by ${caller.displayName}`,
      })
    },
  }),
]

interface Rewriting {
  readonly reply: typeof created
  readonly versions: (set: ChangeSetBuilder) => SecretStatus['versions']
  readonly reason: string
  readonly message: string
}

/** Commits other versions of a secret, with what is told of it. */
function rewrite(
  { world, conclude }: Services,
  target: Secret,
  { reply, versions, ...event }: Rewriting,
): Promise<Reply> {
  const set = changeSet(world).expectRevision(target, target.revision)
  const { generation: _generation, revision: _revision, ...rest } = target
  const to: ObjectDraft<SecretSpec, SecretStatus> = { ...rest, status: { ...target.status, versions: versions(set) } }
  set.puts.push(to)
  appendEvent(set, target, event)
  return conclude(set, outcome => reply(Secret, outcome.object(to)))
}

function refuseEnding({ deletedAt }: Secret): void {
  if (deletedAt !== undefined) throw fail('invalid_state', 'it is being deleted')
}

/** Whatever has it in its environment was accepted because it is text. */
function refuseOtherForm({ status }: Secret, content: Uint8Array): void {
  if (status.isText && !isText(content))
    throw fail('invalid', 'this cannot be a version of it', {
      errors: [{ path: '/value', message: 'must be text, as the versions before are: it may be in an environment' }],
    })
}

function found({ status }: Secret, version: string): SecretVersion {
  const one =
    version === 'newest' ? status.versions.at(-1) : status.versions.find(each => each.version === Number(version))
  if (!one) throw fail('not_found', `there is no version ${version} of it`)
  return one
}

/** The version to go back to, when that is all that was said. */
function older(target: Secret, from: number, { value, valueBase64 }: { value?: unknown; valueBase64?: unknown }) {
  const one = target.status.versions.find(({ version }) => version === from)
  const isAlone = value === undefined && valueBase64 === undefined
  if (one && isAlone) return one
  const message = isAlone ? 'is not a version of it' : 'cannot be given together with a value'
  throw fail('invalid', 'this cannot be a version of it', { errors: [{ path: '/from', message }] })
}
