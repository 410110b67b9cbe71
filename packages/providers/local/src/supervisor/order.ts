import { type Duration, millis, minutes } from '@stead/world'

const first = 250
const longest = minutes(1)
/** Who ran this long has not failed at starting. */
export const steady = minutes(1)

/** How long to wait before the next try: twice as long every time. */
export const backoff = (failures: number): Duration => millis(Math.min(longest, first * 2 ** Math.min(failures, 20)))
