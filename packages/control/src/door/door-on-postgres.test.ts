import { describeOnPostgres } from '../tests/stores.ts'

describeOnPostgres(import.meta.dirname)
