import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Document } from './api-types.ts'

const main = fileURLToPath(new URL('../../apps/stead/src/main.js', import.meta.url))

/** What a `stead serve` of this clone says of its API. */
export const readDocument = (): Promise<Document> =>
  askProgram(async url => (await (await fetch(`${url}/openapi.json`)).json()) as Document)

/** Asks a `stead serve` of this clone something. */
export async function askProgram<T>(ask: (url: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'stead-api-'))
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', join(directory, 'data'), '--find-regions', 'false']
  const program = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(program, 'close')
  try {
    for await (const line of createInterface(program.stdout)) {
      const url = /listening on (\S+)/.exec(line)?.[1]
      if (url) return await ask(url)
    }
    throw new Error('stead serve ended before it listened')
  } finally {
    program.kill('SIGKILL')
    await ended
    rmSync(directory, { recursive: true, force: true })
  }
}
