// The simulation's door. Nothing that runs in production may come in here.
export {
  type Around,
  type ControlOptions,
  type ControlOutcome,
  type ControlStage,
  type Play,
  runControl,
  type Sky,
  simulatedRegion,
} from './control.ts'
export { type CloudFault, type ControlFault, controlFaults, nodeCrashes } from './faults.ts'
