export * from './errors/catalogue.ts'
export * from './errors/problem.ts'
export * from './operations/model.ts'
export * from './resource/model.ts'
