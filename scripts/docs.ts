// `npm run docs`: writes the pages of docs/, and the types of the SDK, that are generated from the code. Tests fail when they are out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { errorsPage, phasesPage, rolesPage } from '@stead/control'
import { cliPage, configurationPage } from 'stead/pages'
import { apiTypes, type Document } from './api-types/api-types.ts'
import { askProgram } from './api-types/document.ts'
import { metricsPage } from './metrics-page.ts'

const pages: Record<string, string> = {
  'cli.md': cliPage(),
  'configuration.md': configurationPage(),
  'errors.md': errorsPage(),
  'phases.md': phasesPage(),
  'roles.md': rolesPage(),
}

const docs = new URL('../docs/', import.meta.url)
mkdirSync(docs, { recursive: true })
for (const [name, text] of Object.entries(pages)) writeFileSync(new URL(name, docs), text)

const { document, metrics } = await askProgram(async url => ({
  document: (await (await fetch(`${url}/openapi.json`)).json()) as Document,
  metrics: await (await fetch(`${url}/metrics`)).text(),
}))
writeFileSync(new URL('../packages/sdk/src/generated/api.ts', import.meta.url), apiTypes(document))
const page = new URL('metrics.md', docs)
writeFileSync(page, metricsPage(readFileSync(page, 'utf8'), metrics))
