export * from './errors/index.ts'
export * from './operations/model.ts'
export * from './outgoing/index.ts'
export * from './resource/model.ts'
