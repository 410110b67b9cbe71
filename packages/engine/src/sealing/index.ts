export { openSealer, type SealerOptions } from './open-sealer.ts'
export { SealError, type SealFailure } from './seal-error.ts'
export { SealKey } from './seal-key.ts'
export { type Sealed, Sealer } from './sealer.ts'
