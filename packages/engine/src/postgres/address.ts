import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { OpenError } from '../words/errors.ts'

export interface DatabaseHost {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string
  readonly port: number
}

/** Where a database is and how to get in. */
export interface DatabaseAddress {
  /** Tried in turn until one is the primary. */
  readonly hosts: readonly DatabaseHost[]
  readonly user: string | undefined
  readonly database: string | undefined
  /** A function, so that printing the address never prints the password. */
  readonly password: () => string | undefined
  readonly tls: ConnectionOptions | false
}

const parameters = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
] as const
type Parameters = Partial<Record<(typeof parameters)[number], string>>

/**
 * Reads `postgres://user:password@host:port,host:port/database?sslmode=verify-full`, as libpq does.
 * What it says of a mistake never repeats the text, which may hold a password.
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const parts = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url)
  if (!parts) throw mistake('it is not of the form postgres://user@host:port/database')
  const [, login = '', authority = '', path = '', query = ''] = parts
  const settings = readParameters(query)
  const [user, ...password] = login.split(':')
  const hosts = readHosts(authority || settings.host || 'localhost', settings.port)
  return {
    hosts,
    user: decode(user!) || settings.user,
    database: decode(path) || settings.dbname,
    password: () => decode(password.join(':')) || settings.password,
    tls: tlsOptions(settings, hosts),
  }
}

/** How messages name a host. */
export const hostName = ({ host, port }: DatabaseHost): string =>
  host.startsWith('/') ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`

const mistake = (why: string) => new OpenError('unreachable', `the database URL cannot be used: ${why}`)

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw mistake('a "%" in it is not followed by two hexadecimal digits; write "%" itself as %25')
  }
}

function readParameters(query: string): Parameters {
  const settings: Parameters = {}
  for (const pair of query.split('&').filter(Boolean)) {
    const name = decode(pair.split('=', 1)[0]!)
    const known = parameters.find(parameter => parameter === name)
    if (!known) throw mistake(`it has a parameter "${name}", and only ${parameters.join(', ')} are known`)
    settings[known] = decode(pair.slice(name.length + 1))
  }
  return settings
}

function readHosts(authority: string, defaultPort = '5432'): readonly DatabaseHost[] {
  return authority.split(',').map(text => {
    const parts = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(decode(text))
    const [, address, name, port = defaultPort] = parts ?? []
    const host = address ?? name
    if (!host || Number(port) < 1 || Number(port) > 65_535) throw mistake('a host in it is not of the form host:port')
    return { host, port: Number(port) }
  })
}

const isLocal = ({ host }: DatabaseHost) => host.startsWith('/') || /^(localhost|127\..*|::1)$/.test(host)

/** Unless told otherwise, what leaves the machine goes to a server that has proven who it is. */
function tlsOptions(settings: Parameters, hosts: readonly DatabaseHost[]): ConnectionOptions | false {
  const mode = settings.sslmode ?? (hosts.every(isLocal) ? 'disable' : 'verify-full')
  if (mode === 'disable') return false
  const files: ConnectionOptions = {
    ...(settings.sslrootcert && settings.sslrootcert !== 'system' && { ca: readFile(settings.sslrootcert) }),
    ...(settings.sslcert && { cert: readFile(settings.sslcert) }),
    ...(settings.sslkey && { key: readFile(settings.sslkey) }),
  }
  if (mode === 'verify-full') return { ...files, rejectUnauthorized: true }
  // As libpq: given a root certificate, "require" means that the server's must come from it.
  if (mode === 'verify-ca' || (mode === 'require' && settings.sslrootcert))
    return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined }
  if (mode === 'require') return { ...files, rejectUnauthorized: false }
  throw mistake(`sslmode "${mode}" is not one of disable, require, verify-ca, verify-full`)
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new OpenError('unreachable', `the certificate file ${path} cannot be read: ${(error as Error).message}`)
  }
}
