export { type BackendName, commandPath, type Missing, missing } from './backends.ts'
export { freePort, loopFilesystem, temporaryDirectory } from './temporary.ts'
export { describeWith, testWith } from './with-backend.ts'
