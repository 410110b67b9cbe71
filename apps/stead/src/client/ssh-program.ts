import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../exit-codes.ts'

/** Does something with a directory that only we can read, and leaves nothing of it behind. */
export async function inPrivate<T>(act: (directory: string) => Promise<T>): Promise<T> {
  // Made for its owner alone (0700).
  const directory = mkdtempSync(join(tmpdir(), 'stead-ssh-'))
  try {
    return await act(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A key that nobody has yet; its public half is beside it, as `.pub`. */
export async function makeKey(directory: string): Promise<string> {
  const identity = join(directory, 'id_ed25519')
  const args = ['-q', '-t', 'ed25519', '-N', '', '-C', 'stead', '-f', identity]
  await promisify(execFile)('ssh-keygen', args).catch(sayAbsent)
  return identity
}

/** Signals that end whoever started us: what ssh has of ours is removed first. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs the system's own ssh at our terminal or pipes, to its end, and answers how it ended. */
export async function runSsh(args: readonly string[]): Promise<number> {
  const child = spawn('ssh', args, { stdio: 'inherit' })
  // A terminal sends Ctrl-C to both of us: it is ssh's to obey, and ours to clean up after it.
  const pass = (signal: NodeJS.Signals) => void (signal === 'SIGINT' || child.kill(signal))
  for (const signal of endings) process.on(signal, pass)
  try {
    return await new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]))
    }).catch(sayAbsent)
  } finally {
    for (const signal of endings) process.off(signal, pass)
  }
}

function sayAbsent(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error
  throw new StartError('usage', `${error.path} is not on this machine: install the client of OpenSSH`)
}

/** A setting of ssh, on its command line. Quoted, since paths may hold spaces. */
export const sshOption = (name: string, value: string): readonly string[] => ['-o', `${name}="${value}"`]
