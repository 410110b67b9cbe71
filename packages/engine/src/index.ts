export { changeSet } from './change-set-builder.ts'
export * from './words/index.ts'
