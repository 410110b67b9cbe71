export { ContainerEngine, testImage } from './engine.ts'
export { docker as dockerEngine, podman as podmanEngine } from './kinds.ts'
