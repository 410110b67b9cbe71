import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { trustedProviders } from './identity-providers.ts'

const corp = `
  - name: corp
    issuer: https://login.example.com
    audiences: [stead]
    rules:
      - { claim: groups, value: staff, role: reader, organization: acme }
`

function read(text: string, publicUrl?: string) {
  const file = join(temporaryDirectory(), 'oidc.yaml')
  writeFileSync(file, text)
  return trustedProviders({ oidc: file, outgoingAllow: [], ...(publicUrl !== undefined && { publicUrl }) }, realWorld)
}

test('without a file nobody else is trusted', async () =>
  expect(await trustedProviders({ outgoingAllow: [] }, realWorld)).toEqual({}))

test('providers are read as they are written', async () => {
  const { oidc } = await read(`providers:${corp}`)
  expect(oidc!.providers).toEqual([
    {
      name: 'corp',
      issuer: 'https://login.example.com',
      audiences: ['stead'],
      rules: [{ claim: 'groups', value: 'staff', role: 'reader', organization: 'acme' }],
    },
  ])
})

test.each([
  ['a file that is not YAML', 'providers: [', 'cannot be read'],
  ['a field that does not exist', `providers:${corp}    secret: x\n`, '/providers/0/secret'],
  ['a provider without an issuer', 'providers:\n  - { name: corp, rules: [] }\n', '/providers/0'],
  ['a symmetric signature', `providers:${corp}    algorithms: [HS256]\n`, '/providers/0/algorithms'],
  ['the same provider twice', `providers:${corp}${corp}`, 'two providers have the same name'],
  ['signing in without a public URL', `providers:${corp}    clientId: stead\n`, '--public-url'],
])('%s is refused before anything is served', async (_what, text, message) => {
  await expect(read(text)).rejects.toThrow(message)
})
