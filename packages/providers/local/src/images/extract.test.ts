import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { temporaryDirectory } from '@stead/testing'
import { expect, test } from 'vitest'
import { archive, type Member, sha256 } from '../tests/root-archive.ts'
import { extract } from './extract.ts'
import { Images, type KeptImage } from './images.ts'

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Unpacks into a directory of a directory, so that what gets out is seen. */
async function unpack(members: readonly Member[], pieces = 700): Promise<{ root: string; outside: string }> {
  const outside = temporaryDirectory()
  const root = join(outside, 'root')
  mkdirSync(root)
  writeFileSync(join(outside, 'victim'), 'untouched')
  await extract(inPieces(archive(members), pieces), root)
  return { root, outside }
}

test('files, directories and links come out as they went in, however the archive is cut', async () => {
  for (const pieces of [1, 511, 512, 100_000]) {
    const { root } = await unpack(
      [
        { name: './', type: 'directory' },
        { name: 'bin/', type: 'directory', mode: 0o755 },
        { name: './bin/tool', content: 'x'.repeat(1_500) },
        { name: 'bin/again', type: 'hardlink', link: 'bin/tool' },
        { name: '/lib', type: 'symlink', link: '/usr/lib' },
        { name: 'deep/er/file', content: 'y' },
      ],
      pieces,
    )
    expect(readFileSync(join(root, 'bin/tool'), 'utf8')).toBe('x'.repeat(1_500))
    expect(readFileSync(join(root, 'bin/again'), 'utf8')).toBe('x'.repeat(1_500))
    expect(readlinkSync(join(root, 'lib'))).toBe('/usr/lib')
    expect(readFileSync(join(root, 'deep/er/file'), 'utf8')).toBe('y')
  }
})

test.each<[string, Member[]]>([
  ['a name with ..', [{ name: '../victim', content: 'gotcha' }]],
  ['a name with .. in the middle', [{ name: 'a/../../victim', content: 'gotcha' }]],
  [
    'a file behind a link',
    [
      { name: 'out', type: 'symlink', link: '..' },
      { name: 'out/victim', content: 'gotcha' },
    ],
  ],
  [
    'a directory behind a link',
    [
      { name: 'out', type: 'symlink', link: '..' },
      { name: 'out/new/', type: 'directory' },
    ],
  ],
  ['a hard link to the outside', [{ name: 'copy', type: 'hardlink', link: '../victim' }]],
  [
    'a hard link behind a link',
    [
      { name: 'out', type: 'symlink', link: '..' },
      { name: 'copy', type: 'hardlink', link: 'out/victim' },
    ],
  ],
])('%s leads nowhere', async (_, members) => {
  const outside = temporaryDirectory()
  const root = join(outside, 'root')
  mkdirSync(root)
  writeFileSync(join(outside, 'victim'), 'untouched')
  await expect(extract(inPieces(archive(members), 512), root)).rejects.toThrow()
  expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('untouched')
  expect(readdirSync(outside).sort()).toEqual(['root', 'victim'])
})

test('a file takes the place of a link instead of going through it', async () => {
  const { root, outside } = await unpack([
    { name: 'x', type: 'symlink', link: '../victim' },
    { name: 'x', content: 'inside' },
  ])
  expect(readFileSync(join(root, 'x'), 'utf8')).toBe('inside')
  expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('untouched')
})

test('absolute names stay inside, and devices are left out', async () => {
  const { root } = await unpack([
    { name: '/etc/passwd', content: 'mine' },
    { name: 'dev/sda', type: 'device' },
  ])
  expect(readFileSync(join(root, 'etc/passwd'), 'utf8')).toBe('mine')
  expect(readdirSync(root)).toEqual(['etc'])
})

test('what is no archive, or half of one, is refused', async () => {
  const root = temporaryDirectory()
  await expect(extract(inPieces(Buffer.alloc(2_048, 7), 512), root)).rejects.toThrow('no tar archive')
  const whole = archive([{ name: 'file', content: 'z'.repeat(2_000) }])
  await expect(extract(inPieces(whole.subarray(0, 1_100), 512), root)).rejects.toThrow('ends in the middle')
})

test('an image may come plain, gzipped or as zstd, and is refused when it is another one', async () => {
  const directory = temporaryDirectory()
  const images = new Images(directory)
  const plain = archive([{ name: 'file', content: 'content' }])
  const kept = (id: string) => ({ info: { id }, fingerprint: id }) as unknown as KeptImage
  for (const [index, content] of [plain, gzipSync(plain), zstdCompressSync(plain)].entries()) {
    const id = `img_${String(index).padStart(24, '0')}`
    const spec = { sizeBytes: content.length, sha256: sha256(content), open: () => inPieces(content, 100) }
    await expect(images.add(kept(id), { ...spec, sha256: sha256(Buffer.from('other')) })).rejects.toThrow('announced')
    expect(images.has(id)).toBe(false)
    await images.add(kept(id), spec)
    expect(readFileSync(join(directory, id, 'root', 'file'), 'utf8')).toBe('content')
  }
  expect(readdirSync(directory).length).toBe(3)
})
