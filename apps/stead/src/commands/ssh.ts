import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Instance, isProblem, type SignedSshKey } from '@stead/sdk'
import type { Act } from '../cli/define.ts'
import { contextFile } from '../client/context-file.ts'
import type { Session } from '../client/session.ts'
import { inPrivate, makeKey, runSsh, sshOption } from '../client/ssh-program.ts'
import { count, given } from '../client/values.ts'
import { StartError } from '../exit-codes.ts'

interface SshFlags {
  readonly user?: string
  readonly port?: string
  readonly address?: string
  readonly identity?: string
  readonly option?: readonly string[]
  readonly acceptNew?: boolean
}

/** `stead ssh`: has a key signed for this machine and this user, and logs in with it. Ends with the code of ssh. */
export const ssh: Act<SshFlags> = async (session, { args, flags }) => {
  const [name = '', ...command] = args
  const port = count('--port', flags.port) ?? 22
  const machine = await session.project.instances.get(name, { signal: session.signal })
  process.exitCode = await inPrivate(async directory => {
    const identity = flags.identity ?? (await makeKey(directory))
    const signed = await sign(session, machine, { publicKey: readPublicKey(identity), ...given({ user: flags.user }) })
    const address = flags.address ?? signed.addresses[0] ?? noAddress(machine)
    const certificate = join(directory, 'certificate.pub')
    writeFileSync(certificate, `${signed.certificate}\n`, { mode: 0o600 })
    return runSsh([
      // Of what is said twice ssh takes the first.
      ...(flags.option ?? []).flatMap(each => ['-o', each]),
      ...sshOption('IdentityFile', identity),
      ...sshOption('CertificateFile', certificate),
      // Else the keys of an agent are tried first, and a machine that counts them may refuse ours.
      ...sshOption('IdentitiesOnly', 'yes'),
      // By id: an address is another machine's tomorrow, and the key that was seen is this one's for as long as it lives.
      ...sshOption('HostKeyAlias', machine.metadata.id),
      ...sshOption('UserKnownHostsFile', knownHosts(session.env)),
      ...(flags.acceptNew ? sshOption('StrictHostKeyChecking', 'accept-new') : []),
      ...['-l', signed.user, '-p', String(port), '--', address, ...command],
    ])
  })
}

/** Where keys of machines are kept that were seen before: beside the logins. */
function knownHosts(env: NodeJS.ProcessEnv): string {
  const file = join(dirname(contextFile(env)), 'known_hosts')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return file
}

function readPublicKey(identity: string): string {
  try {
    return readFileSync(`${identity}.pub`, 'utf8').trim()
  } catch (error) {
    throw new StartError('usage', `the public key beside --identity cannot be read: ${(error as Error).message}`)
  }
}

type Asked = { readonly publicKey: string; readonly user?: string }

/** Where somebody else keeps the authority, they sign: the answer says how, and we say where to go with it. */
async function sign({ project, signal }: Session, machine: Instance, body: Asked): Promise<SignedSshKey> {
  const { id, name } = machine.metadata
  try {
    return await project.instances.sshKey(id, body, { signal })
  } catch (error) {
    if (!isProblem(error, 'conflict')) throw error
    const { addresses } = machine.status
    const address = addresses.public[0] ?? addresses.private[0] ?? `<address of ${name}>`
    const steps = [error.suggestion, `then log in with it: ssh ${body.user ?? 'root'}@${address}`]
    throw new StartError('refused', [error.detail, ...steps.map(step => `  what to do: ${step}`)].join('\n'))
  }
}

function noAddress({ metadata, status }: Instance): never {
  throw new StartError('refused', `${metadata.name} is ${status.phase}, and has no address to log in at`)
}
