export { type CatalogsOptions, RegionCatalogs } from './catalog/catalogs.ts'
export { type ClientsOptions, RegionClients } from './clients.ts'
export { type FoundRegion, type Registering, registerRegion } from './register.ts'
