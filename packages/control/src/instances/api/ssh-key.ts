import { changeSet } from '@stead/engine'
import { after, type Duration, days, instant, isoTime, minutes } from '@stead/world'
import { route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import { appendEvent } from '../../events/model.ts'
import { durationOf } from '../../identity/tokens/issue.ts'
import { Time } from '../../resource/model.ts'
import { Type } from '../../schema/type.ts'
import { unseal } from '../../sealed/model.ts'
import { certify } from '../../ssh-authorities/certificate.ts'
import { SshAuthority } from '../../ssh-authorities/model.ts'
import { fingerprintOf, longestPublicKey, type PublicKey, readPublicKey } from '../../ssh-authorities/public-key.ts'
import { judgeAccess } from '../access.ts'
import type { Instance } from '../model.ts'
import { principalOf } from '../ssh-principal.ts'
import { refusalBy, verbView } from '../verbs.ts'
import { type InstanceRoutes, one, theInstance } from './room.ts'

/** Time enough to log in. Who is in stays in. */
const usual: Duration = minutes(15)
const longest: Duration = days(1)
/** Clocks of machines may be behind ours. */
const skew: Duration = minutes(1)

const SshKey = Type.Object(
  {
    publicKey: Type.String({ minLength: 1, maxLength: longestPublicKey, description: 'Yours, as OpenSSH writes it.' }),
    user: Type.Optional(
      Type.String({
        pattern: '^[a-z_][a-z0-9_-]{0,31}$',
        default: 'root',
        description: 'Whom to log in as.',
      }),
    ),
    expiresIn: Type.Optional(Type.String({ description: 'A duration such as 5m; 15m unless said, at most 24h.' })),
  },
  { title: 'SshKey' },
)

const SignedSshKey = Type.Object(
  {
    certificate: Type.String({ description: 'To be written beside the private key: `id_ed25519-cert.pub`.' }),
    user: Type.String(),
    principals: Type.Array(Type.String()),
    keyId: Type.String({ description: 'What the machine writes in its log.' }),
    serial: Type.String(),
    validAfter: Time,
    validBefore: Time,
    addresses: Type.Array(Type.String(), { description: 'Where the machine is, the public ones first.' }),
  },
  { title: 'SignedSshKey' },
)

export const sshKeyRoutes: InstanceRoutes = ({ store, sealer }) => [
  route({
    method: 'POST',
    path: `${one}/ssh-key`,
    summary: 'Have a public key signed for a machine',
    description: [
      'The certificate lets its holder into this machine as this user, and nowhere else, until it expires.',
      'Its SSH authority must be one we manage; with another one the answer says how to sign yourself.',
    ].join(' '),
    scope: 'project',
    permission: 'instances:credentials',
    target: theInstance,
    body: SshKey,
    replies: { 200: SignedSshKey },
    refuses: ['invalid_state', 'not_ready', 'operation_in_progress', 'conflict'],
    examples: {
      body: {
        publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ann@home',
        user: 'debian',
      },
    },
    async handle({ body, target, caller }, { world, everything, conclude }) {
      const subject = readSubject(body.publicKey)
      const { user = 'root' } = body
      const lifetime = durationOf(body.expiresIn, { otherwise: usual, atMost: longest })
      const trusted = target.spec.source.machine?.sshAuthority
      const authority = trusted === undefined ? undefined : everything.get(SshAuthority.kind, trusted)
      if (!authority) throw untrusting(target)
      const { privateKey, publicKey } = authority.status
      if (!privateKey) throw external(user)
      const view = verbView(everything, target)
      const refusal = refusalBy(judgeAccess('login', view), view)
      if (refusal) throw refusal
      const now = world.now()
      const [start, end] = [instant(now - skew), after(now, lifetime)]
      const principals = [principalOf(target.id, user)]
      const keyId = `${caller.principalId} ${target.id}`
      const key = await unseal({ store, sealer }, authority, privateKey)
      const { text, serial } = certify(
        world,
        { publicKey: readPublicKey(publicKey) as PublicKey, privateKey: key },
        { subject, keyId, principals, after: start, before: end },
      )
      // The instance stays as it is; but webhooks are woken by changes, and an event alone is none.
      const set = changeSet(world).update(target, {})
      appendEvent(set, target, {
        reason: 'KeySigned',
        message: `${caller.displayName} may log in as ${user} with ${fingerprintOf(subject)} until ${isoTime(end)}, serial ${serial}`,
      })
      const { addresses } = target.status
      const answer = {
        certificate: text,
        ...{ user, principals, keyId, serial: String(serial) },
        validAfter: isoTime(start),
        validBefore: isoTime(end),
        addresses: [...addresses.public, ...addresses.private],
      }
      return conclude(set, () => ({ status: 200, body: answer }))
    },
  }),
]

function readSubject(text: string): PublicKey {
  const read = readPublicKey(text)
  if (typeof read !== 'string') return read
  throw fail('invalid', 'publicKey is not an OpenSSH public key', { errors: [{ path: '/publicKey', message: read }] })
}

const untrusting = ({ spec }: Instance) =>
  fail('invalid_state', spec.source.machine ? 'it trusts no SSH authority' : 'it is no machine: nobody logs in to it', {
    suggestion: spec.source.machine
      ? 'give it one in spec.source.machine.sshAuthority: a machine learns whom to trust when it is made'
      : 'run a command inside with exec',
  })

const external = (user: string) =>
  fail('conflict', 'its SSH authority is kept by somebody else: we hold no key to sign with', {
    suggestion: `whoever keeps the authority signs: ssh-keygen -s <authority key> -I <who you are> -n ${user} -V +15m <your key>.pub`,
  })
