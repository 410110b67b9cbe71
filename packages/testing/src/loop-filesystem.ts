import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes a real file system of this size in a file and mounts it. Throws, with the reason, where that is not allowed. */
export function mountLoopFilesystem(mebibytes: number): { readonly directory: string; unmount(): void } {
  const home = mkdtempSync(join(tmpdir(), 'stead-loop-'))
  const remove = () => rmSync(home, { recursive: true, force: true })
  const directory = join(home, 'mounted')
  try {
    const image = join(home, 'image')
    writeFileSync(image, '')
    truncateSync(image, mebibytes * 1_048_576)
    mkdirSync(directory)
    // No journal and no blocks kept back for root, so that nearly all of the size asked for can be used.
    run('mkfs.ext4', '-q', '-m', '0', '-O', '^has_journal', image)
    run('mount', '-o', 'loop', image, directory)
  } catch (error) {
    remove()
    throw error
  }
  return {
    directory,
    unmount() {
      run('umount', directory)
      remove()
    },
  }
}

function run(command: string, ...args: string[]): void {
  // sbin is not on everyone's PATH, and that is where Debian keeps mkfs.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` }
  execFileSync(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
}
