export * from './errors.ts'
export * from './launch-spec.ts'
export * from './server-info.ts'
export * from './tags.ts'
