export type { Fetching } from './fetch.ts'
export { type ResolvedImage, type ResolveImage, resolveImage } from './resolve.ts'
export { FileStaging } from './staging/file-staging.ts'
export type { Staging } from './staging/staging.ts'
