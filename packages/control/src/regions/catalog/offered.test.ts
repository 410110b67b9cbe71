import type { Catalog, Flavor, ImageInfo } from '@stead/provider-kit'
import { expect, test } from 'vitest'
import { flavorIn, imageIn } from './catalog-of.ts'
import { flavorErrors, type OperatorFlavors } from './model.ts'
import { offered } from './offered.ts'

const flavor = (name: string, more: Partial<Flavor> = {}): Flavor => ({
  ...{ id: `id-of-${name}`, name, architecture: 'x86_64', virtualization: 'virtualized' },
  ...{ cpuMillis: 1_000, memoryMiB: 1_024, diskBytes: 10 * 2 ** 30 + 1, gpu: null },
  ...more,
})
const image = (name: string, more: Partial<ImageInfo> = {}): ImageInfo => ({
  ...{ id: `id-of-${name}`, name, state: 'ready', tags: {}, architecture: 'x86_64', virtualization: null },
  ...{ sizeBytes: null, minDiskBytes: null, gpu: null, os: null },
  ...more,
})
const catalog = (flavors: Flavor[], images: ImageInfo[] = []): Catalog => ({ flavors, images, capacity: null })
const machines = { sources: ['machine'] } as const
const both = { sources: ['machine', 'services'] } as const
const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name)

test('what the backend has is offered as it is, in order of names; disks are whole GiB, rounded up', () => {
  const { flavors } = offered({}, { catalog: catalog([flavor('small'), flavor('big')]), capabilities: machines })
  expect(names(flavors)).toEqual(['big', 'small'])
  expect(flavors[0]).toMatchObject({ backendId: 'id-of-big', diskGiB: 11, deprecated: false, labels: {} })
})

test('an operator hides, remarks on and renames flavors, and makes up sizes where services take any', () => {
  const flavors: OperatorFlavors = {
    small: { displayName: 'Small', labels: { tier: 'a' }, deprecated: true },
    'id-of-odd': { hidden: true },
    standard: { backend: 'big' },
    dangling: { backend: 'gone' },
    tiny: { cpuMillis: 100, memoryMiB: 64 },
    huge: { cpuMillis: 1, memoryMiB: 1, hidden: true },
  }
  const has = catalog([flavor('small'), flavor('big', { cpuMillis: 8_000 }), flavor('odd')])
  const shown = offered({ flavors }, { catalog: has, capabilities: both })
  expect(names(shown.flavors)).toEqual(['big', 'small', 'standard', 'tiny'])
  expect(flavorIn(shown, 'small')).toMatchObject({ displayName: 'Small', labels: { tier: 'a' }, deprecated: true })
  expect(flavorIn(shown, 'standard')).toMatchObject({ backendId: 'id-of-big', cpuMillis: 8_000 })
  expect(flavorIn(shown, 'tiny')).toMatchObject({ backendId: null, cpuMillis: 100, memoryMiB: 64, diskGiB: null })
  expect(flavorIn(shown, 'odd')).toBeUndefined()
  const onMachines = offered({ flavors }, { catalog: has, capabilities: machines })
  expect(names(onMachines.flavors)).toEqual(['big', 'small', 'standard'])
})

test('a name of the operator’s own stands before the backend’s', () => {
  const flavors = { small: { cpuMillis: 5, memoryMiB: 5 } }
  const shown = offered({ flavors }, { catalog: catalog([flavor('small')]), capabilities: both })
  expect(shown.flavors).toMatchObject([{ name: 'small', cpuMillis: 5, backendId: null }])
})

test('images are offered when they are ready and nobody’s own, unless the operator hides them', () => {
  const images = [
    image('debian'),
    image('old', { id: 'img-1' }),
    image('secret'),
    image('pending', { state: 'pending' }),
    image('snapshot', { tags: { 'stead.managed-by': 'stead', 'stead.control-plane': 'another' } }),
  ]
  const said = { 'img-1': { deprecated: true, displayName: 'Old' }, secret: { hidden: true } }
  const shown = offered({ images: said }, { catalog: catalog([], images), capabilities: machines })
  expect(names(shown.images)).toEqual(['debian', 'old'])
  expect(imageIn(shown, 'old')).toMatchObject({ id: 'img-1', deprecated: true, displayName: 'Old' })
  expect(imageIn(shown, 'img-1')?.name).toBe('old')
})

test('a flavor is a remark, another name or a size of its own, and no mixture', () => {
  const errors = (one: OperatorFlavors[string]) => flavorErrors({ one }).map(({ path }) => path)
  expect(errors({ hidden: true })).toEqual([])
  expect(errors({ backend: 'x' })).toEqual([])
  expect(errors({ cpuMillis: 1, memoryMiB: 1, diskGiB: 1 })).toEqual([])
  expect(errors({ backend: 'x', cpuMillis: 1 })).toEqual(['/spec/flavors/one'])
  expect(errors({ cpuMillis: 1 })).toEqual(['/spec/flavors/one'])
  expect(errors({ diskGiB: 1 })).toEqual(['/spec/flavors/one'])
})
