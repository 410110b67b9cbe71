import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '@stead/engine'
import type { StoreFactory } from '@stead/engine/conformance'
import { realWorld } from '@stead/world'

export const sqliteHomes: StoreFactory = {
  nodes: 1,
  inOrder: true,
  async create() {
    const directory = mkdtempSync(join(tmpdir(), 'stead-quotas-'))
    return {
      open: () => openSqliteStore({ directory, world: realWorld }),
      destroy: async () => rmSync(directory, { recursive: true, force: true }),
    }
  },
}
