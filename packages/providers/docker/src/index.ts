export { DockerConfiguration, DockerCredentials, docker } from './definition.ts'
export { detectEngine, type EngineName, type FoundEngine, usualSockets } from './detect.ts'
