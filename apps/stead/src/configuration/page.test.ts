import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { expect, test } from 'vitest'
import { loadConfiguration } from './load.ts'
import { configurationPage } from './page.ts'
import { flagOf, settingNames } from './settings.ts'

const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')

test('docs/configuration.md is what the settings say: `npm run docs` writes it', () => {
  expect(page).toBe(configurationPage())
  for (const name of settingNames) expect(page).toMatch(new RegExp(`^\\| \`${flagOf(name)}\\b`, 'm'))
})

test('the file with every default changes nothing', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'stead.yaml'), /```yaml\n(.*?)```/s.exec(page)![1]!)
  const load = (flags: { config?: string }) => loadConfiguration({ flags, env: {}, directory })
  const written = await load({ config: 'stead.yaml' })
  expect(written).toEqual({ ...(await load({})), listenOrigin: 'stead.yaml line 1' })
})
