export { LocalConfiguration, local } from './definition.ts'
export { chooseLevel, type DetectOptions, detectLocal, type LocalDetection } from './machine/detect.ts'
export { type Isolation, isolationLevels } from './machine/levels.ts'
