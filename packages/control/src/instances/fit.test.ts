import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OfferedFlavor, OfferedImage } from '../regions/catalog/offered.ts'
import { amountsOf } from './amounts.ts'
import { misfits } from './fit.ts'
import { machineSpec, servicesSpec } from './tests/samples.ts'
import { formatOf } from './user-data.ts'

const remarked = { labels: {}, deprecated: false }
const small: OfferedFlavor = {
  ...remarked,
  name: 'small',
  backendId: 'small',
  architecture: 'x86_64',
  virtualization: 'virtualized',
  cpuMillis: 1_000,
  memoryMiB: 1_024,
  diskGiB: 10,
  gpu: null,
}
const image: OfferedImage = {
  ...remarked,
  id: 'i',
  name: 'i',
  architecture: 'x86_64',
  virtualization: 'virtualized',
  sizeBytes: 2 ** 29,
  minDiskGiB: 2,
  gpu: null,
  os: null,
}
const gpu = { vendor: 'nvidia', model: 'a100', count: 2 }

const found = (flavor: Partial<OfferedFlavor>, other: Partial<OfferedImage>, diskGiB?: number) =>
  misfits({ flavor: { ...small, ...flavor }, image: { ...image, ...other }, diskGiB }).map(({ path }) =>
    path.split('/').at(-1),
  )
const both = ['flavor', 'image']

test.each([
  ['fits', {}, {}, undefined, []],
  ['a size that no machine can have', { backendId: null }, {}, undefined, ['flavor']],
  ['a size for anything', { architecture: null, virtualization: null }, {}, undefined, []],
  ['another architecture', { architecture: 'aarch64' }, {}, undefined, both],
  ['an architecture nobody knows', { architecture: 'aarch64' }, { architecture: null }, undefined, []],
  ['a disk that is too small', { diskGiB: 1 }, {}, undefined, both],
  ['a disk that is just large enough', { diskGiB: 2 }, {}, undefined, []],
  ['an image that is one byte larger than the disk', { diskGiB: 2 }, { sizeBytes: 2 ** 31 + 1 }, undefined, both],
  ['a disk asked for that is too small', {}, {}, 1, ['diskGiB']],
  ['a disk asked for in place of a small one', { diskGiB: 1 }, {}, 2, []],
  ['a disk left to the region', { diskGiB: null }, {}, undefined, []],
  ['bare metal for a virtualized image', { virtualization: 'baremetal' }, {}, undefined, both],
  ['a baremetal image on a virtualized flavor', {}, { virtualization: 'baremetal' }, undefined, both],
  ['an image for any', { virtualization: 'baremetal' }, { virtualization: 'any' }, undefined, []],
  ['a GPU that is not there', {}, { gpu: { vendor: 'nvidia', models: [] } }, undefined, both],
  ['any GPU of the vendor', { gpu }, { gpu: { vendor: 'nvidia', models: [] } }, undefined, []],
  ['a GPU of another vendor', { gpu }, { gpu: { vendor: 'amd', models: [] } }, undefined, both],
  ['a GPU of another model', { gpu }, { gpu: { vendor: 'nvidia', models: ['h100'] } }, undefined, both],
] as const)('%s', (_, flavor, other, disk, expected) => expect(found(flavor, other, disk)).toEqual(expected))

test('a machine is charged what its flavor has, with the disk it asks for', () => {
  expect(amountsOf(machineSpec({ publicIp: true }), { ...small, gpu })).toEqual({
    instances: 1,
    cpuMillis: 1_000,
    memoryMiB: 1_024,
    diskGiB: 10,
    gpus: 2,
    publicIps: 1,
  })
  expect(amountsOf(machineSpec({ diskGiB: 33 }), small)).toMatchObject({ diskGiB: 33, publicIps: 0 })
})

test('services are charged together, and inits only where they need more', () => {
  const of = (init: number) =>
    amountsOf(
      servicesSpec({
        web: { image: 'x', resources: { cpuMillis: 200, memoryMiB: 128 } },
        side: { role: 'sidecar', image: 'x', resources: { cpuMillis: 100 } },
        one: { role: 'init', image: 'x', resources: { cpuMillis: init } },
        two: { role: 'init', image: 'x', resources: { cpuMillis: init } },
      }),
      undefined,
    )
  expect(of(250)).toEqual({ instances: 1, cpuMillis: 300, memoryMiB: 128, gpus: 0 })
  expect(of(400)).toMatchObject({ cpuMillis: 400 })
})

test('of two formats that user data begins with the longer is meant', () => {
  const format = (text: string) => formatOf(Buffer.from(text))
  expect(format('#cloud-config\npackages: []')).toBe('text/cloud-config')
  expect(format('#cloud-config-archive\n- x')).toBe('text/cloud-config-archive')
  expect(format('#include-once\nhttp://x')).toBe('text/x-include-once-url')
  expect(format('#!/bin/sh')).toBe('text/x-shellscript')
  expect(format('Content-Type: multipart/mixed; boundary=x')).toBe('multipart')
  expect(formatOf(Buffer.from([0x1f, 0x8b, 8]))).toBeUndefined()
  fc.assert(fc.property(fc.stringMatching(/^[^#CM]/), text => format(text) === undefined))
})
