import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { ContainerEngine } from '@stead/testing/engines'
import { tarOf } from '../engine/tar.ts'

/** In the network of an engine nothing else listens. */
export const openHost = '127.0.0.1:5000'
export const closedHost = '127.0.0.1:5001'
export const login = { username: 'reader', password: 'hush-hush-hush' }

export interface Registry {
  /** Makes an image with these files, and answers its digest. */
  push(name: string, files: Parameters<typeof tarOf>[0]): Promise<string>
  hold(): Promise<void>
  release(): Promise<void>
  close(): void
}

/** A registry beside an engine: one that is open, and one that wants to know who asks. */
export async function startRegistry(engine: ContainerEngine): Promise<Registry> {
  const program = fileURLToPath(new URL('registry-program.ts', import.meta.url))
  const ports = [openHost, closedHost].map(host => host.slice(host.indexOf(':') + 1))
  const words = [...engine.inNetwork(), process.execPath, program, ...ports, `${login.username}:${login.password}`]
  const child = spawn(words[0]!, words.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await answers.next()
  const tell = async (...line: string[]) => {
    child.stdin.write(`${line.join(' ')}\n`)
    await answers.next()
  }
  const blob = async (content: Buffer) => {
    const digest = `sha256:${hash('sha256', content)}`
    await tell('blob', digest, content.toString('base64'))
    return { digest, size: content.length }
  }
  return {
    async push(name, files) {
      const archive = tarOf(files)
      const kind = 'application/vnd.docker'
      const layer = { mediaType: `${kind}.image.rootfs.diff.tar.gzip`, ...(await blob(gzipSync(archive))) }
      const about = {
        ...{ architecture: 'amd64', os: 'linux', config: { Env: ['PATH=/bin'] } },
        rootfs: { type: 'layers', diff_ids: [`sha256:${hash('sha256', archive)}`] },
        history: [{ created: '2026-01-01T00:00:00Z', created_by: 'a test' }],
      }
      const config = {
        mediaType: `${kind}.container.image.v1+json`,
        ...(await blob(Buffer.from(JSON.stringify(about)))),
      }
      const mediaType = `${kind}.distribution.manifest.v2+json`
      const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, config, layers: [layer] }))
      const { digest } = await blob(manifest)
      await tell('name', name, digest)
      return digest
    },
    hold: () => tell('hold'),
    release: () => tell('release'),
    close: () => child.kill('SIGKILL'),
  }
}
