export { type AuditBody, auditRecords } from './audit/model.ts'
export * from './door/index.ts'
export * from './errors/index.ts'
export * from './identity/index.ts'
export * from './images/index.ts'
export { type Findings, findingsIn } from './instances/findings.ts'
export { useMark } from './instances/gather.ts'
export { phasesPage } from './instances/page.ts'
export * from './operations/model.ts'
export * from './outgoing/index.ts'
export { type Charge, charge, release } from './quotas/charge.ts'
export { type Amounts, type QuotaKind, quotaKinds } from './quotas/kinds.ts'
export * from './regions/index.ts'
export * from './resource/index.ts'
export {
  openRooms,
  type RoomOptions,
  type Rooms,
  recordRetention,
  roomControllers,
  roomIndexes,
  type Surroundings,
  seriesRetention,
} from './rooms.ts'
export * from './schema/index.ts'
export { measureHouse } from './system/gauges.ts'
export * from './tracing/index.ts'
