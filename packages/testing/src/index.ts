export { type BackendName, commandPath, type Missing, missing } from './backends.ts'
export { fillDisk, freePort, loopFilesystem, temporaryDirectory } from './temporary.ts'
export { describeWith, testWith } from './with-backend.ts'
