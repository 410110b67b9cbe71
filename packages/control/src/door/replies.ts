import type { StoredObject } from '@stead/engine'
import type { Presented } from '../resource/present.ts'
import type { Reply } from './route.ts'

interface Shown<Object> {
  present(object: Object): Presented
}

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
