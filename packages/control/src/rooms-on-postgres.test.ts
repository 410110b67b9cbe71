import { describeOnPostgres } from './tests/stores.ts'

// In two files, for two cores: the door has its own.
describeOnPostgres(import.meta.dirname, file => !file.startsWith('door/'))
