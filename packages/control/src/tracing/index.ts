export { traceCommits } from './commits.ts'
export { traceOf } from './operation-span.ts'
