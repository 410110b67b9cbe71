import { hash } from 'node:crypto'
import { principalOf } from './ssh-principal.ts'

/** What a region hands to the system inside at its first boot is no longer than this. */
export const mostUserDataBytes = 65_536

/** Formats that cloud-init knows by how they begin. Of two that fit, the longer is meant. */
const formats: Readonly<Record<string, string>> = {
  '#!': 'text/x-shellscript',
  '#cloud-config': 'text/cloud-config',
  '#cloud-config-archive': 'text/cloud-config-archive',
  '#cloud-boothook': 'text/cloud-boothook',
  '#include': 'text/x-include-url',
  '#include-once': 'text/x-include-once-url',
  '#part-handler': 'text/part-handler',
  '#cloud-config-jsonp': 'text/cloud-config-jsonp',
  '## template: jinja': 'text/jinja2',
  'Content-Type: multipart/': 'multipart',
  'MIME-Version:': 'multipart',
}

const prefixes = Object.keys(formats).sort((a, b) => b.length - a.length)

/** How user data is to be read, as a MIME type; undefined when cloud-init would not know. */
export function formatOf(content: Uint8Array): string | undefined {
  const text = Buffer.from(content.subarray(0, 64)).toString('latin1')
  const prefix = prefixes.find(each => text.startsWith(each))
  return prefix === undefined ? undefined : formats[prefix]
}

/** Whose certificates a machine lets in. */
export interface TrustedAuthority {
  readonly publicKey: string
  /** Of an authority of ours: certificates are for one machine and one of its users. Other authorities name the user alone. */
  readonly instanceId?: string
}

/**
 * Lets in who has a certificate of the authority. Readable by cloud-init since 18.3, and by sshd since 8.2 (`Include`).
 * `echo` is the program every system has that can name the user (`%u`) and the machine.
 */
export function sshdTrusting({ instanceId }: TrustedAuthority, keyFile: string): string {
  const trust = `TrustedUserCAKeys ${keyFile}\n`
  if (instanceId === undefined) return trust
  return `${trust}AuthorizedPrincipalsCommand /bin/echo ${principalOf(instanceId, '%u')}\nAuthorizedPrincipalsCommandUser nobody\n`
}

const keyFile = '/etc/ssh/stead-authority.pub'

const trusting = (authority: TrustedAuthority) => `#cloud-config
write_files:
- path: ${keyFile}
  permissions: '0644'
  content: ${JSON.stringify(`${authority.publicKey}\n`)}
- path: /etc/ssh/sshd_config.d/10-stead.conf
  permissions: '0644'
  content: ${JSON.stringify(sshdTrusting(authority, keyFile))}
`

/**
 * User data by which a machine also trusts an SSH authority: both as parts of one message. The same of the same, byte for
 * byte: what is launched again must be the same.
 */
export function withAuthority(userData: Uint8Array | undefined, authority: TrustedAuthority): Uint8Array {
  const ours = Buffer.from(`Content-Type: text/cloud-config\r\n\r\n${trusting(authority)}`)
  const theirs = userData && part(Buffer.from(userData))
  const parts = theirs ? [theirs, ours] : [ours]
  // Of the content, so that nothing in it can look like the end of a part.
  const boundary = `stead-${hash('sha256', Buffer.concat(parts), 'hex').slice(0, 32)}`
  const head = `Content-Type: multipart/mixed; boundary="${boundary}"\r\nMIME-Version: 1.0\r\n`
  return new Uint8Array(
    Buffer.concat([
      Buffer.from(head),
      ...parts.flatMap(each => [Buffer.from(`\r\n--${boundary}\r\n`), each]),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  )
}

/** A message of parts is one part of ours as it is; anything else says what it is. */
function part(content: Buffer): Buffer {
  const format = formatOf(content)
  if (format === undefined) throw new Error('user data of an unknown format cannot be merged')
  if (format === 'multipart') return content
  return Buffer.concat([Buffer.from(`Content-Type: ${format}\r\n\r\n`), content])
}
