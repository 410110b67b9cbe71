// `npm run docs`: writes the pages of docs/ that are generated from the code. Tests fail when they are out of date.
import { mkdirSync, writeFileSync } from 'node:fs'
import { errorsPage, phasesPage, rolesPage } from '@stead/control'

const pages: Record<string, string> = { 'errors.md': errorsPage(), 'roles.md': rolesPage(), 'phases.md': phasesPage() }

const docs = new URL('../docs/', import.meta.url)
mkdirSync(docs, { recursive: true })
for (const [name, text] of Object.entries(pages)) writeFileSync(new URL(name, docs), text)
