import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realWorld } from '@stead/world'
import { type StoreHome, storeConformance } from '../conformance/conformance.suite.ts'
import { openSqliteStore } from './open-store.ts'

interface DirectoryHome extends StoreHome {
  readonly directory: string
}

function newHome(): DirectoryHome {
  const directory = mkdtempSync(join(tmpdir(), 'stead-store-'))
  return {
    directory,
    open: () => openSqliteStore({ directory, world: realWorld }),
    destroy: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

storeConformance('SQLite', {
  nodes: 1,
  inOrder: true,
  create: async () => newHome(),
  async copy(home) {
    const copied = newHome()
    cpSync((home as DirectoryHome).directory, copied.directory, { recursive: true })
    return copied
  },
})
