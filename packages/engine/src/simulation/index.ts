// The simulation's door. Nothing that runs in production may come in here.
export { Cluster, type NodeContext, type NodeProgram, type RunningNode } from './cluster.ts'
export { pairsOf, pointsOf } from './crash-points.ts'
export { SimulatedDatabase } from './database.ts'
export { type EngineFault, engineFaults } from './engine-faults.ts'
export {
  type Act,
  type Domain,
  Experiment,
  type ExperimentOptions,
  type ExperimentParts,
  type Outcome,
  type Stage,
} from './experiment.ts'
export {
  addReport,
  drawMix,
  emptyReport,
  type FaultCatalogue,
  type FaultKind,
  type FaultMix,
  type FaultReport,
  Faults,
  printReport,
  type ScriptedFault,
} from './faults.ts'
export { Ledger } from './ledger.ts'
export { type Errand, type Request, Requests } from './requests.ts'
export { SimulatedStore } from './store.ts'
export { Trace } from './trace.ts'
export { type EngineInvariant, engineInvariants, type Violation, Violations, type Watch } from './violations.ts'
