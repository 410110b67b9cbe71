import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandPath } from '@stead/testing'

/**
 * What stands for the image that the Containerfile begins with, where none can be pulled: the Node and npm of this machine
 * on busybox, at the places and with the user that `node:24-slim` has. An archive, to be imported.
 */
export function nodeImage(directory: string): Buffer {
  const root = join(directory, 'image')
  const at = (...path: string[]) => join(root, ...path)
  for (const each of ['bin', 'usr/bin', 'usr/local/bin', 'usr/local/lib/node_modules', 'tmp', 'etc', 'root', 'var/lib'])
    mkdirSync(at(each), { recursive: true })
  const busybox = commandPath('podman', 'busybox')
  cpSync(busybox, at('bin/busybox'))
  for (const applet of execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n'))
    if (applet !== 'busybox') symlinkSync('busybox', at('bin', applet))
  symlinkSync('/bin/busybox', at('usr/bin/env'))
  copyWithLibraries(process.execPath, at)
  // `bin/npm` is a link to `npm/bin/npm-cli.js`.
  const npm = execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()
  cpSync(dirname(dirname(realpathSync(npm))), at('usr/local/lib/node_modules/npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', at('usr/local/bin/npm'))
  writeFileSync(at('etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
  writeFileSync(at('etc/group'), 'root:x:0:\nnode:x:1000:\n')
  return execFileSync('tar', ['-C', root, '--owner=0', '--group=0', '-c', '.'], { maxBuffer: 2 ** 30 })
}

function copyWithLibraries(program: string, at: (path: string) => string): void {
  cpSync(realpathSync(program), at('usr/local/bin/node'))
  for (const [library] of execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/\/lib\S+/g)) {
    mkdirSync(dirname(at(library)), { recursive: true })
    cpSync(realpathSync(library), at(library))
  }
}
