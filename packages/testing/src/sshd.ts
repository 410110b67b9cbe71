import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { commandPath } from './backends.ts'
import { freePort } from './free-port.ts'
import { temporaryDirectory } from './temporary.ts'

/** Whom a server lets in: the key of an authority, and the settings that trust it once it is in a file. */
export interface Trust {
  readonly authority: string
  readonly settings: (keyFile: string) => string
}

/** A key pair of its own; the public half is beside it, as `.pub`. Needs the backend `openssh`. */
export function makeSshKey(file: string): void {
  execFileSync(commandPath('openssh', 'ssh-keygen'), ['-q', '-t', 'ed25519', '-N', '', '-f', file])
}

/** An SSH server on loopback with a key of its own, gone with the test; answers its port. Needs the backend `openssh`. */
export async function startSshd({ authority, settings }: Trust): Promise<number> {
  const directory = temporaryDirectory()
  const [hostKey, trusted, file] = [join(directory, 'host'), join(directory, 'authority'), join(directory, 'config')]
  makeSshKey(hostKey)
  writeFileSync(trusted, authority)
  const own = ['ListenAddress 127.0.0.1', 'UsePAM no', 'PidFile none', `HostKey ${hostKey}`]
  // The test's directory is in one that anybody may write to.
  writeFileSync(file, [settings(trusted), ...own, 'StrictModes no', ''].join('\n'))
  // Where sshd, started by root, keeps nobody's files; systems make it at boot.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const port = await freePort()
  const server = spawn(commandPath('openssh', 'sshd'), ['-D', '-e', '-f', file, '-p', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void server.kill())
  await listening(server)
  return port
}

async function listening(server: ChildProcess): Promise<void> {
  let told = ''
  for await (const piece of server.stderr!) {
    told += piece
    if (told.includes('Server listening')) return void server.stderr!.resume()
  }
  throw new Error(`sshd did not start: ${told}`)
}
