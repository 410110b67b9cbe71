/** A JSON pointer (RFC 6901) one step further down. */
export const pointerTo = (parent: string, name: string): string =>
  `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Whether one pointer is the other or leads into it. */
export const within = (pointer: string, ancestor: string): boolean =>
  pointer === ancestor || pointer.startsWith(`${ancestor}/`)
