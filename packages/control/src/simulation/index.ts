// The simulation's door. Nothing that runs in production may come in here.
export {
  type Around,
  type ControlOptions,
  type ControlOutcome,
  type ControlStage,
  type Play,
  runControl,
  type Sky,
  sealerOf,
  simulatedRegion,
} from './control.ts'
export { type Asked, Desk, doorEngine, type Told } from './desk.ts'
export { type CloudFault, type ControlFault, controlFaults, nodeCrashes } from './faults.ts'
