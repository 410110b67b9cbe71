import { changeSet } from '@stead/engine'
import { millis } from '@stead/world'
import { ok } from '../door/replies.ts'
import { type Route, route, type Upload } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import { tellStaged, withContent } from './bring.ts'
import { contentFault } from './content-fault.ts'
import { type Fetching, patience, transferTime } from './fetch.ts'
import { Image } from './model.ts'
import { type Received, StagingError } from './staging/staging.ts'
import { steadily } from './staging/steadily.ts'

/** The content of an image that was announced as an upload. */
export function contentRoute(fetching: Fetching): Route {
  /** A handler that runs again finds what it received the first time: it comes only once. */
  const receiving = new WeakMap<Upload, Promise<Received>>()
  return route({
    method: 'PUT',
    path: '/v1/projects/:project/images/:image/content',
    summary: 'Upload the content of an image',
    description: [
      'As long as the image waits for it. It is taken whole or not at all: what is longer than announced is refused with',
      '`too_large`, and what is shorter or has another checksum with `invalid`; it can then be sent again.',
    ].join(' '),
    scope: 'project',
    permission: 'images:create',
    target: { kind: Image.kind, param: 'image' },
    upload: 'The image, as `spec.source.upload` announced it.',
    deadline: transferTime,
    replies: { 200: Image.schema },
    async handle({ target, upload, caller, place }, { world, everything, conclude }) {
      assertAwaited(target)
      const { staging } = fetching
      // Hours may have passed since they came in.
      const assertMayStill = () => {
        if (!caller.isCurrent()) throw fail('unauthenticated', 'the credential was revoked while the content came')
        if (!caller.may('images:create', place))
          throw fail('forbidden', 'this needs images:create, which was withdrawn')
      }
      const received = receiving.get(upload!) ?? receive(fetching, target, { ...upload!, assertMayStill })
      receiving.set(upload!, received)
      const content = await received
      const current = everything.get<Image>(Image.kind, target.id)
      if (!current || current.deletedAt !== undefined) {
        await staging.remove(target.id)
        throw fail('not_found', 'the image was deleted while its content came')
      }
      // Sent twice at once, or again because it was lost on the way: it is the same, whoever was first.
      if (current.status.staged) return ok(Image, current)
      const { generation: _, revision, ...draft } = current
      const to = { ...draft, status: withContent(current.status, content) }
      const set = changeSet(world).expectRevision(current, revision)
      set.puts.push(to)
      tellStaged(set, current, content)
      return conclude(set, outcome => ok(Image, outcome.object(to)))
    },
  })
}

function assertAwaited({ spec, status, deletedAt }: Image): void {
  if (!('upload' in spec.source))
    throw fail('invalid_state', 'this image is fetched from its source, and takes no upload')
  if (deletedAt !== undefined) throw fail('invalid_state', 'this image is being deleted')
  if (status.state !== 'pending' || status.backendId !== undefined)
    throw fail('invalid_state', 'this image has its content; another content is another image')
}

async function receive(
  { staging, world }: Fetching,
  { id, spec }: Image,
  { announced, content, assertMayStill }: Upload & { readonly assertMayStill: () => void },
): Promise<Received> {
  const { upload: wanted } = spec.source as Extract<typeof spec.source, { readonly upload: unknown }>
  const tooLong = () => fail('too_large', `the content is longer than the ${wanted.sizeBytes} bytes announced`)
  if (announced !== undefined && announced > wanted.sizeBytes) throw tooLong()
  if (announced !== undefined && announced < wanted.sizeBytes)
    throw fail('invalid', `the content is ${announced} bytes long, and not ${wanted.sizeBytes}`)
  const late = () => fail('unavailable', `nothing came for ${patience / 1_000} s`)
  const steady = steadily(upTo(content, wanted.sizeBytes, tooLong), { world, patience, late })
  try {
    return await staging.put(id, steady, received => {
      assertMayStill()
      const fault = contentFault(received, wanted)
      if (fault) throw fail('invalid', `the content ${fault}`)
    })
  } catch (error) {
    if (!(error instanceof StagingError)) throw error
    throw fail('unavailable', 'there is no room for it here now', { retryAfter: millis(60_000), cause: error })
  }
}

async function* upTo(
  content: AsyncIterable<Uint8Array>,
  most: number,
  tooLong: () => Error,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > most) throw tooLong()
    yield chunk
  }
}
