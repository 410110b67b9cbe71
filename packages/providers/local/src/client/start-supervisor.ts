import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { program } from '../machine/programs.ts'
import { makeWorkPlace } from '../sandbox/shell-programs.ts'
import { files } from '../supervisor/files.ts'
import type { SupervisorSettings } from '../wire/words.ts'

const main = fileURLToPath(new URL('../supervisor/main.ts', import.meta.url))

/** The directories of a region. Services of other users pass through those that end in 1. */
export function makeRegionDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const [name, mode] of [
    ['instances', 0o711],
    ['images', 0o711],
    ['stage', 0o711],
  ] as const)
    mkdirSync(join(directory, name), { recursive: true, mode })
}

/**
 * Starts the supervisor of a region, unless there is one: a lock decides. It is nobody's child and has its own session, so
 * that it stays when we go. With isolation it gets a view of the file system of its own, in which the region's directory
 * is at a place that other users can reach, and secrets lie in memory.
 */
export function startSupervisor(settings: SupervisorSettings): void {
  const { directory, level } = settings
  const isRoot = process.getuid?.() === 0
  writeFileSync(join(directory, files.settings), JSON.stringify(settings), { mode: 0o600 })
  const work = level === 'none' ? directory : neutralPlace([directory, process.execPath, main])
  const supervise = [process.execPath, '--max-semi-space-size=2', main, directory, work]
  const apart = [
    ...[program('unshare'), ...(isRoot ? [] : ['--user', '--map-root-user']), '--mount', '--propagation', 'private'],
    ...['--', program('sh'), '-c', makeWorkPlace, 'sh', work, directory],
  ]
  const lock = ['--nonblock', '--no-fork', join(directory, files.lock)]
  const log = openSync(join(directory, files.log), 'a', 0o600)
  const child = spawn(program('flock'), [...lock, ...(level === 'none' ? [] : apart), ...supervise], {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: '/',
    env: supervisorEnvironment(directory, isRoot),
  })
  child.on('error', () => {}) // nobody will listen, and that is said
  child.unref()
  closeSync(log)
}

/** What waits for the disk at the same time is written by it together: of a hundred launches not four by four. */
const syncsAtOnce = '32'

/**
 * Nothing of ours is inherited: it may hold tokens. The cache spares every start but the first the reading of TypeScript,
 * which is most of its time and half of its memory.
 */
function supervisorEnvironment(directory: string, isRoot: boolean): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = join(directory, files.cache) } = process.env
  return { PATH, NODE_COMPILE_CACHE, UV_THREADPOOL_SIZE: syncsAtOnce, STEAD_IS_ROOT: isRoot ? '1' : '0' }
}

/**
 * A directory that every Linux has, that everybody can pass, that hides nothing we need when it is covered, and that services
 * do not see.
 */
function neutralPlace(needed: readonly string[]): string {
  const place = ['/mnt', '/media', '/srv'].find(
    path => existsSync(path) && !needed.some(each => each.startsWith(`${path}/`)),
  )
  if (!place) throw new Error('there is no /mnt, /media or /srv to work in')
  return place
}
