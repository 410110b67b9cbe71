import type { Revision, StoredObject } from '@stead/engine'
import type { Presented } from '../resource/present.ts'
import type { Reply } from './route.ts'

interface Shown<Object> {
  present(object: Object): Presented
}

/** An answer that shows one version of an object and nothing else, so that it need not be written anew for each reader. */
export class ReadReply implements Reply {
  readonly status = 200
  readonly object: StoredObject
  readonly #present: () => Presented

  constructor(object: StoredObject, present: () => Presented) {
    this.object = object
    this.#present = present
  }

  get body(): Presented {
    return this.#present()
  }

  get revision(): Revision {
    return this.object.revision
  }
}

/** `read(Widget, widget)`: one object, as everybody sees it: its resource shows it by nothing but what is in it. */
export const read = <Object extends StoredObject>(resource: Shown<Object>, object: Object): Reply =>
  new ReadReply(object, () => resource.present(object))

const shown =
  (status: number) =>
  <Object extends StoredObject>(resource: Shown<Object>, object: Object, besides: object = {}): Reply => ({
    status,
    body: { ...resource.present(object), ...besides },
    revision: object.revision,
  })

/** `ok(Widget, widget)`: one object, and what goes with it. */
export const ok = shown(200)
/** It was made; `besides` is its operation where a controller must still realise it. */
export const created = shown(201)
/** A controller will do it. */
export const accepted = shown(202)
