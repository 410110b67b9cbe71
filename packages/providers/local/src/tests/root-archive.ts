import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'

export interface Member {
  readonly name: string
  readonly type?: 'file' | 'directory' | 'symlink' | 'hardlink' | 'device'
  readonly content?: string | Buffer
  readonly link?: string
  readonly mode?: number
}

const flags = { file: '0', hardlink: '1', symlink: '2', device: '3', directory: '5' } as const

/** A tar archive of just these members: also of what no decent program would put into one. */
export function archive(members: readonly Member[]): Buffer {
  const blocks = members.flatMap(({ name, type = 'file', content = '', link = '', mode = 0o755 }) => {
    const data = Buffer.from(content)
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write(mode.toString(8).padStart(7, '0'), 100)
    header.write('0000000', 108)
    header.write('0000000', 116)
    header.write(data.length.toString(8).padStart(11, '0'), 124)
    header.write('00000000000', 136)
    header.write('        ', 148)
    header.write(flags[type], 156)
    header.write(link, 157)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1_024)])
}

/** The smallest root file system that runs a shell, sleep and cat of this machine. `which` tells one from another. */
export function rootArchive(which: string): Buffer {
  const programs = ['sh', 'sleep', 'cat', 'id', 'ls'].map(name => realpathSync(`/usr/bin/${name}`))
  const libraries = programs.flatMap(program =>
    [...execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/[^\s)]+)/g)].map(([path]) => path),
  )
  const files = [...new Set([...programs, ...libraries])].filter(path => existsSync(path))
  const listed = files.map(path => `.${path}`)
  const link = ['--transform', 's,^./usr/bin/dash$,./bin/sh,', '--transform', 's,^./usr/bin/,./bin/,']
  const tar = execFileSync('tar', ['-c', '-h', '-C', '/', ...link, ...listed], { maxBuffer: 2 ** 26 })
  const own = archive([{ name: 'which', content: which, mode: 0o644 }])
  // An archive ends with two empty blocks; without them another can follow.
  return Buffer.concat([own.subarray(0, -1_024), tar])
}

export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')
