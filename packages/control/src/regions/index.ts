export { type ClientsOptions, RegionClients } from './clients.ts'
