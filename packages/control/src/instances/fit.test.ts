import type { Flavor, ImageInfo } from '@stead/provider-kit'
import { defaultProfile } from '@stead/provider-kit/simulated'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountsOf } from './amounts.ts'
import { misfits } from './fit.ts'
import { machineSpec, servicesSpec } from './tests/samples.ts'
import { formatOf } from './user-data.ts'

const [small] = defaultProfile.flavors as [Flavor]
const image: ImageInfo = {
  id: 'i',
  name: 'i',
  state: 'ready',
  tags: {},
  architecture: 'x86_64',
  virtualization: 'virtualized',
  sizeBytes: 2 ** 29,
  minDiskBytes: 2 ** 31,
  gpu: null,
  os: null,
}
const gpu = { vendor: 'nvidia', model: 'a100', count: 2 }

const found = (flavor: Partial<Flavor>, other: Partial<ImageInfo>, diskGiB?: number) =>
  misfits({ flavor: { ...small, ...flavor }, image: { ...image, ...other }, diskGiB }).map(({ path }) =>
    path.split('/').at(-1),
  )
const both = ['flavor', 'image']

test.each([
  ['fits', {}, {}, undefined, []],
  ['an image that is not ready', {}, { state: 'pending' }, undefined, ['image']],
  ['another architecture', { architecture: 'aarch64' }, {}, undefined, both],
  ['an architecture nobody knows', { architecture: 'aarch64' }, { architecture: null }, undefined, []],
  ['a disk that is too small by one byte', { diskBytes: 2 ** 31 - 1 }, {}, undefined, both],
  ['a disk that is just large enough', { diskBytes: 2 ** 31 }, {}, undefined, []],
  ['gigabytes that are not gibibytes', { diskBytes: 2 * 10 ** 9 }, {}, undefined, both],
  ['a disk asked for that is too small', {}, {}, 1, ['diskGiB']],
  ['a disk asked for in place of a small one', { diskBytes: 1 }, {}, 2, []],
  ['a disk left to the region', { diskBytes: null }, {}, undefined, []],
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
