export * from './cache/index.ts'
export { changeSet } from './change-set-builder.ts'
export * from './metrics/index.ts'
export * from './words/index.ts'
