import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandPath, describeWith, temporaryDirectory } from '@stead/testing'
import { instant, realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { certify } from './certificate.ts'
import { newKeyPair } from './key-pair.ts'
import { fingerprintOf, type PublicKey, readPublicKey } from './public-key.ts'

const authority = newKeyPair(realWorld, 'ours')

describeWith('openssh', 'a certificate', () => {
  const keygen = (...options: readonly string[]) =>
    execFileSync(commandPath('openssh', 'ssh-keygen'), options, { encoding: 'utf8', env: { TZ: 'UTC' } })

  test.each([['ed25519'], ['rsa'], ['ecdsa']])('of a key of type %s is what OpenSSH reads and checks', type => {
    const key = join(temporaryDirectory(), 'key')
    keygen('-q', '-t', type, '-N', '', '-C', 'ann@home', '-f', key)
    const subject = readPublicKey(readFileSync(`${key}.pub`, 'utf8')) as PublicKey
    const { text, serial } = certify(realWorld, authority, {
      subject,
      keyId: 'ann on web',
      principals: ['inst_1/root', 'inst_1/ann'],
      after: instant(Date.UTC(2026, 0, 1)),
      before: instant(Date.UTC(2026, 0, 1, 0, 15)),
    })
    writeFileSync(`${key}-cert.pub`, `${text}\n`)
    const told = keygen('-L', '-f', `${key}-cert.pub`).replaceAll(/\s+/g, ' ')
    expect(told).toContain(`user certificate Public key: ${type.toUpperCase()}-CERT ${fingerprintOf(subject)}`)
    expect(told).toContain(`Signing CA: ED25519 ${fingerprintOf(authority.publicKey)} (using ssh-ed25519)`)
    expect(told).toContain(
      `Key ID: "ann on web" Serial: ${serial} Valid: from 2026-01-01T00:00:00 to 2026-01-01T00:15:00`,
    )
    expect(told).toContain('Principals: inst_1/root inst_1/ann Critical Options: (none) Extensions: permit-agent-')
    expect(text.endsWith(' ann@home')).toBe(true)
  })
})
