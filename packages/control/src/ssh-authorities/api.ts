import { changeSet, type ObjectDraft, refOf, type Sealer, type Store } from '@stead/engine'
import { onKey } from '../door/conflicts.ts'
import { created } from '../door/replies.ts'
import { type Route, route } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import { appendEvent } from '../events/model.ts'
import { projectNounRoutes } from '../resource/project-routes.ts'
import { written } from '../resource/write.ts'
import { sealInto } from '../sealed/model.ts'
import { buildingOn, placeObjects } from '../teardown/building.ts'
import type { Whole } from '../teardown/model.ts'
import { newKeyPair } from './key-pair.ts'
import { SshAuthority, type SshAuthoritySpec, type SshAuthorityStatus, sshAuthorityName } from './model.ts'
import { fingerprintOf, type PublicKey, readPublicKey, writePublicKey } from './public-key.ts'

export interface SshAuthorityRoutesOptions {
  readonly whole: Whole
  readonly sealer: Sealer
  readonly store: Pick<Store, 'records'>
}

export const sshAuthorityRoutes = ({ whole, sealer, store }: SshAuthorityRoutesOptions): readonly Route[] => [
  route({
    method: 'POST',
    path: '/v1/projects/:project/ssh-authorities',
    summary: 'Create an SSH authority',
    description: [
      'With a public key it is external: somebody else signs. With `managed: true` we make the pair, and sign.',
      'The private key never leaves us, and `status.publicKey` is what to trust.',
    ].join(' '),
    scope: 'project',
    permission: 'ssh-authorities:create',
    body: SshAuthority.write,
    replies: { 201: SshAuthority.schema },
    examples: { body: { name: 'ours', spec: { managed: true } } },
    conflicts: [
      onKey('ssh-authority-name/', () => fail('name_taken', 'the project has an SSH authority of this name')),
    ],
    handle({ body, caller, place }, { world, everything, conclude }) {
      const fields = written(SshAuthority, body)
      const external = readExternal(fields.spec)
      const pair = external ? undefined : newKeyPair(world, fields.name)
      const publicKey = external ?? pair!.publicKey
      const text = writePublicKey(publicKey)
      const spec = external ? { publicKey: text } : { managed: true }
      const status = { publicKey: text, fingerprint: fingerprintOf(publicKey) }
      const draft = SshAuthority.draft({ world, place, caller, ...fields, spec, status })
      const set = changeSet(world)
      const privateKey = pair && sealInto(set, sealer, refOf(draft), pair.privateKey)
      const authority: ObjectDraft<SshAuthoritySpec, SshAuthorityStatus> = {
        ...draft,
        status: { ...status, ...(privateKey && { privateKey }) },
      }
      buildingOn(set.create(authority), ...placeObjects(everything, place)).take(
        sshAuthorityName(draft.projectId!, fields.name),
        draft.id,
      )
      appendEvent(set, draft, { reason: 'Created', message: `with the key ${status.fingerprint}` })
      return conclude(set, outcome => created(SshAuthority, outcome.object(authority)))
    },
  }),
  ...projectNounRoutes({
    ...{ resource: SshAuthority, whole, store, one: 'an SSH authority', param: 'sshAuthority' },
    changes: 'the labels or the display name',
    endsAfter: 'something trusts it',
    resolve(body) {
      const sent = body.spec?.publicKey
      const read = typeof sent === 'string' ? readPublicKey(sent) : ''
      return typeof read === 'string' ? body : { ...body, spec: { ...body.spec, publicKey: writePublicKey(read) } }
    },
  }),
]

/** The key of an authority that somebody else keeps; undefined for one of ours. */
function readExternal({ publicKey, managed = false }: SshAuthoritySpec): PublicKey | undefined {
  if (managed === (publicKey !== undefined))
    throw fail('invalid', 'say either publicKey or managed: true', {
      errors: [{ path: '/spec', message: 'must have either publicKey or managed: true' }],
    })
  if (publicKey === undefined) return undefined
  const read = readPublicKey(publicKey)
  if (typeof read !== 'string') return read
  throw fail('invalid', 'publicKey is not an OpenSSH public key that can sign', {
    errors: [{ path: '/spec/publicKey', message: read }],
  })
}
