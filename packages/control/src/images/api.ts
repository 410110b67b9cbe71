import type { Store } from '@stead/engine'
import { onKey } from '../door/conflicts.ts'
import { type Route, route } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import { appendEvent } from '../events/model.ts'
import type { Place } from '../identity/caller.ts'
import { checkedUrl } from '../outgoing/client.ts'
import { OutgoingError } from '../outgoing/errors.ts'
import { asked } from '../realised/model.ts'
import { assertCan } from '../regions/capable.ts'
import type { RegionClients } from '../regions/clients.ts'
import { regionFor } from '../regions/default.ts'
import { inRegions } from '../regions/in-regions.ts'
import { assertTakesNew } from '../regions/modes.ts'
import { concludeCreate } from '../resource/conclude.ts'
import { projectNounRoutes } from '../resource/project-routes.ts'
import { written } from '../resource/write.ts'
import { placeObjects } from '../teardown/building.ts'
import type { Whole } from '../teardown/model.ts'
import { contentRoute } from './content-api.ts'
import { imageBesides } from './create.ts'
import type { Fetching } from './fetch.ts'
import { type BroughtSource, Image, ImageWrite, ImageWriteSpec, imagesByRegion } from './model.ts'

export interface ImageRoutesOptions {
  readonly whole: Whole
  readonly clients: RegionClients
  readonly store: Pick<Store, 'records'>
  readonly fetching: Fetching
}

export const imageRoutes = ({ whole, clients, store, fetching }: ImageRoutesOptions): readonly Route[] => [
  route({
    method: 'POST',
    path: '/v1/projects/:project/images',
    summary: 'Import an image from a URL, or announce an upload',
    description: [
      'An import is fetched soon after; of an upload, the content is sent with `PUT …/content`.',
      '`status.state` says how far it is, and why it failed if it did.',
      'Refused with `unsupported` where the region takes no images.',
    ].join(' '),
    scope: 'project',
    permission: 'images:create',
    body: ImageWrite,
    replies: { 201: Image.schema },
    refuses: ['unsupported'],
    examples: {
      body: { name: 'debian', spec: { region: 'qemu', source: { url: 'https://images.example.com/debian.qcow2' } } },
    },
    conflicts: [onKey('image-name/', () => fail('name_taken', 'the project has an image of this name'))],
    async handle({ body, caller, place }, services) {
      const { world, everything } = services
      const fields = written({ spec: ImageWriteSpec }, body)
      const { region: named, ...rest } = fields.spec
      assertSource(rest.source, fetching.limitBytes)
      const region = regionFor(everything, place as Place & { type: 'project' }, named)
      assertTakesNew(region)
      await assertCan(region, 'images', clients)
      const spec = { region: region.id, ...rest }
      const draft = Image.draft({ world, place, caller, ...fields, spec, status: asked })
      return concludeCreate(services, Image, draft, set => {
        imageBesides(set, everything, { draft, on: [...placeObjects(everything, place), region] })
        appendEvent(set, draft, { reason: 'Created', message: `asked for by ${caller.displayName}` })
      })
    },
  }),
  ...projectNounRoutes({
    ...{ resource: Image, whole, store, one: 'an image', param: 'image' },
    changes: 'the labels or the display name',
    endsAfter: 'something was made of it',
    cascades: false,
    ...inRegions(imagesByRegion),
  }),
  contentRoute(fetching),
]

/** Refuses what is known not to work before anything is made. Where a URL leads is found out when it is fetched. */
function assertSource(source: BroughtSource, limitBytes: number): void {
  const announced = 'upload' in source ? source.upload.sizeBytes : source.sizeBytes
  const path = 'upload' in source ? '/spec/source/upload/sizeBytes' : '/spec/source/sizeBytes'
  if (announced !== undefined && announced > limitBytes)
    throw fail('invalid', `an image may have ${limitBytes} bytes here`, {
      errors: [{ path, message: `must be at most ${limitBytes}` }],
    })
  if ('upload' in source) return
  try {
    checkedUrl(source.url)
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    throw fail('invalid', `the source cannot be fetched: ${error.message}`, {
      errors: [{ path: '/spec/source/url', message: error.message }],
    })
  }
}
